package check

import (
	"fmt"
	"regexp"

	"github.com/oncecheck/oncecheck/harness"
)

// keyHeader is the header that carries an idempotency key to a dependency.
const keyHeader = "Idempotency-Key"

// SameKey judges that each attempt of each case carries the key that its caller
// gave, in one header line and byte for byte. A gateway may give its dependency
// another key than its own caller's, and sticks to it.
func SameKey(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		if v := c.alone(); v.Reason != "" {
			return v
		}
		given := c.calls[0].request()
		if len(given.Keys) != 1 {
			return harness.Undecided("the call of case "+c.label+" was given no key", c.witnesses()...)
		}
		wanted := given.Keys[0]
		if given.Operation != harness.OpCall {
			wanted = listed(c.sent[0].Call.Lines, keyHeader)
		}
		for i, e := range c.sent {
			if got := valuesIn(e.Call.Lines, keyHeader); len(got) != 1 || got[0] != wanted || got[0] == "" {
				return c.fail(fmt.Sprintf("attempt %d to carry the key %q once", i+1, wanted), fmt.Sprintf("%q", got))
			}
		}
		return harness.Passed(fmt.Sprintf("%d attempts with the same key", len(c.sent)), c.witnesses()...)
	})
}

// NoKeyInvented judges that calls without a key are sent without one. A client
// that declares to make keys (autoKey) may do so for those that change something,
// and then all attempts carry the same.
func NoKeyInvented(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		switch {
		case len(c.sent) == 0:
			return harness.Undecided("no request of case "+c.label+" reached the dependency", c.witnesses()...)
		case makesKeys(h):
			if keys, same := oneKey(c); !same {
				return c.fail("the same key on all attempts, or none, as the client makes keys (autoKey)", fmt.Sprintf("%q", keys))
			}
			return harness.Passed(several(len(c.sent), "request")+"; the client makes keys, and they stay the same", c.witnesses()...)
		}
		for i, e := range c.sent {
			if got := valuesIn(e.Call.Lines, keyHeader); len(got) > 0 {
				return c.fail("no key where the caller gave none, or autoKey declared", fmt.Sprintf("%q in attempt %d", got, i+1))
			}
		}
		return harness.Passed(several(len(c.sent), "request")+" without a key", c.witnesses()...)
	})
}

func makesKeys(h *harness.History) bool { return h.Header.Client != nil && h.Header.Client.AutoKey }

// oneKey returns the keys of the attempts, in order, and whether all are the
// same, or all missing.
func oneKey(c clientCase) (keys []string, same bool) {
	for _, e := range c.sent {
		keys = append(keys, listed(e.Call.Lines, keyHeader))
	}
	for _, key := range keys {
		if key != keys[0] {
			return keys, false
		}
	}
	return keys, true
}

// FreshKeys judges the keys that a client makes itself: a fresh UUID for each of
// at least that many calls, sent with every attempt of it.
func FreshKeys(pick Pick, least int) func(*harness.History) harness.Verdict {
	uuid := regexp.MustCompile(`^"?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"?$`)
	return func(h *harness.History) harness.Verdict {
		calls := map[string]string{} // case by key
		v := eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
			if !makesKeys(h) {
				return harness.Inapplicable("the client does not declare that it makes keys (autoKey)")
			}
			if len(c.sent) < 2 {
				return harness.Undecided("case "+c.label+" has no second attempt, in which another key would show", c.witnesses()...)
			}
			keys, same := oneKey(c)
			switch other := calls[keys[0]]; {
			case !same:
				return c.fail("one key for all attempts of a call", fmt.Sprintf("%q", keys))
			case !uuid.MatchString(keys[0]):
				return c.fail("a UUID as key", fmt.Sprintf("%q", keys[0]))
			case other != "":
				return c.fail("a key of its own for each call", "that of case "+other)
			}
			calls[keys[0]] = c.label
			return harness.Passed("a fresh UUID for each call", c.witnesses()...)
		})(h)
		if v.Outcome == harness.Pass && len(calls) < least {
			return harness.Undecided(fmt.Sprintf("%d calls, and %d are needed", len(calls), least), v.Witness...)
		}
		return v
	}
}
