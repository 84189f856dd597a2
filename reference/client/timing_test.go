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
)

// timed runs one call in virtual time and returns how long it took.
func timed(ctx context.Context, t *testing.T, c *Client) (time.Duration, *Error) {
	t.Helper()
	start := time.Now()
	_, err := c.Do(ctx, post())
	var failure *Error
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return time.Since(start), failure
}

func TestSilentPeerEndsAtTheTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: silent}
		took, failure := timed(t.Context(), t, newClient(t, p))
		if took != 10*time.Second || p.count() != 2 || !failure.Timeout || !failure.Unknown {
			t.Fatalf("%v, %d requests, %+v; want 10s, 2 and a timeout of unknown outcome", took, p.count(), failure)
		}
	})
}

func TestHangingConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		took, failure := timed(t.Context(), t, New(Config{Dial: hang}))
		if took < 6300*time.Millisecond || took > 6600*time.Millisecond || failure.Timeout || failure.Unknown || failure.Attempts != 3 {
			t.Fatalf("%v, %+v; want 3 attempts of 2 s, plainly unavailable", took, failure)
		}
	})
}

func TestReadLimitCoversTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: func(_ int, _ *http.Request, w io.Writer) bool {
			_, err := io.WriteString(w, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n")
			for err == nil {
				<-time.After(time.Second) // virtual: a peer that trickles
				_, err = io.WriteString(w, "x")
			}
			return false
		}}
		once := DefaultPolicy()
		once.Attempts = 1
		took, failure := timed(t.Context(), t, newClient(t, p, func(c *Config) { c.Policy = once }))
		if took != 5*time.Second || !failure.Timeout {
			t.Fatalf("%v, %+v; want a timeout after 5s", took, failure)
		}
		<-time.After(2 * time.Second) // virtual: the peer notices
	})
}

func TestSlowConnectLeavesTheWholeReadTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: func(_ int, _ *http.Request, w io.Writer) bool {
			<-time.After(4500 * time.Millisecond) // virtual
			_, err := io.WriteString(w, status(ok))
			return err == nil
		}}
		c := newClient(t, p, func(cfg *Config) {
			cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-time.After(1900 * time.Millisecond) // virtual
				return p.dial(ctx, network, addr)
			}
		})
		if took, failure := timed(t.Context(), t, c); failure != nil || took != 6400*time.Millisecond {
			t.Fatalf("%v, %v; want an answer after 6.4s", took, failure)
		}
	})
}

func TestRetryAfterIsAFloor(t *testing.T) {
	for name, tc := range map[string]struct {
		value    string
		min, max time.Duration
		attempts int
	}{
		"seconds":           {"3", 3 * time.Second, 3300 * time.Millisecond, 2},
		"shorter than ours": {"0", 100 * time.Millisecond, 200 * time.Millisecond, 2},
		"garbage":           {"soon", 100 * time.Millisecond, 200 * time.Millisecond, 2},
		"beyond the budget": {"60", 0, 0, 1},
		"absurd":            {"99999999999999999999999", 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: script(status("503 Busy", "Retry-After: "+tc.value), status(ok))}
				took, _ := timed(t.Context(), t, newClient(t, p))
				if took < tc.min || took > tc.max || p.count() != tc.attempts {
					t.Fatalf("%v and %d requests, want %v to %v and %d", took, p.count(), tc.min, tc.max, tc.attempts)
				}
			})
		})
	}
}

func TestCallersDeadlineWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: silent}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if took, failure := timed(ctx, t, newClient(t, p)); took != 3*time.Second || !failure.Timeout {
			t.Fatalf("%v, %+v; want a timeout after 3s", took, failure)
		}
		if _, failure := timed(ctx, t, newClient(t, p)); failure.Attempts != 0 || !failure.Timeout {
			t.Fatalf("%+v; want no attempt after the deadline", failure)
		}
	})
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 8, 8, 49, 30, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "x": 0,
		"9223372036854775807": forever, "99999999999999999999": forever,
		"Sun, 08 Nov 2026 08:49:37 GMT":  7 * time.Second,
		"Sunday, 08-Nov-26 08:49:37 GMT": 7 * time.Second,
		"Sun Nov  8 08:49:37 2026":       7 * time.Second,
		"Sun, 08 Nov 2025 08:49:37 GMT":  0,
	} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "Sun, 08 Nov 2026 08:49:37 GMT", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if got := parseRetryAfter(value, time.Unix(0, 0)); got < 0 || got > forever {
			t.Fatalf("%q: %v is outside 0 to %v", value, got, forever)
		}
	})
}

func TestWaitGrowsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "attempt")
		floor := time.Duration(rapid.Int64Range(0, int64(forever)).Draw(t, "floor"))
		p := DefaultPolicy()
		step := min(p.Base<<min(n-1, 10), p.Cap)
		got := p.wait(n, floor)
		if got < step/2 || got < floor || got > max(step, floor+step/2) {
			t.Fatalf("attempt %d with floor %v waits %v, outside [%v, %v]", n, floor, got, max(step/2, floor), max(step, floor+step/2))
		}
	})
}

func TestScaledDividesTimesOnly(t *testing.T) {
	p := DefaultPolicy().Scaled(20)
	if p.Total != 500*time.Millisecond || p.Base != 10*time.Millisecond || p.Attempts != 3 || p.MaxBody != 1<<20 {
		t.Fatalf("got %+v", p)
	}
}
