package harness

import "testing"

func TestRepeatOnly(t *testing.T) {
	for line, want := range map[string]string{
		"oncecheck run --seed 7":                             "oncecheck run --seed 7 --only 'a/b'",
		"oncecheck client --seed 7 --url http://127.0.0.1:1": "oncecheck client --seed 7 --url http://127.0.0.1:1 --only 'a/b'",
		"oncecheck client --seed 7 -- ./shim -- -x":          "oncecheck client --seed 7 --only 'a/b' -- ./shim -- -x",
		"oncecheck run --seed 7 --profile 'a -- b.yaml'":     "oncecheck run --seed 7 --profile 'a -- b.yaml' --only 'a/b'",
	} {
		if got := (RunInfo{Repeat: line}).repeatOnly("a/b"); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}
