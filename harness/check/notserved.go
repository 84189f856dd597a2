package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// NotServed judges that calls for something else than what was stored come to a
// failure, while the owner is still served the stored result.
func NotServed(pick Pick) func(*harness.History) harness.Verdict { return notServed(pick, false) }

// NotServedToOtherBody is [NotServed] for another body under the key of what was
// stored, which a gateway may refuse by itself. One that makes the same of both
// bodies has one call for both.
func NotServedToOtherBody(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		for _, c := range clientCases(h, pick) {
			s, v := asStored(c, true)
			if v.Outcome != harness.Pass {
				return v
			}
			for _, a := range s.between {
				if sent := c.during(a); len(sent) > 0 && sent[0].Call.BodySHA256 == c.during(s.seed)[0].Call.BodySHA256 {
					return harness.Inapplicable("the gateway does not pass on what the bodies differ by, so one result stands for both")
				}
			}
		}
		return notServed(pick, true)(h)
	}
}

func notServed(pick Pick, refusable bool) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		s, v := asStored(c, true)
		if v.Outcome != harness.Pass {
			return v
		}
		for _, a := range s.between {
			switch {
			case s.bytes(a) || fromStore(a) || succeeded(a):
				return c.failCall(a, "status 503 or 504 without what was stored for another call", came(a))
			case refusable && a.answered() && a.Done.Answer.Status/100 == 4:
			case len(c.during(a)) == 0:
				return c.undecided("the dependency was not asked, so a fallback was never due: " + came(a))
			case !gaveUp(a):
				return c.failCall(a, "status 503 or 504", came(a))
			}
		}
		return s.proven(fmt.Sprintf("%d calls for something else came to a failure", len(s.between)))
	})
}

// DefinitivePassed judges that a definitive answer of the dependency comes back
// although a result is stored, which would hide it.
func DefinitivePassed(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		s, v := asStored(c, true)
		if v.Outcome != harness.Pass {
			return v
		}
		for _, a := range s.between {
			sent := c.during(a)
			if len(sent) == 0 || sent[len(sent)-1].Call.Answers == "" {
				return c.undecided("the dependency gave no definitive answer")
			}
			said := sent[len(sent)-1].Call
			if !a.answered() || a.Done.Answer.Status != said.Status || fromStore(a) || s.bytes(a) {
				return c.failCall(a, fmt.Sprintf("status %d, as the dependency said", said.Status), came(a))
			}
		}
		return s.proven(fmt.Sprintf("%d definitive answers were not hidden", len(s.between)))
	})
}

// GaveUp judges that the last call of each case comes to a failure of its
// dependency and to nothing that was stored.
func GaveUp(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		last := c.last()
		switch {
		case !gaveUp(last) || fromStore(last):
			return c.failCall(last, "status 503 or 504", came(last))
		case len(c.during(last)) == 0:
			return c.undecided("the dependency was not asked: " + came(last))
		}
		return harness.Passed("it came to "+came(last), c.witnesses()...)
	})
}

// NotServedAgain judges that a call without a key is not answered with what an
// earlier one like it came to: nobody can say that it is the same. Where the
// first one is refused there is nothing to judge.
func NotServedAgain(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if first := clientCases(h, pick); len(first) == 1 && len(first[0].calls) > 1 && first[0].calls[0].answered() && !succeeded(first[0].calls[0]) {
			return harness.Inapplicable("the gateway takes no such call without a key: " + came(first[0].calls[0]))
		}
		return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
			s, v := asStored(c, false)
			switch {
			case v.Outcome != harness.Pass:
				return v
			case s.bytes(s.proof) || fromStore(s.proof) || succeeded(s.proof):
				return c.failCall(s.proof, "status 503 or 504 without what was stored for another call", came(s.proof))
			case len(c.during(s.proof)) == 0:
				return c.undecided("the dependency was not asked, so a fallback was never due: " + came(s.proof))
			}
			return harness.Passed("it came to "+came(s.proof), c.witnesses()...)
		})(h)
	}
}

// WhereAsked judges only if the dependency is asked with the query that tells two
// calls apart: a gateway that passes none on has one resource for both.
func WhereAsked(query string, pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		asked := 0
		for _, c := range clientCases(h, pick) {
			for _, e := range c.sent {
				if strings.Contains(e.Call.Path, query) {
					return judge(h)
				}
				asked++
			}
		}
		if asked == 0 {
			return harness.Undecided("no request reached the dependency")
		}
		return harness.Inapplicable("the gateway does not pass on what its path is asked, so one result stands for all of it")
	}
}
