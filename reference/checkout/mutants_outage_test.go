package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/mutants"
)

// process starts a service on the same store as another process would: what the
// mutant of that name keeps in memory is not there. It returns its URL.
func (w *world) process(name string) string {
	GinkgoHelper()
	first := w.cfg
	if w.cfg.Store != checkout.Store(w.store) {
		m, found := mutants.Named(name)
		Expect(found).To(BeTrue())
		w.cfg.Store = w.store
		m.Wrap(&w.cfg)
	}
	_, url := w.instance()
	w.cfg = first
	return url
}

// die ends the service while a call is held, as a crash would: its record stays
// claimed. Then the lease runs out.
func (w *world) die(of func(*hold) fault) {
	GinkgoHelper()
	h := w.hold(charge, of)
	first := w.begin(send{keys: []string{uuid}})
	Eventually(h.arrived, patience).Should(BeClosed())
	w.service.Stop()
	receive(first)
	w.pass(w.cfg.Policy.Lease + time.Second)
}

// outageProbes describe what becomes of a request whose process, store, caller or
// lease is lost.
func outageProbes() map[string]func(*world) string {
	resumed := func(name string, of func(*hold) fault) func(*world) string {
		return func(w *world) string {
			w.die(of)
			status := w.do(send{keys: []string{uuid}, url: w.process(name)}).status
			return fmt.Sprint(status, w.effects()[provider.KindCharge])
		}
	}
	storeDown := func(w *world) string {
		w.store.down.Store(true)
		return fmt.Sprint(w.buy(uuid).status)
	}
	return map[string]func(*world) string{
		"lock-in-process": func(w *world) string {
			w.buy(uuid)
			w.do(send{keys: []string{uuid}, url: w.process("lock-in-process")})
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"reads-a-replica": func(w *world) string {
			id := w.buy(uuid).text("requestId")
			return fmt.Sprint(w.do(send{method: http.MethodGet, path: "/checkout/" + id, url: w.process("reads-a-replica")}).status)
		},
		"caller-cancels":          abandoned,
		"uncommitted-reservation": crashForgets,
		"pending-in-memory": func(w *world) string {
			w.net.next(charge, resetAfter, resetAfter, resetAfter)
			w.net.next(query, answering(503), answering(503), answering(503))
			id := w.buy(uuid).text("requestId")
			return fmt.Sprint(w.do(send{method: http.MethodGet, path: "/checkout/" + id, url: w.process("pending-in-memory")}).status)
		},
		"final-state-later": func(w *world) string {
			w.buy(uuid)
			return fmt.Sprint(w.do(send{keys: []string{uuid}, url: w.process("final-state-later")}).status)
		},
		"decline-later": func(w *world) string {
			w.net.next(charge, answering(http.StatusPaymentRequired))
			w.buy(uuid)
			return fmt.Sprint(w.do(send{keys: []string{uuid}, url: w.process("decline-later")}).status)
		},
		"stuck-after-crash":     resumed("stuck-after-crash", before),
		"recharges-after-crash": resumed("recharges-after-crash", after),
		"attempts-recounted": func(w *world) string {
			w.net.next(charge, answering(429))
			w.die(before)
			w.net.next(charge, answering(429), answering(429), answering(429))
			w.do(send{keys: []string{uuid}, url: w.process("attempts-recounted")})
			return fmt.Sprint(len(w.net.of(charge)))
		},
		"store-fails-open": storeDown,
		"store-down-500":   storeDown,
		"own-reservation-unrecognised": func(w *world) string {
			w.store.loses.Store(1)
			return fmt.Sprint(w.buy(uuid).status)
		},
		"unfenced-workers": func(w *world) string {
			h := w.hold(charge, after)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			w.pass(w.cfg.Policy.Lease + time.Second)
			w.buy(uuid)
			h.release()
			receive(first)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
	}
}

// abandoned hangs up on a request whose payment is made and not answered, and says
// how often that is paid. Whoever forgets the request with its caller takes the
// key for free meanwhile.
func abandoned(w *world) string {
	h := w.hold(charge, after)
	ctx, hangUp := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = w.try(send{keys: []string{uuid}, ctx: ctx})
	}()
	Eventually(h.arrived, patience).Should(BeClosed())
	hangUp()
	<-ended
	for range 50 {
		if w.buy(uuid).status == http.StatusCreated {
			break
		}
	}
	h.release()
	Eventually(func() int { return w.buy(uuid).status }, patience).Should(Equal(http.StatusCreated))
	return fmt.Sprint(w.effects()[provider.KindCharge])
}

// crashForgets asks after a crash whether the key is known, with another body.
func crashForgets(w *world) string {
	w.die(before)
	other := strings.Replace(cartBody, "4200", "1", 1)
	return fmt.Sprint(w.do(send{keys: []string{uuid}, body: other, url: w.process("uncommitted-reservation")}).status)
}
