package peer_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/peer"
)

// shared opens an address whose strays go to the journal.
func shared(t *testing.T) (*peer.Shared, *journal) {
	t.Helper()
	j := newJournal()
	s, err := peer.Listen(t.Context(), peer.Config{Clock: j.clock, Stray: j.see}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s, j
}

func openAt(t *testing.T, s *peer.Shared, j *journal, item string, list ...harness.Step) *opened {
	t.Helper()
	own := newJournal()
	own.clock = j.clock
	p, err := s.Open(t.Context(), item, harness.Script{Steps: list}, own.see)
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Peer: p, journal: own}
	t.Cleanup(func() { o.close(t) })
	return o
}

// Requests go to the case whose item is in their path, even on one connection.
func TestSharedAddress(t *testing.T) {
	s, strays := shared(t)
	a := openAt(t, s, strays, "sku-cart-a", harness.Step{Status: 200, Body: "a"})
	b := openAt(t, s, strays, "sku-cart-ab", harness.Step{Status: 503, Body: "b"})
	if a.URL() != s.URL() || b.URL() != s.URL() {
		t.Error("the peers do not share the address")
	}
	conn := dial(t, a.host())
	br := bufio.NewReader(conn)
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{
		{"/items/sku-cart-a", 200, "a"}, {"/items/sku-cart-ab/holds?x=1", 503, "b"}, {"/items?sku=sku-cart-a", 200, "a"}, {"/items/sku-other", 404, `{"code":"UNKNOWN_ITEM"`},
	} {
		send(t, conn, "GET "+c.path+" HTTP/1.1\r\n\r\n")
		resp, body, err := readAnswer(t, br, "GET")
		if err != nil || resp.StatusCode != c.status || !strings.HasPrefix(string(body), c.body) {
			t.Errorf("%s: %v %q %v", c.path, resp, body, err)
		}
	}
	calls, _ := a.until(t, 2, 0)
	if len(calls) != 2 || calls[1].Index != 2 || a.Connections() != 1 || a.Requests() != 2 {
		t.Errorf("the first was told %+v", calls)
	}
	if calls, _ := b.until(t, 1, 0); len(calls) != 1 || calls[0].Index != 1 || calls[0].Conn != 1 {
		t.Errorf("the second was told %+v", calls)
	}
	if calls, _ := strays.until(t, 1, 0); calls[0].Status != 404 || calls[0].Path != "/items/sku-other" || calls[0].Step != 0 {
		t.Errorf("the stray was told as %+v", calls)
	}

	// The first ends: the connection goes on for the others.
	a.close(t)
	if _, conns := a.until(t, 2, 1); conns[0].Requests != 2 || conns[0].By != harness.ByPeer || a.Connections() != 0 {
		t.Errorf("the first was told %+v", conns)
	}
	send(t, conn, "GET /sku-cart-ab HTTP/1.1\r\n\r\nGET /sku-cart-a HTTP/1.1\r\n\r\n")
	for _, want := range []int{503, 404} {
		if resp, _, err := readAnswer(t, br, "GET"); err != nil || resp.StatusCode != want {
			t.Errorf("answered %v, %v, want %d", resp, err, want)
		}
	}
	conn.Close()
	if _, conns := b.until(t, 2, 1); conns[0].Requests != 2 || conns[0].By != harness.ByCaller {
		t.Errorf("the second was told %+v", conns)
	}
	again := openAt(t, s, strays, "sku-cart-a", harness.Step{Status: 200})
	again.close(t)
}

// A request that is unanswered when its case ends is ended with its connection,
// whatever keeps it.
func TestSharedAddressEndsWhatIsUnanswered(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		step       harness.Step
		outcome    harness.CallOutcome // empty: no call
	}{
		{"silent", "GET /sku HTTP/1.1\r\n\r\n", harness.Step{Break: harness.BreakSilent}, harness.CallClosed},
		{"writing", "GET /sku HTTP/1.1\r\n\r\n", harness.Step{Status: 200, Size: 16 << 20}, harness.CallClosed},
		{"reading", "POST /sku HTTP/1.1\r\nContent-Length: 2\r\n\r\na", harness.Step{Status: 200}, ""},
		{"caller that stays", "GET /sku HTTP/1.1\r\n\r\n", harness.Step{Break: harness.BreakClose}, harness.CallClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, strays := shared(t)
			o := openAt(t, s, strays, "sku", c.step)
			conn := dial(t, o.host())
			send(t, conn, c.sent)
			eventually(t, func() bool { return o.Connections() == 1 && (c.outcome == "" || o.Requests() == 1) })
			o.close(t)
			calls, conns := o.until(t, 0, 1)
			if conns[0].By != harness.ByPeer || (c.outcome != "" && calls[0].Outcome != c.outcome) || (c.outcome == "") != (len(calls) == 0) {
				t.Errorf("told as %+v, %+v", calls, conns)
			}
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, context.DeadlineExceeded) {
				t.Error("the connection stays")
			}
		})
	}
}

func TestSharedAddressRefuses(t *testing.T) {
	s, strays := shared(t)
	o := openAt(t, s, strays, "sku")
	for _, c := range []struct {
		item   string
		script harness.Script
		want   string
	}{
		{"other", harness.Script{Door: harness.Door{Kind: harness.DoorRefused}}, "address of other cases too"},
		{"sku", harness.Script{}, "another peer of item sku is still open"},
		{"", harness.Script{}, "without an item"},
		{"other", harness.Script{Steps: []harness.Step{{}}}, "needs a status"},
	} {
		if _, err := s.Open(t.Context(), c.item, c.script, o.see); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.script, err, c.want)
		}
	}
	if _, err := peer.Listen(t.Context(), peer.Config{}, strings.TrimPrefix(s.URL(), "http://")); err == nil {
		t.Error("the address was given twice")
	}
	conn := dial(t, o.host())
	conn.Close()
	if _, conns := strays.until(t, 0, 1); conns[0].Requests != 0 || conns[0].By != harness.ByCaller {
		t.Errorf("told as %+v", conns)
	}
}
