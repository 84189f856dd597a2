package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// checksOut reports whether plain checkouts belong to the positive control: they
// do unless only a client, or a gateway before one, is to be tried.
func checksOut(have []Capability) bool {
	return slices.Contains(have, CapCheckout) || !slices.Contains(have, CapDependency)
}

// ForClient reports whether the scenario needs a client under test, and nothing
// of a target with checkouts or a gateway.
func (s Scenario) ForClient() bool {
	needs := func(c Capability) bool { return slices.Contains(s.Needs, string(c)) }
	return needs(CapDependency) && !needs(CapGateway) && !needs(CapCheckout)
}

// clientCase begins the labels of the control's cases about the client under
// test: "client-shim-plain".
const clientCase = "client-"

// calledClient reports whether a case of the positive control is one of those.
func calledClient(caseID string) bool { return strings.HasPrefix(caseID, ControlID+"/"+clientCase) }

// controlCall is one call of the control, and what the dependency answers.
type controlCall struct {
	label string
	step  Step
}

// controlCalls are the calls that are made on every route. Whatever the client is
// good for, it can carry a plain answer back, and it does not make a success of a
// refusal. How often it sends what is refused is for the clauses to judge.
func controlCalls() []controlCall {
	head := [][2]string{{"Content-Type", "application/json"}}
	return []controlCall{
		{"plain", Step{Status: http.StatusOK, Header: head, Body: controlBody()}},
		{"refused", Step{Status: http.StatusNotFound, Header: head, Body: `{"code":"NOT_FOUND","message":"no such item"}`}},
	}
}

// controlBody is 1 KiB of JSON: an object, since a gateway may look into it.
func controlBody() string {
	const before, after = `{"item":"control","text":"`, `"}`
	return before + strings.Repeat("a", 1<<10-len(before)-len(after)) + after
}

// plainCalls is the part of the positive control that is about the client under
// test, on each route to it. It reports whether all of them could be made.
func (s *Session) plainCalls(ctx context.Context) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, controlLimit, errors.New("the plain calls of the client took longer than "+controlLimit.String()))
	defer cancel()
	for _, route := range s.Routes() {
		for _, call := range controlCalls() {
			c := s.Case(clientCase + string(route) + "-" + call.label)
			if err := s.plainCall(ctx, c, route, call); err != nil {
				s.Note(c, MarkError, err.Error(), nil)
				return false
			}
		}
	}
	return true
}

func (s *Session) plainCall(ctx context.Context, c *Case, route Route, call controlCall) error {
	d, err := s.Dependency(ctx, c, route, Script{Steps: []Step{call.step}})
	if err != nil {
		return err
	}
	r := s.Call(ctx, c, route, ClientCall{Method: http.MethodGet, URL: d.URL() + "/items/" + Item(c)})
	return errors.Join(r.Err, d.Close(ctx))
}

// judgeCalls decides the part of the control that is about the client.
func judgeCalls(h *History) (Verdict, cause) {
	why := cause{offers: h.Header.Capabilities}
	routes := controlRoutes(h.Header)
	if len(routes) == 0 {
		return Undecided("positive control: the client can be called in no way"), why.is(causeCalls)
	}
	seen, ended, problem := map[string]*controlSight{}, false, ""
	for e := range h.Events() {
		why.see(e)
		if e.Type == MarkEvent && e.Case == "" {
			ended = ended || e.Mark.Name == MarkEnd
			if e.Mark.Name == MarkError {
				problem = e.Mark.Detail
			}
		}
		if label, ok := strings.CutPrefix(e.Case, ControlID+"/"+clientCase); ok {
			if seen[label] == nil {
				seen[label] = &controlSight{}
			}
			seen[label].see(e)
		}
	}
	switch {
	case h.Err() != nil:
		return Undecided("positive control: " + h.Err().Error()), why.is(causeHistory)
	case problem != "":
		return Undecided("positive control: " + problem), why.is(causeProblem)
	case !ended:
		return Undecided("positive control: it was not carried out to its end"), why.is(causeHistory)
	}
	var told []string
	for _, route := range routes {
		why.route = route
		for _, call := range controlCalls() {
			sight := seen[string(route)+"-"+call.label]
			if problem := sight.problem(call); problem != "" {
				return Undecided(fmt.Sprintf("positive control: a %s call through the %s: %s", call.label, route, problem)), why.is(causeCalls)
			}
		}
		told = append(told, "through the "+string(route))
	}
	return Passed("the client answers " + strings.Join(told, " and ") + ": a plain call put one request on the wire and came back unchanged, a refused one came back as refused"), why
}

// controlRoutes returns the routes that the control had to try.
func controlRoutes(h Header) []Route {
	var routes []Route
	if h.Client != nil {
		routes = append(routes, RouteShim)
	}
	if h.offers(CapGateway) {
		routes = append(routes, RouteGateway)
	}
	return routes
}

// controlSight is what was seen of one call of the control, from both sides.
type controlSight struct {
	requests []Call // at the dependency
	answer   *Answer
	trouble  string
}

func (s *controlSight) see(e Event) {
	switch {
	case e.Type == CallEvent && e.Call.Link == LinkDependency:
		s.requests = append(s.requests, *e.Call)
	case e.Type == OK:
		s.answer = e.Answer
	case e.Type == MarkEvent && e.Mark.Name == MarkError:
		s.trouble = e.Mark.Detail
	}
}

// problem says what is wrong with what was seen, or "". A nil sight is of a call
// that was not made.
func (s *controlSight) problem(call controlCall) string {
	switch {
	case s == nil:
		return "it was not made"
	case s.trouble != "":
		return s.trouble
	case s.answer == nil:
		return "nothing came back"
	case len(s.requests) == 0:
		return fmt.Sprintf("no request reached the dependency, and what came back was %s", s.answer.outcome())
	}
	if call.step.Status >= 400 {
		if s.answer.Outcome != OutcomeError && s.answer.Status < 400 {
			return fmt.Sprintf("the dependency answered %d, and what came back was %s", call.step.Status, s.answer.outcome())
		}
		return ""
	}
	switch request := s.requests[0]; {
	case len(s.requests) > 1:
		return fmt.Sprintf("the dependency answered the first request with %d, and %d requests reached it", call.step.Status, len(s.requests))
	case s.answer.Outcome != "" || s.answer.Status != call.step.Status:
		return fmt.Sprintf("the dependency answered %d, and what came back was %s", call.step.Status, s.answer.outcome())
	case request.Answers == "" || request.Answers != s.answer.BodySHA256:
		return fmt.Sprintf("the body that came back (%d bytes, SHA-256 %.12s) is not the one that the dependency sent (%d bytes, SHA-256 %.12s)",
			s.answer.BodyBytes, s.answer.BodySHA256, len(call.step.Body), request.Answers)
	}
	return ""
}

// outcome says in short what a client under test returned.
func (a Answer) outcome() string {
	if a.Outcome == "" {
		return fmt.Sprintf("status %d", a.Status)
	}
	text := a.Outcome
	if a.Code != "" {
		text += " " + a.Code
	}
	if a.Message != "" {
		text += " (" + a.Message + ")"
	}
	return text
}
