package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Crash makes the processes of a supervisor die at the points that it knows.
type Crash struct {
	remote *Remote
	points []string

	mu     sync.Mutex
	deaths int // before the crash was armed
}

var _ harness.Crasher = (*Crash)(nil)

// CrashBy returns the crashes that the supervisor at url, the profile's
// control.http, offers at the points.
func CrashBy(url string, points []string, t Target) *Crash {
	return &Crash{remote: HTTP(url, t), points: points}
}

// crashState is what the supervisor says of crashes.
type crashState struct {
	Points []string `json:"points"`
	Armed  string   `json:"armed"`
	Deaths int      `json:"deaths"`
}

// Points implements [harness.Crasher].
func (c *Crash) Points() []string { return c.points }

// Arm implements [harness.Crasher].
func (c *Crash) Arm(ctx context.Context, point, correlationID string, lease time.Duration) (string, error) {
	ctx, cancel := c.remote.watch.within(ctx)
	defer cancel()
	var is crashState
	order := map[string]any{"point": point, "leaseMs": lease.Milliseconds()}
	if correlationID != "" {
		order["correlationId"] = correlationID
	}
	if err := call(ctx, http.MethodPut, c.url(), order, &is); err != nil {
		return "", fmt.Errorf("PUT %s: %w", c.url(), err)
	}
	switch {
	case is.Armed != point:
		return "", fmt.Errorf("the crash was armed at %s, and the supervisor says %q", point, is.Armed)
	case !slices.Contains(is.Points, point):
		return "", fmt.Errorf("the supervisor knows no point %q, only %q; correct control.crash.points", point, is.Points)
	}
	c.mu.Lock()
	c.deaths = is.Deaths
	c.mu.Unlock()
	return fmt.Sprintf("a process will die at %s; %d died before", point, is.Deaths), nil
}

// Died implements [harness.Crasher]. The target is restarted as a whole: then
// nobody waits for a supervisor that lets a process which keeps dying rest.
func (c *Crash) Died(ctx context.Context) (string, error) {
	ctx, cancel := c.remote.watch.within(ctx)
	defer cancel()
	c.mu.Lock()
	before := c.deaths
	c.mu.Unlock()
	tick := time.NewTicker(c.remote.watch.wait)
	defer tick.Stop()
	for deaths := before; deaths == before; {
		is, err := c.read(ctx)
		if err == nil {
			deaths = is.Deaths
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", errors.Join(fmt.Errorf("no process died at the point: %d had died before and %d now", before, deaths), err, context.Cause(ctx))
		}
	}
	var answer struct{ Started []int }
	err := c.remote.ask(ctx, "restart", nil, &answer)
	if err == nil {
		err = named("started", answer.Started)
	}
	var seen sight
	if err == nil {
		seen, err = c.remote.watch.again(ctx)
	}
	if err != nil {
		return "", c.remote.through("bring the target back", err)
	}
	return fmt.Sprintf("a process died at the point, processes %v were started; the target answers: %s", answer.Started, seen.detail), nil
}

// Disarm implements [harness.Crasher].
func (c *Crash) Disarm(ctx context.Context) (string, error) {
	ctx, cancel := c.remote.watch.within(ctx)
	defer cancel()
	var is crashState
	if err := call(ctx, http.MethodDelete, c.url(), nil, &is); err != nil {
		return "", fmt.Errorf("DELETE %s: %w", c.url(), err)
	}
	if is.Armed != "" {
		return "", fmt.Errorf("the crash was disarmed, and the supervisor says that it is armed at %q", is.Armed)
	}
	return fmt.Sprintf("no crash is armed; %d processes have died", is.Deaths), nil
}

func (c *Crash) read(ctx context.Context) (is crashState, err error) {
	err = call(ctx, http.MethodGet, c.url(), nil, &is)
	return is, err
}

func (c *Crash) url() string { return c.remote.url + "/crash" }
