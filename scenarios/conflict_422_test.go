package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/oncecheck/oncecheck/harness"
)

// semantic is a target in memory in which a used key with another body is a 422.
// What breaks it is one of the sins that the variant's clause has to catch.
type semantic struct {
	*counter
	executes bool // another body
	bytes    bool // it compares bytes, so that another member order is another body
}

func (s semantic) Send(ctx context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	meaning := fmt.Sprint(a.Vars["cart"], a.Vars["amount"])
	sent := harness.Request{BodySHA256: meaning + string(a.Spelling), Body: meaning}
	s.mu.Lock()
	k, used := s.known[a.Keys[0]]
	s.mu.Unlock()
	fingerprint := meaning
	if s.bytes {
		fingerprint = sent.BodySHA256
	}
	if used && k.body != fingerprint && !s.executes {
		return sent, harness.Answer{Status: 422, Code: "CONFLICT", BodySHA256: "conflict"}, nil
	}
	if used && k.body != fingerprint {
		a.Keys = []string{a.Keys[0] + " again"}
	}
	_, answer, err := s.counter.Send(ctx, a)
	return sent, answer, err
}

// TestConflict422 holds SRS-CHK-001.54, which is about a dialect that no mutant of
// the matrix is served in.
func TestConflict422(t *testing.T) {
	for name, row := range map[string]struct {
		target semantic
		status int // of a mismatch, as the dialect has it
		want   harness.Outcome
		fails  []string
	}{
		"as the variant says":                {semantic{}, 422, harness.Pass, nil},
		"another body is executed":           {semantic{executes: true}, 422, harness.Fail, []string{"other-body-is-422", "other-body-has-no-effect"}},
		"422 for another member order":       {semantic{bytes: true}, 422, harness.Fail, []string{"equal-body-in-another-order-replays"}},
		"a dialect in which it is a 409":     {semantic{}, 409, harness.NotApplicable, nil},
		"a dialect that allows other bodies": {semantic{executes: true}, 0, harness.NotApplicable, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := asked()
				d.Mismatch.Statuses = []int{row.status}
				if row.status == 0 {
					d.Mismatch = harness.Mismatch{Mode: "execute"}
				}
				row.target.counter = &counter{dialect: d, known: map[string]known{}, lines: map[string]bool{}}
				e := try(t, row.target, row.target, d, func(s harness.Scenario) bool { return s.ID == "idempotency/conflict-422" })
				i := slices.IndexFunc(e.Clauses, func(c harness.ClauseResult) bool { return c.ID == "SRS-CHK-001.54" })
				if c := e.Clauses[i]; c.Verdict != row.want {
					t.Errorf("%s (%s), want %s", c.Verdict, c.Reason, row.want)
				}
				for _, c := range e.Clauses[i].Checks {
					if failed := c.Verdict == harness.Fail; failed != slices.Contains(row.fails, c.Name) {
						t.Errorf("%s is %s: %s", c.Name, c.Verdict, c.Reason)
					}
				}
			})
		})
	}
}
