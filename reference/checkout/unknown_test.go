package checkout_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

var _ = Describe("a charge of unknown outcome", func() {
	// What the provider did cannot be found out within the request, either.
	lost := func(w *world, f fault, body string) answer {
		GinkgoHelper()
		w.net.next(charge, f, f, f)
		w.net.next(query, answering(503), answering(503), answering(503))
		a := w.do(send{keys: []string{"k"}, body: body})
		Expect(a.status).To(Equal(http.StatusAccepted))
		Expect(a.body).To(HaveKeyWithValue("state", "PENDING"))
		Expect(a.body).To(HaveKeyWithValue("code", "CHECKOUT_PENDING"))
		Expect(a.body).To(HaveKeyWithValue("retryable", true))
		Expect(a.body).To(HaveKeyWithValue("attemptCount", 7.0))
		Expect(a.header.Get("Retry-After")).To(Equal("1"))
		Expect(a.header.Get("Location")).To(Equal("/checkout/" + a.text("requestId")))
		Expect(w.net.of(charge)).To(HaveLen(3))
		return a
	}

	It("is parked durably and answered with the same request id", func() {
		w := newWorld()
		a := lost(w, resetAfter, cartBody)
		_, second := w.instance()
		again := w.do(send{keys: []string{"k"}, url: second})
		Expect(again.status).To(Equal(http.StatusAccepted))
		Expect(again.text("requestId")).To(Equal(a.text("requestId")))
		got := w.read(alice, a.text("requestId"))
		Expect(got.text("state")).To(Equal("PENDING"))
		Expect(got.text("code")).To(Equal("CHECKOUT_PENDING"))
		Expect(w.net.of(query)).To(HaveLen(3), "a repeated request does not reconcile")
	})

	It("is found by a query at once, and the checkout goes on", func() {
		w := newWorld()
		w.net.next(charge, resetAfter, resetAfter, resetAfter)
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusCreated))
		Expect(a.body).To(HaveKeyWithValue("attemptCount", 6.0))
		Expect(w.net.of(charge)).To(HaveLen(3))
		Expect(w.net.of(query)).To(HaveLen(1))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is charged by what attempts are left once the provider knew of none", func() {
		w := newWorld(func(c *checkout.Config) {
			c.Client.Policy.Total, c.Client.Policy.Read = 1600*time.Millisecond, 1200*time.Millisecond
		})
		first, second := newHold(), newHold()
		DeferCleanup(func() { first.release(); second.release() })
		w.net.next(charge, held(first), held(second)) // which uses up the time of the call, and not its attempts
		Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		expectSame(w.net.keys(charge), 3)
		Expect(w.net.of(query)).To(HaveLen(1))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is found by a query and not charged again", func() {
		w := newWorld()
		a := lost(w, resetAfter, cartBody)
		w.reconcile()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.buy("k").text("requestId")).To(Equal(a.text("requestId")))
		Expect(w.net.of(charge)).To(HaveLen(3))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is charged again, with the same key, only after the provider knew of none", func() {
		w := newWorld()
		lost(w, resetBefore, cartBody)
		w.reconcile()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.net.of(query)).To(HaveLen(4))
		expectSame(w.net.keys(charge), 4)
		Expect(w.effects()).To(Equal(once()))
	})

	It("ends as a decline where the provider says no", func() {
		w := newWorld()
		declined := strings.Replace(cartBody, "tok_ok", "tok_declined", 1)
		a := lost(w, resetAfter, declined)
		w.reconcile()
		Eventually(func() string { return w.read(alice, a.text("requestId")).text("state") }, patience).Should(Equal("FAILED_FINAL"))
		Expect(w.do(send{keys: []string{"k"}, body: declined}).text("code")).To(Equal("PAYMENT_DECLINED"))
		Eventually(w.effects, patience).Should(Equal(map[provider.Kind]int{provider.KindReservation: 1, provider.KindRelease: 1}))
	})

	It("stays pending, and is not charged, while the provider cannot be asked", func() {
		w := newWorld()
		w.net.all(query, answering(503))
		lost(w, resetAfter, cartBody)
		w.reconcile()
		Eventually(func() int { return len(w.net.of(query)) }, patience).Should(BeNumerically(">=", 9))
		Expect(w.net.of(charge)).To(HaveLen(3))
		Expect(w.buy("k").status).To(Or(Equal(http.StatusAccepted), Equal(http.StatusConflict)))
		w.net.all(query, nil)
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is what a success without an id is", func() {
		w := newWorld()
		w.net.next(charge, saying(201, `{"id":`))
		Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		Expect(w.net.of(query)).To(HaveLen(1))
		Expect(w.effects()).To(Equal(once()))
	})
})

// held keeps a call that the provider never gets.
func held(h *hold) fault {
	return func(http.ResponseWriter, *http.Request, http.Handler) {
		close(h.arrived)
		<-h.released
		panic(http.ErrAbortHandler)
	}
}

var _ = Describe("a reservation or an order of unknown outcome", func() {
	for _, op := range []string{reserve, order} {
		for name, f := range map[string]fault{"before": resetBefore, "after": resetAfter} {
			It("is pending and then made once: "+op+" reset "+name+" its commit", func() {
				w := newWorld()
				w.net.next(op, f, f, f)
				Expect(w.buy("k").status).To(Equal(http.StatusAccepted))
				w.reconcile()
				Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
				expectSame(w.net.keys(op), 4)
				Expect(w.effects()).To(Equal(once()))
			})
		}
		for _, status := range []int{401, 422} {
			It("is asked for before a later refusal is believed: "+op+" made, then "+http.StatusText(status), func() {
				w := newWorld()
				w.net.next(op, resetAfter, resetAfter, resetAfter)
				Expect(w.buy("k").status).To(Equal(http.StatusAccepted))
				w.net.all(op, answering(status))
				w.reconcile()
				Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
				Expect(w.effects()).To(Equal(once()))
			})

			It("ends with a later refusal where there is none: "+op+" not made, then "+http.StatusText(status), func() {
				w := newWorld()
				w.net.next(op, resetBefore, resetBefore, resetBefore)
				Expect(w.buy("k").status).To(Equal(http.StatusAccepted))
				w.net.all(op, answering(status))
				w.reconcile()
				Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusUnprocessableEntity))
				Expect(w.net.of(op)).To(HaveLen(4))
				Eventually(func() bool {
					left := w.effects()
					return left[provider.KindCharge] == left[provider.KindVoid] && left[provider.KindReservation] == left[provider.KindRelease]
				}, patience).Should(BeTrue())
			})
		}
	}
})
