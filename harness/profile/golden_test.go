package profile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

const hidden = "value-that-nobody-may-see"

func environment(name string) (string, bool) {
	values := map[string]string{
		"ALICE_TOKEN": "alice-token", "BOB_TOKEN": "bob-token", "CAROL_TOKEN": "carol-token",
		"SUPPORT_TOKEN": "support-token", "EVENT_KEY": "event-key-of-the-sink", "HIDDEN": hidden, "EMPTY": "",
	}
	value, ok := values[name]
	return value, ok
}

// Error messages are part of the product: each bad profile has the message that
// a user gets beside it.
func TestErrorMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad profiles found: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse("profile.yaml", data, environment)
			if err == nil {
				t.Fatal("a bad profile was accepted")
			}
			got := err.Error() + "\n"
			for _, secret := range []string{hidden, "s3cr3t-value", "eyJhbGciOiJIUzI1NiJ9"} {
				if strings.Contains(got, secret) {
					t.Errorf("the message shows the secret %s:\n%s", secret, got)
				}
			}
			compareGolden(t, strings.TrimSuffix(file, ".yaml")+".txt", got)
		})
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (run with -update if it is meant to)\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}
