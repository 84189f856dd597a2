package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// preflight tries, once the plain checkouts succeeded, what the profile claims
// besides them: its principals, and what no scenario of the run would try.
// Known is the request id of an existing checkout.
func (s *Session) preflight(ctx context.Context, known string, elsewhere func(Capability) bool) error {
	limited, cancel := context.WithTimeoutCause(ctx, preflightLimit, errPreflightLimit)
	defer cancel()
	if checksOut(s.target.Info.Capabilities) {
		s.tryPrincipals(limited, known)
	}
	return s.tryClaims(limited, known, elsewhere)
}

const (
	preflightLimit = 30 * time.Second // for all principals and claims together
	preflightJobs  = 4
)

var errPreflightLimit = errors.New("trying what the profile claims took longer than " + preflightLimit.String())

// errUnusable marks the error of a request that was not sent because its
// principal is known not to work.
var errUnusable = errors.New("its principal does not work")

// tryPrincipals lets every principal but the first customer, who made the plain
// checkouts, do one thing: a customer a plain checkout, who has a role a status
// read. A scenario that compares what two customers get must not mistake an
// expired token for a verdict of the target.
func (s *Session) tryPrincipals(ctx context.Context, known string) {
	var others []Principal
	for _, p := range s.target.Info.Principals {
		if p.Name != s.DefaultPrincipal() {
			others = append(others, p)
		}
	}
	_ = parallelLimit(preflightJobs, len(others), func(i int) error { // what went wrong is in the marks
		p := others[i]
		c := s.Case(principalCase + p.Name)
		problem, shown := "", "a plain checkout of its own succeeded"
		switch {
		case len(p.Roles) == 0:
			problem = s.tryCheckout(ctx, c, p.Name)
		case s.target.Info.offers(CapStatus):
			problem, shown = s.tryStatus(ctx, c, p.Name, known), "a status read was let in"
		default:
			return nil // nothing that it could be used for
		}
		if problem == "" {
			s.Note(c, markPrincipalWorks, shown, nil)
		} else {
			s.Note(c, markPrincipalUnusable, problem, nil)
		}
		return nil
	})
}

// tryCheckout makes a plain checkout and says what was wrong with it, or "".
func (s *Session) tryCheckout(ctx context.Context, c *Case, name string) string {
	a := Attempt{Principal: name}
	r := s.Send(ctx, c, a)
	if r.Err == nil && !r.terminal() {
		r = s.Converge(ctx, c, a)
	}
	switch {
	case r.Err != nil:
		return "a plain checkout got no answer: " + r.Err.Error()
	case r.Class == ClassSuccess:
		return ""
	case refusesCredentials(r.Answer):
		return "it cannot authenticate: a plain checkout was answered " + r.describe()
	}
	return "it cannot make a plain checkout: the answer was " + r.describe()
}

// tryStatus reads an existing checkout and, where that is forbidden, one that
// does not exist: only who is refused everywhere has credentials that do not
// work, and what a role may read is for the clauses to say.
func (s *Session) tryStatus(ctx context.Context, c *Case, name, known string) string {
	var last Result
	for _, id := range []string{known, s.unique("request", name)} {
		last = s.Send(ctx, c, Attempt{Operation: OpStatus, Principal: name, Vars: map[string]any{"requestId": id}})
		if last.Err != nil {
			return "a status read got no answer: " + last.Err.Error()
		}
		if !refusesCredentials(last.Answer) {
			return ""
		}
		if last.Answer.Status == http.StatusUnauthorized {
			break
		}
	}
	return "it cannot authenticate: a status read was answered " + last.describe()
}

func refusesCredentials(a Answer) bool {
	return a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden
}

// offers reports whether the target declares the capability.
func (t TargetInfo) offers(c Capability) bool { return Header{Capabilities: t.Capabilities}.offers(c) }

// unusablePrincipals returns why each principal that does not work does not.
func unusablePrincipals(h *History) map[string]string {
	unusable := map[string]string{}
	for _, c := range JudgePrincipals(h) {
		if !c.Works {
			unusable[c.Name] = c.Reason
		}
	}
	return unusable
}

// usable returns the error with which a request of a principal that does not
// work is held back, and records it: the scenario that needs it is not decided.
// Nothing is sent, so that no answer to it can be taken for the target's verdict.
func (s *Session) usable(c *Case, principal string) error {
	reason, bad := s.run.unusable[principal]
	if !bad {
		return nil
	}
	s.mu.Lock()
	first := !s.helpless[principal]
	s.helpless[principal] = true
	s.mu.Unlock()
	if first {
		s.Note(c, MarkError, fmt.Sprintf("principal %s is of no use: %s (oncecheck doctor shows more)", principal, reason), nil)
	}
	return fmt.Errorf("%w: %w: %s", ErrNotSent, errUnusable, reason)
}
