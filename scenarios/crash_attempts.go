package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// failingCase is a request whose payment fails for as long as the faults last.
type failingCase struct {
	c      *harness.Case
	faults []*harness.Injected // of the first attempt and of all others
	killed int                 // attempts made when its process was killed
}

// failingFor lets every payment of a case fail. The first failure asks for a pause.
func failingFor(ctx context.Context, s *harness.Session, c *harness.Case, pay operation) (failingCase, error) {
	w := failingCase{c: c}
	for _, exchange := range []int{1, 0} { // what is armed first acts
		action := harness.Action{Name: harness.ActStatus, Status: 429}
		if exchange == 1 {
			action.RetryAfter = betweenAttempts
		}
		f, err := s.Inject(ctx, c, pay.fault(exchange, harness.CutBeforeForward, action))
		if err != nil {
			return w, err
		}
		w.faults = append(w.faults, f)
	}
	return w, nil
}

// made counts the attempts so far.
func (w failingCase) made() int {
	n := 0
	for _, f := range w.faults {
		n += f.Times()
	}
	return n
}

// betweenAttempts is the pause that a failing payment asks for, in seconds: long
// enough to kill the process in it.
const betweenAttempts = "1"

const (
	// takeover bounds how long a service takes to go on with what a dead process
	// left, before somebody asks for it.
	takeover = 8 * time.Second
	// laterAttempt is how long no further attempt has to come for there to be none:
	// longer than any of the pauses before one.
	laterAttempt = 1500 * time.Millisecond
	look         = 20 * time.Millisecond
)

// awaitAttempts waits until the request whose payment fails has made all of its
// attempts. Where nobody goes on with it by himself, its caller asks again.
func awaitAttempts(ctx context.Context, s *harness.Session, w failingCase) error {
	for waited := time.Duration(0); w.made() == w.killed && waited < takeover; waited += look {
		if err := s.Watch(ctx, look); err != nil {
			return err
		}
	}
	if w.made() == w.killed {
		s.Send(ctx, w.c, harness.Attempt{Principal: s.DefaultPrincipal()})
	}
	for last, quiet := w.made(), time.Duration(0); quiet < laterAttempt; quiet += look {
		if err := s.Watch(ctx, look); err != nil {
			return err
		}
		if n := w.made(); n != last {
			last, quiet = n, 0
		}
	}
	s.Note(w.c, check.MarkCounted, "", map[string]int64{"attempts": int64(w.made())})
	return liftAll(ctx, w.faults)
}
