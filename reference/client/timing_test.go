package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// timed runs one call in virtual time and returns how long it took.
func timed(ctx context.Context, t *testing.T, c *Client, req Request) (time.Duration, Response, *Error) {
	t.Helper()
	start := time.Now()
	resp, err := c.Do(ctx, req)
	var failure *Error
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return time.Since(start), resp, failure
}

// Every row is a clause about time; the clock is virtual, so the bounds are exact
// but for the jitter of a wait.
func TestTimes(t *testing.T) {
	const second = time.Second
	busy := status("503 Busy")
	for name, tc := range map[string]struct {
		answer   func(int, *http.Request, io.Writer) bool
		req      Request
		min, max time.Duration
		sent     int
		code     string // empty: answered
	}{
		"silent, one attempt":              {silent, keyless(), 5 * second, 5 * second, 1, CodeTimeout},
		"silent for ever":                  {silent, get(), 10 * second, 10 * second, 2, CodeTimeout},
		"silent, then an answer":           {steps(silent, always(status("200 OK"))), get(), 5100 * time.Millisecond, 5200 * time.Millisecond, 2, ""},
		"headers, then nothing":            {steps(after(0, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), silent), keyless(), 5 * second, 5 * second, 1, CodeTimeout},
		"503, then no body":                {after(0, "HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\n"), keyless(), 0, 0, 1, CodeUnavailable},
		"a byte a second":                  {trickle("200 OK"), keyless(), 5 * second, 5 * second, 1, CodeTimeout},
		"each attempt has its own limit":   {steps(after(4*second, busy), after(4*second, status("200 OK"))), get(), 8100 * time.Millisecond, 8200 * time.Millisecond, 2, ""},
		"slow, but within the limit":       {after(4500*time.Millisecond, status("200 OK")), get(), 4500 * time.Millisecond, 4500 * time.Millisecond, 1, ""},
		"the total covers the body":        {steps(after(4*second, busy), trickle("200 OK")), get(), 9100 * time.Millisecond, 10 * second, 3, CodeTimeout},
		"the total covers waits":           {always(status("429 Slow", "Retry-After: 60")), get(), 0, 0, 1, CodeUnavailable},
		"the last attempt is clamped":      {steps(after(3*second, busy), after(3*second, busy), silent), get(), 10 * second, 10 * second, 3, CodeTimeout},
		"no attempt without time":          {after(4900*time.Millisecond, busy), get(), 9900 * time.Millisecond, 10 * second, 2, CodeUnavailable},
		"an answer after a wait that fits": {script(status("429 Slow", "Retry-After: 7"), status("200 OK")), get(), 7 * second, 7100 * time.Millisecond, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: tc.answer}
				took, _, failure := timed(t.Context(), t, newClient(t, p), tc.req)
				if took < tc.min || took > tc.max || p.count() != tc.sent {
					t.Errorf("%v and %d requests, want %v to %v and %d", took, p.count(), tc.min, tc.max, tc.sent)
				}
				switch {
				case (failure == nil) != (tc.code == ""):
					t.Errorf("got %v, want %q", failure, tc.code)
				case failure != nil && failure.Code != tc.code:
					t.Errorf("got %s (%v), want %s", failure.Code, failure, tc.code)
				}
				synctest.Wait()
				dials, open := p.held()
				if failure != nil && open != 0 {
					t.Errorf("%d connections are still open after a failed call", open)
				}
				<-time.After(15 * second) // virtual
				if later, _ := p.held(); later != dials || p.count() != tc.sent {
					t.Errorf("after the return there were %d more dials and %d more requests", later-dials, p.count()-tc.sent)
				}
			})
		})
	}
}

func TestHangingConnect(t *testing.T) {
	hang := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	// It connects, and never says hello.
	mute := func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		return near, nil
	}
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){"https://peer/": mute, "http://peer/": hang} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(configured(dialling(dial)))
				took, _, failure := timed(t.Context(), t, c, Request{Method: "GET", URL: name})
				if took < 6300*time.Millisecond || took > 6600*time.Millisecond || failure.Code != CodeUnavailable || failure.Unknown || failure.Attempts != 3 {
					t.Errorf("%v, %+v; want 3 attempts of 2 s, plainly unavailable", took, failure)
				}
				took, _, failure = timed(t.Context(), t, c, Request{Method: "POST", URL: name})
				if took != 2*time.Second || failure.Attempts != 1 || !errors.Is(failure, exchange.ErrTimeLimit) {
					t.Errorf("%v, %+v; want one attempt of 2 s", took, failure)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				took, _, failure = timed(ctx, t, c, Request{Method: "GET", URL: name})
				if took != time.Second || failure.Code != CodeTimeout {
					t.Errorf("%v, %+v; want a timeout after the caller's second", took, failure)
				}
				// What dialled has ended with the calls: synctest fails if not.
			})
		})
	}
}

func TestSlowConnectLeavesTheWholeReadTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: after(4500*time.Millisecond, status(ok))}
		c := newClient(t, p, func(cfg *Config) {
			cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-time.After(1900 * time.Millisecond) // virtual
				return p.dial(ctx, network, addr)
			}
		})
		if took, _, failure := timed(t.Context(), t, c, post()); failure != nil || took != 6400*time.Millisecond {
			t.Fatalf("%v, %v; want an answer after 6.4s", took, failure)
		}
	})
}

func TestCallersDeadlineWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: silent}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if took, _, failure := timed(ctx, t, newClient(t, p), post()); took != 3*time.Second || failure.Code != CodeTimeout {
			t.Fatalf("%v, %+v; want a timeout after 3s", took, failure)
		}
		_, _, failure := timed(ctx, t, newClient(t, p), post())
		if failure.Attempts != 0 || failure.Code != CodeTimeout || !failure.Retryable {
			t.Fatalf("%+v; want no attempt after the deadline", failure)
		}
	})
}

// A timer that fires late must not make a timeout look like something else.
func TestTheClockDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: always(status("503 Busy"))}
		late := func() time.Time { return time.Now().Add(time.Duration(p.count()) * 11 * time.Second) }
		c := newClient(t, p, func(cfg *Config) { cfg.Now = late })
		took, _, failure := timed(t.Context(), t, c, get())
		if failure.Code != CodeTimeout || failure.Attempts != 1 || took != 0 {
			t.Fatalf("%v after %v; want a timeout though no context has ended", failure, took)
		}
	})
}

func TestWaitGrowsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "attempt")
		floor := time.Duration(rapid.Int64Range(0, int64(exchange.Forever)).Draw(t, "floor"))
		p := Defaults().Policy
		step := min(p.Base<<min(n-1, 10), p.Cap)
		got := p.Wait(n, floor)
		if got < step/2 || got < floor || got > max(step, floor+step/2) {
			t.Fatalf("attempt %d with floor %v waits %v, outside [%v, %v]", n, floor, got, max(step/2, floor), max(step, floor+step/2))
		}
	})
}

func TestWaitsDiffer(t *testing.T) {
	for _, asked := range []time.Duration{0, time.Second} {
		waits := map[time.Duration]bool{}
		for range 40 {
			waits[Defaults().Policy.Wait(1, asked)] = true
		}
		if len(waits) < 20 {
			t.Errorf("asked for %v, 40 waits have %d values: callers who failed together return together", asked, len(waits))
		}
	}
}

func TestScaledDividesTimesOnly(t *testing.T) {
	p := Defaults().Policy.Scaled(20)
	if p.Total != 500*time.Millisecond || p.Base != 10*time.Millisecond || p.Attempts != 3 || p.MaxBody != 5<<20 {
		t.Fatalf("got %+v", p)
	}
}
