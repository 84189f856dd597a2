package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestRequestIDs(t *testing.T) {
	const n = 400
	digest := func(i int) string {
		sum := sha256.Sum256(fmt.Append(nil, i))
		return hex.EncodeToString(sum[:16])
	}
	made := func(id func(i int) string) *story {
		s := newStory()
		for i := range n {
			s.send(fmt.Sprintf("lane-%d", i%4), keyK, harness.Answer{Status: 201, RequestID: id(i)})
		}
		return s
	}
	judgeAll(t, RequestIDs(Labelled("lane-"), n),
		judged{"random", made(digest), harness.Pass},
		judged{"counted", made(func(i int) string { return fmt.Sprintf("%032d", i) }), harness.Fail},
		judged{"counted without leading zeros", made(func(i int) string { return fmt.Sprint("r", i) }), harness.Fail},
		judged{"random behind a time", made(func(i int) string { return fmt.Sprintf("%012x", 1_700_000_000_000+i) + digest(i)[:20] }), harness.Fail},
		judged{"random and short", made(func(i int) string { return digest(i)[:20] }), harness.Fail},
		judged{"one twice", made(func(i int) string { return digest(i % (n - 1)) }), harness.Fail},
		judged{"no ids", made(func(int) string { return "" }), harness.Inconclusive},
	)
	again := func(key string) *story {
		s := made(digest)
		return s.send("lane-0", harness.Request{Keys: []string{key}}, harness.Answer{Status: 201, RequestID: digest(4)})
	}
	judgeAll(t, RequestIDs(Labelled("lane-"), n),
		judged{"one checkout was asked for again", again(keyK.Keys[0]), harness.Pass},
		judged{"another key, the same id", again("another"), harness.Fail},
	)
	alone := newStory()
	for i := range n {
		alone.send(fmt.Sprintf("lane-%d", i), keyK, harness.Answer{Status: 201, RequestID: fmt.Sprintf("%032d", i)})
	}
	if v := RequestIDs(All(), n)(alone.history()); v.Outcome != harness.Inconclusive {
		t.Errorf("ids of which none follows another one: %+v", v)
	}
}

func TestNothingCached(t *testing.T) {
	marked := func(a harness.Answer, line string) harness.Answer {
		a.Header = map[string][]string{"Cache-Control": {line}}
		return a
	}
	both := func(post, read string) *story {
		return newStory().send("a", keyK, marked(created, post)).send("a", statusRead, marked(described(), read))
	}
	judgeAll(t, NothingCached(All()),
		judged{"no-store on both", both("no-store", "private, No-Store"), harness.Pass},
		judged{"a status may be kept", both("no-store", "max-age=5"), harness.Fail},
		judged{"no line", newStory().send("a", keyK, created).send("a", statusRead, described()), harness.Fail},
		judged{"only requests", newStory().send("a", keyK, marked(created, "no-store")), harness.Inconclusive},
	)
}
