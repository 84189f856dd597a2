package toxiproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	toxiserver "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/oncecheck/oncecheck/harness"
)

// storeBehind serves a store that says back what it hears behind a proxy, and
// returns the toxiproxy's URL and where the target would dial.
func storeBehind(t *testing.T) (api string, dial func() net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	toxics := toxiserver.NewServer(toxiserver.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiserver.NewProxy(toxics, "postgres", listenAny, l.Addr().String())
	if err := toxics.Collection.Add(proxy, true); err != nil {
		t.Fatal(err)
	}
	addr := proxy.Listen
	served := httptest.NewServer(toxics.Routes())
	t.Cleanup(func() { served.Close(); _ = toxics.Collection.Clear() })
	return served.URL, func() net.Conn {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return nil
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

// heard says what comes back: the word, nothing yet, or the end. Only where nothing
// is wanted does it not wait until something does.
func heard(t *testing.T, c net.Conn, wanted string) string {
	t.Helper()
	if c == nil {
		return "refused"
	}
	if _, err := io.WriteString(c, "word"); err != nil {
		return "ended"
	}
	patience := 10 * time.Second
	if wanted == "nothing" {
		patience = 200 * time.Millisecond
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	text := make([]byte, 4)
	_, err := io.ReadFull(c, text)
	switch timeout := net.Error(nil); {
	case err == nil:
		return string(text)
	case errors.As(err, &timeout) && timeout.Timeout():
		return "nothing"
	}
	return "ended"
}

func TestStoreLink(t *testing.T) {
	api, dial := storeBehind(t)
	link := NewStoreLink(api+"/", "postgres", 0)
	for _, step := range []struct {
		mode            harness.StoreDisturbance // none restores
		seen            string
		before, opening string // what a connection hears that was there, and one made then
	}{
		{harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: time.Minute}, "the proxy postgres read open and reads slow(1m0s)", "nothing", "nothing"},
		{harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: time.Millisecond}, "the proxy postgres read slow(1m0s) and reads slow(1ms)", "word", "word"},
		{harness.StoreDisturbance{Mode: harness.StoreStall}, "the proxy postgres read slow(1ms) and reads stall", "nothing", "nothing"},
		{harness.StoreDisturbance{Mode: harness.StoreCut}, "the proxy postgres read stall and reads cut", "ended", "refused"},
		{harness.StoreDisturbance{}, "the proxy postgres read cut and reads open", "refused", "word"},
		{harness.StoreDisturbance{Mode: harness.StoreStall}, "the proxy postgres read open and reads stall", "nothing", "nothing"},
		{harness.StoreDisturbance{}, "the proxy postgres read stall and reads open", "ended", "word"},
	} {
		open := dial()
		do := func() (string, error) { return link.Disturb(t.Context(), step.mode, time.Minute) }
		if step.mode == (harness.StoreDisturbance{}) {
			do = func() (string, error) { return link.Restore(t.Context()) }
		}
		if seen, err := do(); err != nil || seen != step.seen {
			t.Fatalf("seen %q, %v; want %q", seen, err, step.seen)
		}
		if got := heard(t, open, step.before); got != step.before {
			t.Errorf("%s: a connection that was there hears %s, want %s", step.seen, got, step.before)
		}
		if got := heard(t, dial(), step.opening); got != step.opening {
			t.Errorf("%s: a new connection hears %s, want %s", step.seen, got, step.opening)
		}
	}
	if _, err := link.Restore(t.Context()); !errors.Is(err, harness.ErrBackBefore) {
		t.Errorf("a link that was open is opened: %v", err)
	}
}

func TestStoreLinkSaysWhatItCannotDo(t *testing.T) {
	api, dial := storeBehind(t)
	link := NewStoreLink(api, "postgres", 0)
	for want, d := range map[string]harness.StoreDisturbance{
		"links.store: control": {Mode: harness.StoreLost, Writes: 1},
		"whole milliseconds":   {Mode: harness.StoreSlow, Delay: time.Microsecond},
	} {
		if _, err := link.Disturb(t.Context(), d, time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", d, err, want)
		}
	}
	if got := heard(t, dial(), "word"); got != "word" {
		t.Errorf("after what could not be done a connection hears %s", got)
	}
	if _, err := NewStoreLink(api, "mysql", 0).Restore(t.Context()); err == nil || !strings.Contains(err.Error(), `is "mysql" the name`) {
		t.Errorf("a proxy that is not there: %v", err)
	}
	if _, err := NewStoreLink("http://127.0.0.1:1", "postgres", 0).Restore(t.Context()); err == nil || !strings.Contains(err.Error(), "is it running") {
		t.Errorf("a toxiproxy that is not there: %v", err)
	}
	p, err := link.api.Proxy("postgres")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.AddToxic("theirs", "latency", "upstream", 1, map[string]any{"latency": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := link.Disturb(t.Context(), harness.StoreDisturbance{Mode: harness.StoreCut}, time.Minute); err == nil || !strings.Contains(err.Error(), "theirs, which is not ours") {
		t.Errorf("somebody else's toxic: %v", err)
	}
}

func TestStoreLinkEndsWithItsContext(t *testing.T) {
	api, _ := storeBehind(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the run was interrupted"))
	if _, err := NewStoreLink(api, "postgres", 0).Disturb(ctx, harness.StoreDisturbance{Mode: harness.StoreStall}, time.Minute); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
}
