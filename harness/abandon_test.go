package harness

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

// hungUpOn is a shop behind a link of ours, on which the caller hangs up. The link
// tells of the exchange as it was: of one that never reached the shop, too.
type hungUpOn struct {
	*shop
	call Call

	mu    sync.Mutex
	sinks map[string]func(Call)
}

func (u *hungUpOn) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if !a.Half {
		return u.shop.Send(ctx, a)
	}
	u.mu.Lock()
	sink := u.sinks[a.CaseID]
	u.mu.Unlock()
	sink(u.call)
	return Request{BodySHA256: "b"}, Answer{}, errors.New("the connection was closed")
}

func (u *hungUpOn) Follow(caseID string, _ []string, sink func(Call)) func() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sinks[caseID] = sink
	return func() {}
}

func (u *hungUpOn) InFlight(string) int             { return 0 }
func (u *hungUpOn) Strays(func(Call)) (stop func()) { return func() {} }

// TestAbandonedAtTheTarget: half a request that the link kept to itself is none
// that the target was left with.
func TestAbandonedAtTheTarget(t *testing.T) {
	for _, row := range []struct {
		name string
		call Call
		want string // of the error; empty: it was abandoned
	}{
		{"half of it arrived", Call{Link: LinkClient, Outcome: CallPart, Started: 1, Forwarded: 2, Ended: 3}, ""},
		{"the caller left after it arrived", Call{Link: LinkClient, Outcome: CallPeerLeft, Started: 1, Forwarded: 2, Ended: 3}, ""},
		{"half of it never arrived", Call{Link: LinkClient, Outcome: CallPart, Started: 1, Ended: 3}, "the client link told nothing within 2s"},
		{"the caller left before it was passed on", Call{Link: LinkClient, Outcome: CallPeerLeft, Started: 1, Ended: 3}, "the client link told nothing within 2s"},
		{"another link", Call{Link: "payment", Outcome: CallPart, Started: 1, Forwarded: 2, Ended: 3}, "the client link told nothing within 2s"},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			u := &hungUpOn{shop: &shop{}, call: row.call, sinks: map[string]func(Call){}}
			target := shopTarget(u.shop)
			target.Sender, target.Journal = u, u
			x, said := oneOrder(), error(nil)
			x.Drive = func(ctx context.Context, s *Session) error {
				said = s.Abandon(ctx, s.Case("c"), Attempt{Principal: "alice", Half: true}, "halfway", nil)
				return nil
			}
			_, dir := run(t, target, testCatalogue(x), everything)
			if row.want == "" && said != nil || row.want != "" && (said == nil || !strings.Contains(said.Error(), row.want)) {
				t.Errorf("%v, want %q", said, row.want)
			}
			if marked := strings.Contains(strings.Join(marksOf(t, dir, x.ID), "\n"), MarkAbandoned+": halfway"); marked != (row.want == "") {
				t.Errorf("the history says that it was abandoned: %t", marked)
			}
		}))
	}
}
