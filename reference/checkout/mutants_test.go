package checkout_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/mutants"
)

// uuid is a key of the usual form.
const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

// probes describe, by mutant, the behaviour that it breaks: what a probe says of
// the reference it must not say of the mutant.
func probes() map[string]func(*world) string {
	replayed := func(w *world) string {
		first, again := w.buy(uuid), w.buy(uuid)
		return fmt.Sprint(first.status == again.status, first.text("orderId") == again.text("orderId"), len(w.net.of("")))
	}
	told := func(w *world) string {
		replayed(w)
		return fmt.Sprint(w.store.told.Load())
	}
	contended := func(w *world) string {
		h := w.hold(charge, before)
		first := w.begin(send{keys: []string{uuid}})
		Eventually(h.arrived, patience).Should(BeClosed())
		second := w.begin(send{keys: []string{uuid}})
		// Who waits for the first looks at its record over and over.
		Eventually(func() bool { return len(second) > 0 || w.store.loads.Load() >= 3 }, patience).Should(BeTrue())
		waits := len(second) == 0
		h.release()
		receive(first)
		return fmt.Sprint(waits, receive(second).status, w.buy(uuid).status)
	}
	conflicting := func(w *world) string {
		w.buy(uuid)
		return fmt.Sprint(w.do(send{keys: []string{uuid}, body: strings.Replace(cartBody, "4200", "1", 1)}).status)
	}
	// A charge of unknown outcome is asked about and made again by the service, so
	// that what the client repeats by itself shows at the reservation.
	failing := func(f fault) func(*world) string {
		return func(w *world) string {
			w.net.next(reserve, f)
			return fmt.Sprint(w.buy(uuid).status, len(w.net.of(reserve)))
		}
	}
	keyed := func(keys ...string) func(*world) string {
		return func(w *world) string { return fmt.Sprint(w.do(send{keys: keys}).status) }
	}
	scoped := func(other *send) func(*world) string {
		return func(w *world) string {
			w.buy(uuid)
			other.keys = []string{uuid}
			w.do(*other)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		}
	}
	status := func(as *send, id string) func(*world) string {
		return func(w *world) string {
			own := w.buy(uuid).text("requestId")
			if id == "" {
				return fmt.Sprint(w.read(*as.as, own).status)
			}
			return fmt.Sprint(w.read(*as.as, id).status)
		}
	}
	found := map[string]func(*world) string{
		"fixed-length-key":       keyed("k"),
		"truncate-key":           keyed(strings.Repeat("k", 129)),
		"keyless-executes":       keyed(),
		"non-ascii-key-accepted": keyed("k\xe9"),
		"global-key-scope":       scoped(&send{as: &bob}),
		"tenant-only-scope":      scoped(&send{as: &bob}),
		"principal-only-scope":   scoped(&send{as: &carol}),
		"replay-reexecutes":      replayed,
		"replay-200":             replayed,
		"replay-new-order-id":    replayed,
		"replay-calls-provider":  replayed,
		"replay-emits-event":     told,
		"conflict-replays":       conflicting,
		"conflict-executes":      conflicting,
		"in-progress-500":        contended,
		"in-progress-waits":      contended,
		"stuck-in-progress":      contended,
		"check-then-insert": func(w *world) string {
			var wg sync.WaitGroup
			for range 5 {
				wg.Go(func() {
					defer GinkgoRecover()
					w.buy(uuid)
				})
			}
			wg.Wait()
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"no-retry-on-timeout": func(w *world) string {
			w.hold(reserve, before)
			return fmt.Sprint(w.buy(uuid).status, len(w.net.of(reserve)))
		},
		"no-retry-on-reset": failing(resetBefore),
		"no-retry-on-429":   failing(answering(429)),
		"no-retry-on-5xx":   failing(answering(503)),
		"random-provider-key": func(w *world) string {
			w.net.next(charge, resetAfter)
			w.buy(uuid)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"client-key-as-provider-key": func(w *world) string {
			w.buy(uuid)
			return fmt.Sprint(strings.Contains(strings.Join(w.net.keys(""), " "), uuid))
		},
		"recharge-unknown": func(w *world) string {
			w.net.next(charge, resetAfter, resetAfter, resetAfter)
			w.buy(uuid)
			w.reconcile()
			Eventually(func() int { return w.buy(uuid).status }, patience).Should(Equal(201))
			return fmt.Sprint(w.effects()[provider.KindCharge], len(w.net.of(query)))
		},
		"no-checkout-deadline":    callsUntilDeadline,
		"retry-outlives-deadline": callsAfterDeadline,
		"retry-outlives-answer":   callsAfterFailure,
		"doubt-fails":             lostCharge,
		"doubt-stays-pending":     lostTransfer,
		"transfers-again": func(w *world) string {
			lostTransfer(w)
			w.do(send{keys: []string{uuid}, body: bankBody})
			return fmt.Sprint(len(w.net.of(transfer)))
		},
		"failure-without-handle": func(w *world) string {
			w.net.next(reserve, answering(503), answering(503), answering(503))
			a := w.buy(uuid)
			return fmt.Sprint(a.text("requestId") != "", a.header.Get("Location") != "")
		},
		"owner-refused":      status(&send{as: &alice}, ""),
		"malformed-id-500":   status(&send{as: &alice}, "0"),
		"foreign-tenant-403": status(&send{as: &carol}, ""),
	}
	maps.Copy(found, keyProbes())
	maps.Copy(found, attemptProbes())
	maps.Copy(found, lifecycleProbes())
	maps.Copy(found, auditProbes())
	maps.Copy(found, outageProbes())
	maps.Copy(found, entryProbes())
	maps.Copy(found, interfaceProbes())
	maps.Copy(found, webhookProbes())
	maps.Copy(found, operationProbes())
	maps.Copy(found, requestProbes())
	maps.Copy(found, pathProbes())
	return found
}

var _ = Describe("a mutant", func() {
	// The silent dependency of one probe is given up on early.
	short := func(c *checkout.Config) { c.Client.Policy.Read = 500 * time.Millisecond; signs(c) }

	for _, m := range mutants.All() {
		if m.Wrap == nil {
			continue // it breaks something else
		}
		It(m.Name+" "+m.Breaks, func() {
			probe := probes()[m.Name]
			Expect(probe).NotTo(BeNil(), "there is no probe for it")
			right, wrong := probe(newWorld(short)), probe(newWorld(short, m.Wrap))
			Expect(wrong).NotTo(Equal(right))
		})
	}
})
