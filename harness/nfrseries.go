package harness

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Series is what an NFR drives: calls without number of a client under test. Of
// each only what is judged is recorded, and of those that are over nothing is
// kept, so that memory does not grow with them. For the same reason there is no
// case for each call: its number stands at the end of its path.
type Series struct {
	*Session
	Planned Preregistered
}

// Crowd is a closed model of load: so many callers, each of whom makes the next
// call when his last one has returned. That suits deadlines: a slow system is
// not buried under calls that nobody waits for.
type Crowd struct {
	Name    string // of its calls
	Calls   int
	Callers int
	// Spread is the time over which the callers begin. Callers that begin together
	// stay together, and what is measured then is how a machine copes with bursts.
	Spread time.Duration
}

// Wanted is one call of a crowd.
type Wanted struct {
	Of    *Dependency // that it is to meet
	Route Route
	Call  ClientCall
}

// CrowdCounted is the name of the crowd whose calls count.
const CrowdCounted = "call"

// givesUpAfter is how many calls in a row the tool may fail to make before the
// series is given up.
const givesUpAfter = 200

// Make has a crowd make all its calls, numbered from 1. An error says that it did
// not get to that.
func (s *Series) Make(ctx context.Context, crowd Crowd, wanted func(n int) Wanted) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var last, failed atomic.Int64
	_ = Parallel(crowd.Callers, func(caller int) error { // whoever fails cancels all with his reason
		if err := s.Watch(ctx, crowd.Spread*time.Duration(caller)/time.Duration(crowd.Callers)); err != nil {
			return err
		}
		// Each has two addresses in turn: what comes late to one of them is not taken
		// for the next call's.
		for address := caller; ctx.Err() == nil; address = 2*caller + crowd.Callers - address {
			n := int(last.Add(1))
			if n > crowd.Calls {
				return nil
			}
			err := s.make(ctx, crowd.Name, n, wanted(n), address)
			if err == nil {
				failed.Store(0)
			} else if failed.Add(1) >= givesUpAfter {
				cancel(fmt.Errorf("%d calls in a row could not be made: %w", givesUpAfter, err))
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return fmt.Errorf("make %d calls %q: %w", crowd.Calls, crowd.Name, context.Cause(ctx))
	}
	return nil
}

// make makes one call and records it. An error says that the tool failed.
func (s *Series) make(ctx context.Context, name string, n int, w Wanted, address int) error {
	c, call, at := w.Of.c, w.Call, ""
	if everywhere, ok := w.Of.peer.(Everywhere); ok && everywhere.Everywhere() {
		at = loopbackAddress(address)
		call.URL = strings.Replace(call.URL, "://127.0.0.1:", "://"+at+":", 1)
	}
	call.CorrelationID = c.CorrelationID + numbered(n)
	call.URL += numbered(n)
	call.Item += numbered(n)
	operation := OpCall
	if w.Route == RouteGateway {
		operation = OpGateway
	}
	if call.Principal == "" && w.Route == RouteGateway {
		call.Principal = s.DefaultPrincipal()
	}
	op := name + "-" + strconv.Itoa(n)
	asked := Request{Operation: operation, Principal: call.Principal, Method: call.Method, Path: pathOf(call.URL), Attempt: 1, At: at}
	patience := max(callPatience, s.target.Info.Policy.Client.Total.Std()*5/2)
	limited, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the client under test gave nothing back within %s", patience))
	defer cancel()
	s.rec.Append(Event{Type: Invoke, Case: c.ID, Op: op, Request: &asked})
	_, answer, err := s.carry(limited, s.target.Client, c, w.Route, call)
	done := Event{At: s.run.clock.Since(time.Now()), Case: c.ID, Op: op, Request: &asked}
	outcome := "status " + strconv.Itoa(answer.Status)
	switch {
	case err == nil:
		slim := thin(answer)
		done.Type, done.Answer = OK, &slim
		if answer.Outcome != "" {
			outcome = answer.Outcome + " " + answer.Code
		}
	case errors.Is(err, ErrNotSent):
		done.Type, done.Error, outcome = Failure, err.Error(), err.Error()
	default:
		done.Type, done.Error, outcome = Info, err.Error(), err.Error()
	}
	s.rec.Append(done)
	if !w.Of.proven() {
		w.Of.ended(outcome)
	}
	return err
}

// loopbackAddress returns one of this machine's own addresses, another for each
// number.
func loopbackAddress(n int) string {
	return netip.AddrFrom4([4]byte{127, byte(1 + n>>16), byte(n >> 8), byte(n)}).String()
}

// numbered is how a call's number stands at the end of what names it.
func numbered(n int) string { return "." + strconv.Itoa(n) }

// CallNumber returns the number of the call of a series that made a request with
// that path, or whose operation it is; 0 if it is of none.
func CallNumber(path string) int {
	path, _, _ = strings.Cut(path, "?")
	n, err := strconv.Atoi(path[strings.LastIndexAny(path, ".-/")+1:])
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// thin returns of an answer what a series is judged by.
func thin(a Answer) Answer {
	slim := Answer{Status: a.Status, BodySHA256: a.BodySHA256, BodyBytes: a.BodyBytes, JSON: a.JSON, Code: a.Code, Retryable: a.Retryable, Outcome: a.Outcome}
	if source := a.Header[SourceHeader]; len(source) > 0 {
		slim.Header = map[string][]string{SourceHeader: source}
	}
	return slim
}

// kept returns of an answer what is recorded of it.
func (s *Session) kept(a Answer) *Answer {
	if s.sparse {
		a.Header, a.Body, a.Message = nil, "", ""
	}
	return &a
}

// sparse leaves out of what a peer tells that no series is judged by.
func sparse(e Event) Event {
	if e.Type == CallEvent {
		call := *e.Call
		call.Lines, call.BodySHA256, call.Answers, call.Key, call.Reference, call.CorrelationID = nil, "", "", "", "", ""
		e.Call = &call
	}
	return e
}

// Item returns what names the dependency's case in requests.
func (d *Dependency) Item() string { return Item(d.c) }

// proven reports whether all faults of the dependency were observed already.
func (d *Dependency) proven() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.seen) == len(d.faults())
}
