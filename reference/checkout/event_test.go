package checkout_test

import (
	"context"
	"net/http"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// listening is a store that notes what its saves tell.
type listening struct {
	checkout.Store
	mu   *sync.Mutex
	told *[]checkout.Event
}

func (l listening) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if r.Event != nil {
		l.mu.Lock()
		*l.told = append(*l.told, *r.Event)
		l.mu.Unlock()
	}
	return l.Store.Save(ctx, r, attempts...)
}

var _ = Describe("an event", func() {
	var told []checkout.Event
	var mu sync.Mutex
	types := func() []string {
		mu.Lock()
		defer mu.Unlock()
		var list []string
		for _, e := range told {
			list = append(list, e.Type)
		}
		return list
	}
	listened := func() *world {
		told = nil
		return newWorld(func(c *checkout.Config) { c.Store = listening{c.Store, &mu, &told} })
	}

	It("is told of each end once, and of no replay", func() {
		w := listened()
		id := w.buy("k").text("requestId")
		w.buy("k")
		Expect(types()).To(Equal([]string{checkout.EventSucceeded}))
		w.cancel(alice, id, "c")
		w.cancel(alice, id, "c")
		Expect(types()).To(Equal([]string{checkout.EventSucceeded, checkout.EventCancelled}))
		for _, e := range told {
			Expect(e.Aggregate).To(Equal(id))
			Expect(e.Tenant).To(Equal(alice.Tenant))
			Expect(e.ID).To(MatchRegexp(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`))
			Expect(string(e.Payload)).NotTo(ContainSubstring("tok_"))
			Expect(e.OccurredAt).NotTo(BeZero())
			Expect(e.CorrelationID).NotTo(BeEmpty())
		}
		Expect(told[0].ID).NotTo(Equal(told[1].ID))
	})

	It("is told of a failure before what it did is undone, and not again after", func() {
		w := listened()
		declined := send{keys: []string{"k"}, body: strings.Replace(cartBody, "tok_ok", "tok_declined", 1)}
		Expect(w.do(declined).status).To(Equal(http.StatusPaymentRequired))
		w.do(declined)
		Expect(types()).To(Equal([]string{checkout.EventFailed}))
	})

	It("is not told of what may still end in either way", func() {
		w := listened()
		w.net.all("POST reservations", answering(http.StatusServiceUnavailable))
		Expect(w.buy("k").status).To(Equal(http.StatusServiceUnavailable))
		Expect(types()).To(BeEmpty())
	})

	It("has the same id when its end has to be saved again", func() {
		w := listened()
		lost := &losing{Store: w.cfg.Store}
		w.cfg.Store = lost
		w.service, w.url = w.instance()
		lost.next = true
		w.buy("k")
		w.pass(w.cfg.Policy.Lease * 2)
		w.reconcile()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(types()).To(Equal([]string{checkout.EventSucceeded, checkout.EventSucceeded}))
		Expect(told[0].ID).To(Equal(told[1].ID))
	})
})

// losing does not carry out the save of an end that comes next, once.
type losing struct {
	checkout.Store
	next bool
}

func (l *losing) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if r.Event != nil && l.next {
		l.next = false
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	return l.Store.Save(ctx, r, attempts...)
}
