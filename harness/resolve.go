package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// attemptKey identifies what a server must treat as one request: the same
// operation, key and body of one principal.
type attemptKey struct{ caseID, principal, operation, key, body string }

// pendingAttempt is the latest attempt of such a request.
type pendingAttempt struct {
	c        *Case
	attempt  Attempt
	sent     bool // some attempt may have reached the target
	resolved bool
	won      bool // some attempt succeeded
}

// track remembers the outcome of a keyed attempt. Once any answer for it was
// terminal, nothing later makes it unknown again.
func (s *Session) track(c *Case, a Attempt, sent Request, r Result, invoke int64) {
	if a.Operation == OpStatus || len(a.Keys) > 1 {
		return
	}
	k := attemptKey{c.ID, a.Principal, a.Operation, "", sent.BodySHA256}
	if len(a.Keys) == 1 {
		k.key = a.Keys[0]
	} else {
		k.key = fmt.Sprintf("keyless at %d", invoke)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[k]
	if p == nil {
		p = &pendingAttempt{c: c}
		s.pending[k] = p
		s.order = append(s.order, k)
	}
	a.Ready, a.Release, a.Via, a.Half = nil, nil, "", false
	p.attempt = a
	p.sent = p.sent || !isNotSent(r.Err)
	p.resolved = p.resolved || r.terminal()
	p.won = p.won || r.Err == nil && r.Class == ClassSuccess
}

// classify sorts an answer. Where the dialect gives a mismatch and a request in
// progress the same answer, it is a mismatch once another body under the key has
// its terminal answer: nothing is in progress any more. Where no code tells a request
// in progress from what else the status may mean, it is a refusal once the same was
// bought under another key.
func (s *Session) classify(c *Case, a Attempt, sent Request, answer Answer) Class {
	d := s.target.Info.Dialect
	class := d.Classify(answer)
	if class != ClassInProgress || len(a.Keys) != 1 {
		return class
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, p := range s.pending {
		if k.caseID != c.ID || k.principal != a.Principal || k.operation != a.Operation {
			continue
		}
		sameKey, sameBody := k.key == a.Keys[0], k.body == sent.BodySHA256
		switch {
		case sameKey && !sameBody && p.resolved && d.Ambiguous(answer):
			return ClassMismatch
		case !sameKey && sameBody && p.won && d.InProgress.Code == "":
			return ClassRefused
		}
	}
	return class
}

// outOfTime reports whether ctx has ended. The clock decides about its deadline: a dial
// that has the same one may end a moment before ctx says so.
func outOfTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// terminal reports whether r leaves nothing to find out.
func (r Result) terminal() bool { return r.Err == nil && r.Class.Terminal() }

// resolve repeats every keyed request whose outcome is unknown or unfinished
// until it is terminal or the time is over; what stays open is recorded.
func (s *Session) resolve(ctx context.Context) {
	limit := s.target.Info.Policy.Client.Total.Std() + 5*time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s.mu.Lock()
	var open []*pendingAttempt
	for _, k := range s.order {
		// A request that was never sent has no outcome.
		if p := s.pending[k]; p.sent && !p.resolved {
			open = append(open, p)
		}
	}
	left := s.leftOpen
	s.mu.Unlock()
	open = slices.DeleteFunc(open, func(p *pendingAttempt) bool {
		why, leave := left[p.c]
		if leave {
			s.Note(p.c, MarkPending, why, nil)
		}
		return leave
	})
	_ = Parallel(len(open), func(i int) error {
		p := open[i]
		if len(p.attempt.Keys) == 0 {
			s.Note(p.c, MarkPending, "a request without a key cannot be repeated: its outcome stayed unknown", nil)
			return nil
		}
		last := s.Converge(ctx, p.c, p.attempt)
		switch {
		case errors.Is(last.Err, ErrWithheld):
			s.Note(p.c, MarkPending, fmt.Sprintf("%s with key %s could not be repeated: %s", p.attempt.Operation, p.attempt.Keys[0], last.describe()), nil)
		case isNotSent(last.Err):
			s.Note(p.c, MarkError, "the target could not be asked any more: "+last.describe(), nil)
		case !last.terminal():
			if last.waited > s.lateness() {
				s.withheld(p.c, fmt.Sprintf("%s of the time to resolve an outcome went into waiting for the run's limits; raise limits.rate or limits.concurrency", last.waited.Round(time.Millisecond)))
			}
			s.Note(p.c, MarkPending, fmt.Sprintf("%s with key %s was still open after %s: %s", p.attempt.Operation, p.attempt.Keys[0], limit, last.describe()), nil)
		}
		return nil
	})
}

func (r Result) describe() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprintf("status %d %s", r.Answer.Status, r.Answer.Code)
}

// Converge repeats the attempt, waiting as long as the answer asks for (at most
// 2 s at a time), until the answer is terminal or ctx ends, and returns the last
// result. The attempts are recorded as final.
func (s *Session) Converge(ctx context.Context, c *Case, a Attempt) Result {
	a.Ready, a.Release = nil, nil
	pause, waited := 50*time.Millisecond, time.Duration(0)
	var before Result
	for {
		r := s.send(ctx, c, a, true)
		if outOfTime(ctx) && isNotSent(r.Err) && before.Op != "" {
			return before // out of time before it was sent: the last answer stands
		}
		before = r
		waited += r.waited
		r.waited = waited
		if r.terminal() || errors.Is(r.Err, ErrWithheld) {
			return r
		}
		wait := pause
		if n, err := strconv.Atoi(r.Answer.RetryAfter); err == nil && n > 0 {
			wait = max(wait, time.Duration(n)*time.Second)
		}
		timer := time.NewTimer(min(wait, 2*time.Second))
		select {
		case <-ctx.Done():
			timer.Stop()
			return r
		case <-timer.C:
		}
		pause = min(2*pause, time.Second)
	}
}
