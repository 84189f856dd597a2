package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Routes returns the ways by which the client under test can be made to call.
func (s *Session) Routes() []Route {
	var routes []Route
	if s.target.Client != nil && s.target.Peers[RouteShim] != nil {
		routes = append(routes, RouteShim)
	}
	if s.target.Info.offers(CapGateway) && s.target.Peers[RouteGateway] != nil {
		routes = append(routes, RouteGateway)
	}
	return routes
}

// Call has the client under test make one call for the case, and records the
// question and what the client returned. The case's correlation id is sent
// unless the call brings its own or asks for none with "-".
func (s *Session) Call(ctx context.Context, c *Case, route Route, call ClientCall) Result {
	return s.callBy(ctx, s.target.Client, c, route, call)
}

// callBy has one of the clients make the call, where the route is that of a shim.
func (s *Session) callBy(ctx context.Context, by Client, c *Case, route Route, call ClientCall) Result {
	if call.CorrelationID == "" {
		call.CorrelationID = c.CorrelationID
	}
	if call.CorrelationID == "-" {
		call.CorrelationID = ""
	}
	switch call.Principal {
	case "":
		call.Principal = s.DefaultPrincipal()
	case NoPrincipal:
		call.Principal = ""
	}
	s.mu.Lock()
	if call.CorrelationID != "" {
		s.asked[call.CorrelationID] = c.ID
	}
	s.lastOp++
	op := fmt.Sprintf("op-%d", s.lastOp)
	s.mu.Unlock()
	c.mu.Lock()
	c.attempts++
	number := c.attempts
	c.mu.Unlock()
	operation := OpCall
	if route == RouteGateway {
		operation = OpGateway
	}
	intent := Request{Operation: operation, Principal: call.Principal, Method: call.Method, Path: pathOf(call.URL), Keys: keyLines(call.Key),
		CorrelationID: call.CorrelationID, Attempt: number}
	s.rec.Append(Event{Type: Invoke, Case: c.ID, Op: op, Request: &intent})
	patience := max(callPatience, s.target.Info.Policy.Client.Total.Std()*5/2)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the client under test gave nothing back within %s", patience))
	defer cancel()
	sent, answer, err := Request{}, Answer{}, s.mayCall(c, route)
	if err == nil {
		sent, answer, err = s.carry(ctx, by, c, route, call)
	}
	sent.Operation, sent.Principal, sent.Keys, sent.Attempt, sent.CorrelationID = operation, call.Principal, intent.Keys, number, call.CorrelationID
	if sent.Method == "" {
		sent.Method, sent.Path = intent.Method, intent.Path
	}
	r := Result{Op: op, Answer: answer, Err: err}
	done := Event{Case: c.ID, Op: op, Request: &sent}
	outcome := "status " + fmt.Sprint(answer.Status)
	switch {
	case err == nil:
		done.Type, done.Answer = OK, &answer
		if answer.Outcome != "" {
			outcome = answer.Outcome + " " + answer.Code
		}
	case errors.Is(err, ErrNotSent):
		done.Type, done.Error, outcome = Failure, err.Error(), err.Error()
	default:
		done.Type, done.Error, outcome = Info, err.Error(), err.Error()
	}
	r.Seq = s.rec.Append(done)
	for _, d := range s.dependenciesOf(c) {
		d.ended(outcome)
	}
	return r
}

// callPatience is how long the harness waits for a client that has lost its own
// limits, unless they are longer than usual.
const callPatience = 25 * time.Second

// carry makes the call on its route.
func (s *Session) carry(ctx context.Context, by Client, c *Case, route Route, call ClientCall) (Request, Answer, error) {
	if route == RouteShim {
		return by.Call(ctx, call)
	}
	if call.CancelAfter != 0 {
		if call.CancelAfter < 0 {
			return Request{}, Answer{}, fmt.Errorf("%w: cancelled before it began", ErrNotSent)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, call.CancelAfter, errors.New("the caller cancelled"))
		defer cancel()
	}
	a := Attempt{Operation: OpGateway, Principal: call.Principal, CorrelationID: call.CorrelationID, CaseID: c.ID, RunID: s.run.id,
		Vars: map[string]any{"sku": Item(c) + call.Item}, Query: call.Query, Set: call.Set, Header: map[string]string{}, Keys: keyLines(call.Key)}
	for _, line := range call.Header {
		a.Header[line[0]] = line[1]
	}
	if call.Method != "" && call.Method != "GET" {
		a.Variant = GatewayWrite
	}
	return s.target.Sender.Send(ctx, a)
}

// GatewayWrite is the variant of the gateway's operation that changes something.
const GatewayWrite = "write"

// Item returns the item of a gateway's resource that belongs to the case alone:
// the peer knows by it whose request it is.
func Item(c *Case) string { return "sku-" + c.Cart }

func keyLines(key string) []string {
	if key == "" {
		return []string{}
	}
	return []string{key}
}

// pathOf returns the path of a URL, without asking whether it is one.
func pathOf(url string) string {
	slashes := 0
	for i, r := range url {
		if r == '/' {
			if slashes++; slashes == 3 {
				return url[i:]
			}
		}
	}
	return "/"
}

// MarkWatchedPeer says that the peer of a case was watched until then: what the
// client under test did before is in the history.
const MarkWatchedPeer = "watched-peer"

// Watch waits for d, while peers go on recording what the client under test
// still does.
func (s *Session) Watch(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("watch for %s: %w", d, context.Cause(ctx))
	}
}
