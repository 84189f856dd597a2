package scenarios

import (
	"context"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// calling is one call that a client under test is asked to make of a scripted
// dependency, on every route that can make it.
type calling struct {
	label  string // the case is label@route
	script harness.Script
	call   harness.ClientCall
	only   harness.Route // empty: all routes of the target
	query  string        // of the URL, without the question mark
	// watch is how long the dependency is watched from the start of the call, and
	// at least until cleanup has to be over; what the client does after it returned
	// still counts. Without it nothing is watched beyond the return.
	watch time.Duration
}

// at picks the cases of a call on all its routes.
func at(labels ...string) check.Pick {
	prefixes := make([]string, len(labels))
	for i, l := range labels {
		prefixes[i] = l + "@"
	}
	return check.Labelled(prefixes...)
}

// answering makes a script whose n-th request meets the n-th step, the last one
// for all that follow.
func answering(steps ...harness.Step) harness.Script { return harness.Script{Steps: steps} }

// status is a complete answer of that status, with further header lines.
func status(code int, header ...[2]string) harness.Step {
	return harness.Step{Status: code, Header: header, Body: `{"answer":true}`}
}

// breaking is a step that breaks off without an answer.
func breaking(b harness.Break) harness.Step { return harness.Step{Break: b} }

// ownKey stands for the key of the case: no other call carries it, in this run or
// before.
const ownKey = "own"

// get and post are the plain calls. A post without a key may be sent only once.
func get() harness.ClientCall { return harness.ClientCall{Method: "GET"} }

func post(key string) harness.ClientCall {
	return harness.ClientCall{Method: "POST", Key: key, Body: []byte(`{"quantity":1}`), Header: [][2]string{{"Content-Type", "application/json"}}}
}

// driveCalling opens the dependency, has the call made, and watches what is left.
func driveCalling(ctx context.Context, s *harness.Session, c calling, route harness.Route) error {
	kase := s.Case(c.label + "@" + string(route))
	d, err := s.Dependency(ctx, kase, route, c.script)
	if err != nil {
		return err
	}
	c.call.URL = d.URL() + "/items/" + harness.Item(kase)
	if c.query != "" {
		c.call.URL += "?" + c.query
	}
	if c.call.Key == ownKey {
		c.call.Key = kase.Key
	}
	c.call.Header = slices.Clone(c.call.Header)
	began := time.Now()
	s.Call(ctx, kase, route, c.call)
	if c.watch > 0 {
		if err := s.Watch(ctx, max(c.watch-time.Since(began), check.Cleanup)); err != nil {
			return err
		}
	}
	s.Note(kase, harness.MarkWatchedPeer, "the dependency was watched until here", nil)
	return d.Close(ctx)
}

// timed marks a check that compares times.
func timed(c harness.Check) harness.Check {
	c.Gates.Timing = true
	return c
}
