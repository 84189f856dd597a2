package scenarios

import (
	"context"
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// gatewayScenarios are those about an API operation that calls a dependency
// through the client. They drive through the gateway only.
func gatewayScenarios() []harness.Scenario {
	return slices.Concat(gatewayFallback(), gatewayAccess(), gatewayTelemetry(), gatewayStore())
}

// resulting is a case about what a gateway falls back to: its calls follow each
// other and meet one dependency. The first leaves a result, the last asks for it
// as its owner.
type resulting struct {
	label  string
	script harness.Script
	calls  []harness.ClientCall
}

// otherKey stands for a key that is not the case's.
const otherKey = "other"

// stored is an answer that is safe to fall back to. Its text is found wherever it
// goes.
func stored(code int) harness.Step {
	return harness.Step{Status: code, Header: [][2]string{{"Content-Type", "application/json"}}, Body: `{"item":"stored","stock":7,"owner":"of the first call"}`}
}

// newer is a later answer for the same item.
func newer() harness.Step {
	return harness.Step{Status: 200, Header: [][2]string{{"Content-Type", "application/json"}}, Body: `{"item":"newer","stock":6}`}
}

// thenFailing is a dependency that succeeds once and fails from then on.
func thenFailing(code int, step harness.Step) harness.Script {
	return answering(stored(code), step)
}

// asking repeats a call.
func asking(n int, call harness.ClientCall) []harness.ClientCall {
	return slices.Repeat([]harness.ClientCall{call}, n)
}

// of makes a call on behalf of somebody else.
func of(principal string, call harness.ClientCall) harness.ClientCall {
	call.Principal = principal
	return call
}

// openResulting opens the dependency of a case.
func openResulting(ctx context.Context, s *harness.Session, r resulting) (*harness.Case, *harness.Dependency, error) {
	c := s.Case(r.label + "@" + string(harness.RouteGateway))
	d, err := s.Dependency(ctx, c, harness.RouteGateway, r.script)
	return c, d, err
}

// askNumbered makes the n-th call of a case under a correlation id of its own, so
// that what answers it can be told from what answered the one before.
func askNumbered(ctx context.Context, s *harness.Session, c *harness.Case, n int, call harness.ClientCall) {
	if call.CorrelationID == "" {
		// A letter: one digit more could make a card number of it, which logs blank out.
		call.CorrelationID = fmt.Sprintf("%s-%c", c.CorrelationID, 'a'+n-1)
	}
	switch call.Key {
	case ownKey:
		call.Key = c.Key
	case otherKey:
		call.Key = s.Key(c.Label + otherKey)
	}
	s.Call(ctx, c, harness.RouteGateway, call)
}

// driveResulting makes the calls of a case one after the other.
func driveResulting(ctx context.Context, s *harness.Session, r resulting) (*harness.Case, error) {
	c, d, err := openResulting(ctx, s, r)
	if err != nil {
		return nil, err
	}
	for i, call := range r.calls {
		askNumbered(ctx, s, c, i+1, call)
	}
	s.Note(c, harness.MarkWatchedPeer, "the dependency was watched until here", nil)
	return c, d.Close(ctx)
}

// driveResultings drives cases side by side.
func driveResultings(ctx context.Context, s *harness.Session, cases []resulting) ([]*harness.Case, error) {
	driven := make([]*harness.Case, len(cases))
	err := harness.Parallel(len(cases), func(i int) error {
		c, err := driveResulting(ctx, s, cases[i])
		driven[i] = c
		return err
	})
	return driven, err
}

// resultingScenario makes a scenario of such cases, side by side.
func resultingScenario(id, title, needs string, build func(*harness.Session) ([]resulting, error), checks ...harness.Check) harness.Scenario {
	return harness.Scenario{
		ID: id, Title: title, Needs: harness.ParseNeeds(needs), Timed: measures(checks),
		Drive: func(ctx context.Context, s *harness.Session) error {
			cases, err := build(s)
			if err != nil {
				return err
			}
			_, err = driveResultings(ctx, s, cases)
			return err
		},
		Checks: checks,
	}
}

// writes reports whether the gateway has an operation that changes something.
func writes(s *harness.Session) bool { return s.Target().Gateway != nil && s.Target().Gateway.Write }

// writing keeps a check from being judged where the gateway cannot write.
func writing(j judge) judge {
	return func(h *harness.History) harness.Verdict {
		if h.Header.Gateway != nil && !h.Header.Gateway.Write {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "the gateway has no operation that changes something (gateway.write)"}
		}
		return j(h)
	}
}

// serving picks the cases in which a stored result has to be served.
func serving() check.Pick { return check.Labelled("served-") }
