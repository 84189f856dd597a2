package harness

import (
	"context"
	"strings"
	"testing"
)

// several has a second instance: one that shares the first one's store, or a shop
// of its own.
type several struct {
	*claiming
	stranger *shop
}

func (s several) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	switch {
	case a.Instance == 0 || s.stranger == nil:
		return s.claiming.Send(ctx, a)
	case a.Operation == OpStatus:
		return Request{}, s.stranger.find(a.Vars["requestId"]), nil
	}
	return s.stranger.Send(ctx, a)
}

// severalTarget has two instances that share what they know unless apart.
func severalTarget(apart bool, caps ...Capability) (*claiming, *Target) {
	c, target := claimingTarget(nil, append(caps, CapInstances)...)
	s := several{claiming: c}
	if apart {
		s.stranger = &shop{answers: map[string]Answer{}, ledger: []Effect{{Seq: 1}}} // its orders have other names
	}
	target.Sender, target.Info.Instances = s, 2
	return c, target
}

// TestInstancesAlone: the doctor knows of no request that was made before, so a
// further instance is asked by a repetition even where there is a status to read.
// What the first one does not name, the second cannot be asked for.
func TestInstancesAlone(t *testing.T) {
	for _, row := range []struct {
		name  string
		apart bool
		caps  []Capability
		first *Answer // what a checkout is answered; nil: as the shop does
		says  string
		works bool
	}{
		{"they share, and there is a status", false, []Capability{CapStatus}, nil, "instance 2 knows what the first was told", true},
		{"they share, and there is none", false, nil, nil, "instance 2 knows what the first was told", true},
		{"they share nothing", true, []Capability{CapStatus}, nil, "it shares nothing with it", false},
		{"answers name nothing", false, nil, &Answer{Status: 201, JSON: true}, "named no order by which another could be asked; declare response.orderId", false},
		{"answers name a request only", false, []Capability{CapStatus}, &Answer{Status: 201, JSON: true, RequestID: "r1"}, "declare response.orderId", false},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := severalTarget(row.apart, row.caps...)
			target.Probe = nil
			if row.first != nil {
				c.answers[OpCheckout] = *row.first
			}
			got, err := TryClaims(t.Context(), target, t.TempDir(), func(c Capability) bool { return c == CapStatus })
			if err != nil || len(got) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			if got[0].Name != string(CapInstances) || got[0].Works != row.works || !strings.Contains(got[0].Reason, row.says) {
				t.Errorf("%+v, want one that works %t and says %q", got[0], row.works, row.says)
			}
		}))
	}
}

// TestInstancesOfARun: there a request is known, and asked for by its status.
func TestInstancesOfARun(t *testing.T) {
	for _, apart := range []bool{false, true} {
		bubble(func(t *testing.T) {
			_, target := severalTarget(apart, CapStatus)
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			for _, claim := range e.Run.Claims {
				if claim.Name == string(CapInstances) {
					if claim.Works == apart {
						t.Errorf("apart %t: %+v", apart, claim)
					}
					return
				}
			}
			t.Errorf("apart %t: the instances were not tried: %+v", apart, e.Run.Claims)
		})(t)
	}
}
