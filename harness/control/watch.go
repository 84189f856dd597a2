package control

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// defaultLimit bounds one control, its proof included.
const defaultLimit = 30 * time.Second

// Target is what is looked at, from outside, to see whether a control happened.
type Target struct {
	URL       string        // asked with GET and without credentials; any answer will do but 502, 503 and 504
	Further   []string      // the same of its further instances, which have to be seen alike
	UserAgent string        // of these requests
	Limit     time.Duration // for one control, its proof included; 0 is 30 s
	Rate      float64       // requests per second that looking keeps to; 0 is as fast as helps

	silence time.Duration // how long no answer has to come to count as silence; 0 is 1 s
}

// absence is how long no answer has to come where a supervisor names the
// processes that it killed, and will have to name others that it started: it is
// not the silence alone that proves that they are gone.
const absence = 250 * time.Millisecond

// watch looks at a target.
type watch struct {
	Target
	gone time.Duration // the silence of what was killed by name
	asks int           // at once: behind a balancer one answer would speak for one instance only
	wait time.Duration // between two looks
}

func newWatch(t Target) watch {
	if t.Limit == 0 {
		t.Limit = defaultLimit
	}
	gone := t.silence
	if t.silence == 0 {
		t.silence, gone = time.Second, absence
	}
	w := watch{Target: t, gone: gone, asks: 3, wait: 5 * time.Millisecond}
	if t.Rate > 0 {
		w.wait = max(w.wait, time.Duration(float64(w.asks)/t.Rate*float64(time.Second)))
	}
	return w
}

// within bounds one control.
func (w watch) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, w.Limit, fmt.Errorf("it was given up after %v", w.Limit))
}

// kind is how a target looks from outside.
type kind int

const (
	unclear kind = iota // callers met different things, or something that tells nothing
	answering
	refusing // connections are refused or break off, or a gateway says that nobody is there
	silent   // somebody may be there, and no answer came
)

// sight is what a look showed.
type sight struct {
	kind   kind
	detail string
	took   time.Duration
}

// look asks several times at once. What all callers meet alike is told.
func (w watch) look(ctx context.Context, patience time.Duration) sight {
	started := time.Now()
	instances := append([]string{w.URL}, w.Further...)
	seen := make([]sight, max(w.asks, len(instances)))
	var all sync.WaitGroup
	for i := range seen {
		all.Go(func() { seen[i] = w.ask(ctx, instances[i%len(instances)], patience) })
	}
	all.Wait()
	first := seen[0]
	for _, s := range seen[1:] {
		if s.kind != first.kind {
			first = sight{unclear, fmt.Sprintf("of %d requests at once one met: %s; another: %s", len(seen), first.detail, s.detail), 0}
			break
		}
	}
	first.took = time.Since(started)
	return first
}

var errSilence = errors.New("no answer")

func (w watch) ask(ctx context.Context, at string, patience time.Duration) sight {
	limited, cancel := context.WithTimeoutCause(ctx, patience, errSilence)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, at, nil)
	if err != nil {
		return sight{kind: unclear, detail: "its URL is not valid"}
	}
	req.Header.Set("User-Agent", w.UserAgent)
	answer, err := alone().Do(req)
	var untrusted *tls.CertificateVerificationError
	switch {
	case err == nil:
		_ = answer.Body.Close()
		if s := answer.StatusCode; s == http.StatusBadGateway || s == http.StatusServiceUnavailable || s == http.StatusGatewayTimeout {
			return sight{kind: refusing, detail: fmt.Sprintf("status %d", s)}
		}
		return sight{kind: answering, detail: fmt.Sprintf("status %d", answer.StatusCode)}
	case errors.Is(context.Cause(limited), errSilence):
		return sight{kind: silent, detail: fmt.Sprintf("no answer within %v", patience)}
	case errors.As(err, &untrusted): // whom it belongs to does not matter here
		return sight{kind: answering, detail: "a certificate"}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return sight{kind: refusing, detail: reason(ctx, err).Error()}
	}
	return sight{kind: unclear, detail: reason(ctx, err).Error()}
}

// until looks again and again until want is seen or ctx ends.
func (w watch) until(ctx context.Context, patience time.Duration, wanted string, want ...kind) (sight, error) {
	tick := time.NewTicker(w.wait)
	defer tick.Stop()
	for last := "nothing"; ; {
		s := w.look(ctx, patience)
		for _, k := range want {
			if s.kind == k {
				return s, nil
			}
		}
		if ctx.Err() == nil { // else the look was cut short and tells nothing
			last = s.detail
		}
		select {
		case <-ctx.Done():
			return s, fmt.Errorf("%s was not %s: a request there met last: %s (%w)", w.URL, wanted, last, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// patience is how long a request waits for an answer where one is expected.
const patience = 5 * time.Second

// answers makes sure that the target answers before it is disturbed: else its
// silence afterwards would prove nothing. It returns how long silence has to
// last, at least so long as least, to tell it from an answer that is on its way.
func (w watch) answers(ctx context.Context, least time.Duration) (silence time.Duration, err error) {
	s := w.look(ctx, min(patience, w.Limit))
	if s.kind != answering {
		return 0, fmt.Errorf("the target did not answer before it was disturbed: GET %s met: %s; start it, or name a path that it answers in control.alive", w.URL, s.detail)
	}
	return max(least, 10*s.took), nil
}

// again waits until the target answers again.
func (w watch) again(ctx context.Context) (sight, error) {
	return w.until(ctx, patience, "seen to answer again", answering)
}
