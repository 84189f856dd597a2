package checkout_test

import (
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// slow is a store that has found a record and answers after a while.
type slow struct {
	checkout.Store
	while func()
}

func (s slow) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	stored, created, err := s.Store.Reserve(ctx, r)
	s.while()
	return stored, created, err
}

var _ = Describe("the retention", func() {
	const day = 24 * time.Hour

	It("ends a day after the checkout did: then its key is refused, before and after the record is purged", func() {
		w := newWorld()
		first := w.buy("k")
		w.pass(day - time.Minute)
		Expect(w.buy("k").raw).To(Equal(first.raw))
		w.pass(2 * time.Minute)
		late := w.buy("k")
		Expect(late.status).To(Equal(http.StatusUnprocessableEntity))
		Expect(late.text("code")).To(Equal("VALIDATION_ERROR"))
		Expect(w.read(alice, first.text("requestId")).status).To(Equal(http.StatusOK))

		w.reconcile()
		Eventually(func() int { return w.read(alice, first.text("requestId")).status }, patience).Should(Equal(http.StatusNotFound))
		Expect(w.buy("k").status).To(Equal(http.StatusUnprocessableEntity))
		Expect(w.do(send{keys: []string{"k"}, as: &bob}).status).To(Equal(http.StatusCreated), "the key of somebody else is another")
		Expect(w.buy("l").status).To(Equal(http.StatusCreated))
	})

	It("does not begin while a checkout is open", func() {
		w := newWorld(still)
		h := w.hold(charge, after)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		w.service.Stop()
		id := receive(first).text("requestId")
		h.release()
		w.pass(3 * day)
		w.service, w.url = w.instance()
		Expect(w.buy("k").text("requestId")).To(Equal(id))
		w.pass(day - time.Minute)
		Expect(w.buy("k").text("requestId")).To(Equal(id))
		Expect(w.effects()).To(Equal(once()))
	})

	It("ends for a failed checkout that nobody resumes: what it held is given back", func() {
		w := newWorld()
		w.net.all(charge, answering(503))
		a := w.buy("k")
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))
		Expect(w.effects()).To(Equal(map[provider.Kind]int{"reservation": 1}))
		w.reconcile()
		w.pass(day + time.Minute)
		Eventually(func() int { return w.read(alice, a.text("requestId")).status }, patience).Should(Equal(http.StatusNotFound))
		Expect(w.effects()).To(Equal(map[provider.Kind]int{"reservation": 1, "release": 1}))
		Expect(w.buy("k").status).To(Equal(http.StatusUnprocessableEntity))
	})

	It("may end while a request that resumes the checkout is under way: it is answered as a late one", func() {
		w := newWorld()
		w.net.all(charge, answering(503))
		w.buy("k")
		w.net.all(charge, nil)
		w.pass(day - time.Minute)
		w.store.Store = slow{w.store.Store, func() { w.pass(2 * time.Minute) }}
		late := w.buy("k")
		Expect(late.status).To(Equal(http.StatusUnprocessableEntity))
		Expect(late.text("code")).To(Equal("VALIDATION_ERROR"))
		Expect(w.net.of(charge)).To(HaveLen(3))
		Expect(w.effects()).To(Equal(map[provider.Kind]int{"reservation": 1, "release": 1}))
		Expect(w.buy("k").status).To(Equal(http.StatusUnprocessableEntity))
	})

	It("begins anew with a failed checkout that is resumed", func() {
		w := newWorld()
		w.net.all(charge, answering(503))
		w.buy("k")
		w.pass(day - time.Minute)
		w.net.all(charge, nil)
		first := w.buy("k")
		Expect(first.status).To(Equal(http.StatusCreated))
		w.reconcile()
		w.pass(day - time.Minute)
		Consistently(func() []byte { return w.buy("k").raw }, "100ms").Should(Equal(first.raw))
	})

	It("of a cancellation is a day, too: it is repeated, though its checkout is over", func() {
		w := newWorld()
		id, other := w.buy("k").text("requestId"), w.buy("l").text("requestId")
		w.pass(day - time.Minute)
		done := w.cancel(alice, id, "c")
		Expect(done.status).To(Equal(http.StatusCreated))
		w.reconcile()
		w.pass(2 * time.Minute)
		Eventually(func() int { return w.read(alice, other).status }, patience).Should(Equal(http.StatusNotFound))
		Expect(w.cancel(alice, id, "c").raw).To(Equal(done.raw))
		Expect(w.cancel(alice, id, "d").status).To(Equal(http.StatusUnprocessableEntity), "another key")
		Expect(w.buy("k").status).To(Equal(http.StatusUnprocessableEntity))
		w.pass(day)
		Eventually(func() int { return w.read(alice, id).status }, patience).Should(Equal(http.StatusNotFound))
		Expect(w.cancel(alice, id, "d").status).To(Equal(http.StatusNotFound))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindRefund, 1))
	})
})
