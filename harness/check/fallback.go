package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// FallbackServed judges that a failure of the dependency is answered with the
// stored result: its status and bytes, the header exactly, and the dependency was
// asked before.
func FallbackServed(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		s, v := asStored(c, false)
		if v.Outcome != harness.Pass {
			return v
		}
		asked := c.during(s.proof)
		if wrong := s.served(s.proof); wrong != "" {
			return c.failCall(s.proof, fmt.Sprintf("the stored result, status %d, with %s: %s", s.seed.Done.Answer.Status, harness.SourceHeader, harness.SourceFallback), wrong)
		}
		if len(asked) == 0 {
			return c.failCall(s.proof, "the dependency to be asked before a stored result is served", "no request at the dependency, and "+came(s.proof))
		}
		for _, e := range asked {
			if e.Call.Answers != "" && e.Call.Status < 300 {
				return c.undecided("the dependency did not fail")
			}
		}
		return harness.Passed(fmt.Sprintf("after %d requests the stored result came back", len(asked)), c.witnesses()...)
	})
}

// FallbackCorrelated judges that a served result carries the id of the call that
// it answers, and not of the one that left it.
func FallbackCorrelated(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		s, v := asStored(c, false)
		switch {
		case v.Outcome != harness.Pass:
			return v
		case !fromStore(s.proof):
			return c.undecided("no stored result was served: " + came(s.proof))
		case s.seed.request().CorrelationID == s.proof.request().CorrelationID:
			return c.undecided("both calls carry the same correlation id")
		}
		if v := c.carries(s.proof, s.proof.request().CorrelationID); v.Outcome != harness.Pass {
			return v
		}
		return harness.Passed("the stored result carries the id of the call that it answers", c.witnesses()...)
	})
}

// FreshUnmarked judges that what the dependency answered itself does not say that
// it was stored, and is what the dependency said now.
func FreshUnmarked(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		fresh := 0
		for _, a := range c.calls {
			sent := c.during(a)
			if len(sent) == 0 || sent[len(sent)-1].Call.Answers == "" || sent[len(sent)-1].Call.Status >= 300 {
				continue
			}
			switch answer := sent[len(sent)-1].Call; {
			case !a.answered():
				return c.undecided("the dependency answered, and the call came to " + came(a))
			case fromStore(a):
				return c.failCall(a, "a fresh result without "+harness.SourceHeader+": "+harness.SourceFallback, came(a))
			case a.Done.Answer.BodySHA256 != answer.Answers:
				return c.failCall(a, fmt.Sprintf("what the dependency answered now, SHA-256 %.12s", answer.Answers), fmt.Sprintf("SHA-256 %.12s, %s", a.Done.Answer.BodySHA256, came(a)))
			}
			fresh++
		}
		if fresh == 0 {
			return c.undecided("the dependency answered no call with success")
		}
		return harness.Passed(fmt.Sprintf("%d fresh results are not marked", fresh), c.witnesses()...)
	})
}

// LastsStored judges how long the failed call of each case lasted, for which a
// result had been stored.
func LastsStored(pick Pick, span Span) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		s, v := asStored(c, false)
		if v.Outcome != harness.Pass {
			return v
		}
		if len(c.during(s.proof)) == 0 {
			return c.undecided("the dependency was not asked: " + came(s.proof))
		}
		d := took(s.proof)
		if low, high, wanted := span.bounds(h.Header.Policy.Client); d < low || high > 0 && d > high {
			return c.failCall(s.proof, "a call that lasts "+wanted, seconds(d)+", then "+came(s.proof))
		}
		return harness.Passed("it lasted "+seconds(d), c.witnesses()...)
	})
}
