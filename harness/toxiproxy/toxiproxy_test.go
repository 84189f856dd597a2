package toxiproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"go.uber.org/goleak"
)

// The external toxiproxy is spoken to with http.DefaultTransport, whose idle
// connections are closed by the tests that open them.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ledger is an upstream that commits each request before it answers.
type ledger struct {
	*httptest.Server
	committed atomic.Int64
	answer    string
	gate      chan struct{} // if not nil, holds answers back until closed
}

func newLedger(t *testing.T, answer string) *ledger {
	l := &ledger{answer: answer}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		l.committed.Add(1)
		if l.gate != nil {
			<-l.gate
		}
		_, _ = io.WriteString(w, l.answer)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) addr() string { return l.Listener.Addr().String() }

// post sends one request on a connection of its own.
func post(ctx context.Context, addr string) (string, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	body := io.NopCloser(strings.NewReader("{}")) // no GetBody: the transport must not repeat it
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+"/", body)
	if err != nil {
		return "", err
	}
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func fault(t *testing.T, text string) harness.Fault {
	t.Helper()
	f, err := harness.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func inject(t *testing.T, i *Injector, text string) harness.Injection {
	t.Helper()
	j, err := i.Inject(t.Context(), fault(t, text), "case")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func embed(t *testing.T, l *ledger) *Injector {
	t.Helper()
	i, err := Embedded(map[string]string{"client": l.addr()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

func lift(t *testing.T, j harness.Injection) {
	t.Helper()
	if err := j.Lift(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func fired(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// injectors runs a test against both kinds of toxiproxy.
func injectors(t *testing.T, test func(t *testing.T, open func(*testing.T, *ledger) *Injector)) {
	t.Run("embedded", func(t *testing.T) { test(t, embed) })
	t.Run("external", func(t *testing.T) {
		server := newEmbedded()
		api := httptest.NewServer(server.api.Routes())
		t.Cleanup(func() {
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
			api.Close()
			if n := len(server.api.Collection.Proxies()); n != 0 {
				t.Errorf("%d proxies are left in the external toxiproxy", n)
			}
		})
		test(t, func(t *testing.T, l *ledger) *Injector {
			i, err := External(t.Context(), api.URL, map[string]string{"client": l.addr()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := i.Close(); err != nil {
					t.Error(err)
				}
			})
			return i
		})
	})
}

// Both sides: the upstream committed, the caller met RST before any answer.
func TestResetIsAfterTheCommit(t *testing.T) {
	injectors(t, func(t *testing.T, open func(*testing.T, *ledger) *Injector) {
		for _, text := range []string{"client:tcp:reset", "client:tcp:reset(30ms)"} {
			for name, answer := range map[string]string{"small": "done", "large": strings.Repeat("x", 1<<20)} {
				t.Run(text+" "+name, func(t *testing.T) {
					l := newLedger(t, answer)
					j := inject(t, open(t, l), text)
					if j.Fired() != 0 || fired(j.FiredC()) {
						t.Error("it fired before anything came")
					}
					began := time.Now()
					body, err := post(t.Context(), j.Via())
					if !errors.Is(err, syscall.ECONNRESET) || body != "" {
						t.Errorf("the caller met %q, %v", body, err)
					}
					if d := fault(t, text).Action.Delay.Std(); time.Since(began) < d {
						t.Errorf("the reset came before %s", d)
					}
					lift(t, j)
					if l.committed.Load() != 1 || j.Fired() != 1 || !fired(j.FiredC()) {
						t.Errorf("committed %d, fired %d", l.committed.Load(), j.Fired())
					}
					lift(t, j)
				})
			}
		}
	})
}

func TestLatencyDelaysTheAnswer(t *testing.T) {
	injectors(t, func(t *testing.T, open func(*testing.T, *ledger) *Injector) {
		l := newLedger(t, "done")
		j := inject(t, open(t, l), "client:tcp:latency(50ms)")
		began := time.Now()
		body, err := post(t.Context(), j.Via())
		if took := time.Since(began); body != "done" || err != nil || took < 50*time.Millisecond {
			t.Errorf("the caller met %q, %v after %s", body, err, took)
		}
		lift(t, j)
		if l.committed.Load() != 1 || j.Fired() != 1 || !fired(j.FiredC()) {
			t.Errorf("committed %d, fired %d", l.committed.Load(), j.Fired())
		}
	})
}

func TestLiftReleasesDelayedBytes(t *testing.T) {
	l := newLedger(t, "done")
	j := inject(t, embed(t, l), "client:tcp:latency(1h)")
	got := make(chan string, 1)
	go func() {
		body, err := post(t.Context(), j.Via())
		got <- fmt.Sprint(body, err)
	}()
	<-j.FiredC()
	lift(t, j)
	if text := <-got; text != "done<nil>" {
		t.Errorf("the caller met %s", text)
	}
	if j.Fired() != 1 {
		t.Errorf("fired %d", j.Fired())
	}
}

// A fault that met nobody has not fired, and a lifted one meets nobody.
func TestNothingFiresWithoutAConnection(t *testing.T) {
	for _, text := range []string{"client:tcp:reset", "client:tcp:latency(1h)"} {
		l := newLedger(t, "done")
		j := inject(t, embed(t, l), text)
		lift(t, j)
		if body, err := post(t.Context(), j.Via()); body != "done" || err != nil {
			t.Errorf("%s lifted: %q %v", text, body, err)
		}
		if j.Fired() != 0 || fired(j.FiredC()) {
			t.Errorf("%s: fired %d", text, j.Fired())
		}
	}
}

// A caller that connects but gets no answer, or leaves before the reset, did
// not meet it.
func TestACallerThatLeavesFirstDoesNotCount(t *testing.T) {
	l := newLedger(t, "done")
	l.gate = make(chan struct{})
	i := embed(t, l)
	j := inject(t, i, "client:tcp:reset")
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { _, err := post(ctx, j.Via()); left <- err }()
	poll(t, func() bool { return l.committed.Load() == 1 })
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	poll(t, func() bool { // until the relay noticed
		i.mu.Lock()
		defer i.mu.Unlock()
		return i.lanes[0].passing == 0
	})
	close(l.gate)
	lift(t, j)
	if j.Fired() != 0 {
		t.Errorf("fired %d", j.Fired())
	}
}

// An answer that is about to enter the toxic may still pass it by if that is lifted
// first, and then nothing has fired: until one was in time, the next is tried.
func TestLiftGivesUpOnAResetThatWaits(t *testing.T) {
	l := newLedger(t, "done")
	i := embed(t, l)
	poll(t, func() bool {
		j := inject(t, i, "client:tcp:reset(300ms)")
		got := make(chan error, 1)
		go func() { _, err := post(t.Context(), j.Via()); got <- err }()
		poll(t, func() bool {
			k := j.(*injection)
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.inHand == 1
		})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := j.Lift(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("lift with an ended context: %v", err)
		}
		lift(t, j) // waits for it
		switch err := <-got; {
		case err == nil && j.Fired() == 0:
			return false
		case !errors.Is(err, syscall.ECONNRESET) || j.Fired() != 1:
			t.Errorf("the caller met %v, fired %d", err, j.Fired())
		}
		return true
	})
}

// Two cases side by side do not disturb each other, and lanes are used again.
func TestCasesAreSeparateAndLanesAreReused(t *testing.T) {
	l := newLedger(t, "done")
	i := embed(t, l)
	const rounds, cases = 5, 4
	for range rounds {
		var group sync.WaitGroup
		for n := range cases {
			text := []string{"client:tcp:reset", "client:tcp:latency(5ms)"}[n%2]
			j := inject(t, i, text)
			group.Go(func() {
				_, err := post(t.Context(), j.Via())
				if (err != nil) != (n%2 == 0) {
					t.Errorf("%s: %v", text, err)
				}
				if err := j.Lift(t.Context()); err != nil {
					t.Error(err)
				}
				if j.Fired() != 1 {
					t.Errorf("%s: fired %d", text, j.Fired())
				}
			})
		}
		group.Wait()
		poll(t, func() bool {
			i.mu.Lock()
			defer i.mu.Unlock()
			return len(i.idle["client"]) == len(i.lanes)
		})
	}
	if len(i.lanes) != cases {
		t.Errorf("%d lanes for %d cases at a time", len(i.lanes), cases)
	}
}

func TestAnUnreachableLinkIsAClosedConnection(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := closed.Addr().String()
	_ = closed.Close()
	i, err := Embedded(map[string]string{"client": addr})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close() }()
	j := inject(t, i, "client:tcp:latency(1ms)")
	if _, err := post(t.Context(), j.Via()); err == nil {
		t.Error("an answer came from nowhere")
	}
	lift(t, j)
	if j.Fired() != 0 {
		t.Errorf("fired %d", j.Fired())
	}
}

func TestRefusals(t *testing.T) {
	l := newLedger(t, "done")
	i := embed(t, l)
	for text, accepted := range map[string]bool{
		"client:tcp:reset": true, "client:tcp:latency(1s)": true, "client#1:tcp:reset": true,
		"client:before-forward:reset": false, "payment:tcp:reset": false, "client:stub:status(503)": false,
	} {
		if i.Accepts(fault(t, text)) != accepted {
			t.Errorf("%s: accepted %v", text, !accepted)
		}
	}
	for text, reason := range map[string]string{
		"client#1:tcp:reset":         "no index",
		"client/charge:tcp:reset":    "no operation",
		"client:tcp:latency(1500us)": "whole milliseconds",
		"payment:tcp:reset":          "unknown link",
	} {
		if _, err := i.Inject(t.Context(), fault(t, text), "case"); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Embedded(map[string]string{"client": "nowhere"}); err == nil {
		t.Error("an upstream without a port was taken")
	}
	for _, url := range []string{"http://192.0.2.1:8474", "::", "http://" + l.addr() + "/nothing/\x7f"} {
		if _, err := External(t.Context(), url, nil); err == nil {
			t.Errorf("%q was taken", url)
		}
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Inject(t.Context(), fault(t, "client:tcp:reset"), "case"); !errors.Is(err, errClosed) {
		t.Errorf("inject after close: %v", err)
	}
}

// poll waits for a state that has no event of its own.
func poll(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the state did not come about")
		}
	}
}
