package checkout_test

import (
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

// conflictAfter carries a call out and answers that it conflicts.
func conflictAfter(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	w.WriteHeader(http.StatusConflict)
}

var _ = Describe("a dependency that answers 409", func() {
	asks := map[string]string{reserve: "GET reservations", charge: query, order: "GET orders"}
	for op, asked := range asks {
		It("is asked, and what it has done counts: "+op, func() {
			w := newWorld()
			w.net.next(op, conflictAfter)
			Expect(w.buy("k").status).To(Equal(http.StatusCreated))
			Expect(w.net.of(op)).To(HaveLen(1))
			Expect(w.net.of(asked)).To(HaveLen(1))
			Expect(w.effects()).To(Equal(once()))
		})

		It("is asked, and believed where it has done nothing: "+op, func() {
			w := newWorld()
			w.net.next(op, answering(http.StatusConflict))
			a := w.buy("k")
			Expect(a.status).To(Equal(http.StatusUnprocessableEntity))
			Expect(w.net.of(op)).To(HaveLen(1))
			Expect(w.net.of(asked)).To(HaveLen(1))
			left := w.effects()
			Expect(left[provider.KindCharge]).To(Equal(left[provider.KindVoid]))
			Expect(left[provider.KindReservation]).To(Equal(left[provider.KindRelease]))
		})

		It("is one of unknown outcome while it cannot be asked: "+op, func() {
			w := newWorld()
			w.net.next(op, conflictAfter)
			w.net.all(asked, answering(503))
			Expect(w.buy("k").status).To(Equal(http.StatusAccepted))
			w.net.all(asked, nil)
			w.reconcile()
			Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
			Expect(w.effects()).To(Equal(once()))
		})
	}
})

var _ = Describe("a transfer by the bank, which takes no key", func() {
	buy := func(w *world) answer { return w.do(send{keys: []string{"k"}, body: bankBody}) }

	It("is made once, without a key", func() {
		w := newWorld()
		Expect(buy(w).status).To(Equal(http.StatusCreated))
		Expect(w.net.keys(transfer)).To(Equal([]string{""}))
		Expect(w.effects()).To(Equal(once()))
		Expect(w.net.of(charge)).To(BeEmpty())
	})

	It("is not repeated by us, but for the customer who asks again, where it was turned away", func() {
		w := newWorld()
		w.net.next(transfer, answering(503))
		a := buy(w)
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(w.net.of(transfer)).To(HaveLen(1))
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))
		Expect(buy(w).status).To(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is reversed where the order is refused", func() {
		w := newWorld()
		w.net.next(order, answering(422))
		Expect(buy(w).status).To(Equal(http.StatusUnprocessableEntity))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindVoid, 1))
		Expect(w.net.keys(void)).To(Equal([]string{""}))
	})

	It("is final where the account has no money", func() {
		w := newWorld()
		w.net.next(transfer, answering(http.StatusPaymentRequired))
		Expect(buy(w).text("code")).To(Equal("PAYMENT_DECLINED"))
		Expect(w.net.of(transfer)).To(HaveLen(1))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindRelease, 1))
	})
})
