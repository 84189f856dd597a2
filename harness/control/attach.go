package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// requestLimit bounds one request about a lease.
const requestLimit = 10 * time.Second

// ErrHeld marks the error of [Attach] when another run holds the target.
var ErrHeld = errors.New("another run holds its dependencies")

// Attachment is a lease under which the target's dependencies point at us.
type Attachment struct {
	// Upstream is where each dependency's calls are to be forwarded to.
	Upstream map[string]string

	url    string // of the lease
	length time.Duration
	stop   context.CancelFunc
	ended  chan struct{} // closed when the renewing goroutine has ended
	lost   chan struct{} // closed when the lease ended before it was released
	err    error         // why; written before lost is closed

	release    sync.Once
	releaseErr error
}

// Attach points the named dependencies of the target at the given URLs, by the
// supervisor at attachURL, and keeps the lease of that length alive until
// Release. The lease outlives ctx, which bounds the request only: faults are
// lifted after a run was interrupted, and that needs the links. Where another
// run holds the target, the error wraps [ErrHeld].
func Attach(ctx context.Context, attachURL string, dependencies map[string]string, lease time.Duration) (*Attachment, error) {
	attachURL = strings.TrimRight(attachURL, "/")
	failed := func(err error) (*Attachment, error) {
		return nil, fmt.Errorf("attach %s through %s: %w", strings.Join(slices.Sorted(maps.Keys(dependencies)), ", "), attachURL, err)
	}
	if lease < 3*time.Millisecond {
		return failed(fmt.Errorf("a lease of %v is too short to be renewed in time", lease))
	}
	limited, cancel := context.WithTimeoutCause(ctx, requestLimit, fmt.Errorf("no answer within %v", requestLimit))
	defer cancel()
	var answer struct {
		Lease    string
		Upstream map[string]string
	}
	asked := time.Now() // the lease may count from here, not from the answer
	err := call(limited, http.MethodPost, attachURL, map[string]any{"dependencies": dependencies, "leaseMs": lease.Milliseconds()}, &answer)
	switch {
	case refusedWith(err, http.StatusConflict):
		return failed(fmt.Errorf("%w; wait until it has ended, or until its lease expires (%w)", ErrHeld, err))
	case err != nil:
		return failed(err)
	case answer.Lease == "":
		return failed(errors.New("the supervisor names no lease, so it could not be ended; it reverts by itself"))
	}
	a := &Attachment{Upstream: answer.Upstream, url: attachURL + "/" + url.PathEscape(answer.Lease), length: lease,
		ended: make(chan struct{}), lost: make(chan struct{})}
	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.stop = stop
	go a.keep(alive, asked)
	if err := usable(dependencies, answer.Upstream); err != nil {
		if ending := a.Release(context.WithoutCancel(ctx)); ending != nil {
			err = fmt.Errorf("%w; %w", err, ending)
		}
		return failed(err)
	}
	return a, nil
}

// usable checks that every attached dependency has somewhere to go on to.
func usable(dependencies, upstream map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(dependencies)) {
		u, err := url.Parse(upstream[name])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("the supervisor names no upstream URL for %s, so its calls could not be forwarded", name)
		}
	}
	return nil
}

// Lost is closed if the lease ended before Release. From then on the target's
// calls may pass our links by.
func (a *Attachment) Lost() <-chan struct{} { return a.lost }

// Err says why the lease was lost, or is nil.
func (a *Attachment) Err() error {
	select {
	case <-a.lost:
		return a.err
	default:
		return nil
	}
}

// Release ends the lease, so that the target calls its own dependencies again,
// and stops renewing it. Later calls return what the first did. A lease that was
// lost before is an error.
func (a *Attachment) Release(ctx context.Context) error {
	a.release.Do(func() {
		a.stop()
		<-a.ended
		ctx, cancel := context.WithTimeoutCause(ctx, requestLimit, fmt.Errorf("no answer within %v", requestLimit))
		defer cancel()
		err := call(ctx, http.MethodDelete, a.url, struct{}{}, nil)
		switch {
		case a.Err() != nil:
			a.releaseErr = a.Err()
		case refusedWith(err, http.StatusNotFound):
			a.releaseErr = fmt.Errorf("release %s: the lease had ended before, so calls may have passed by unseen: %w", a.url, err)
		case err != nil:
			a.releaseErr = fmt.Errorf("release %s: %w; it reverts by itself within %v", a.url, err, a.length)
		}
	})
	return a.releaseErr
}
