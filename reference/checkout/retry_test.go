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

var _ = Describe("a dependency that fails once", func() {
	faults := map[string]fault{
		"resets before its commit": resetBefore,
		"resets after its commit":  resetAfter,
		"answers 429":              answering(429),
		"answers 500":              answering(500),
		"answers 502":              answering(502),
		"answers 503":              answering(503, "Retry-After", "0"),
		"answers 504":              answering(504),
	}
	for _, op := range []string{reserve, charge, order} {
		for name, f := range faults {
			It(op+" "+name+": is called twice with one key, for one effect", func() {
				w := newWorld()
				w.net.next(op, f)
				a := w.buy("k")
				Expect(a.status).To(Equal(http.StatusCreated))
				Expect(a.body).To(HaveKeyWithValue("attemptCount", 4.0))
				expectSame(w.net.keys(op), 2)
				Expect(w.effects()).To(Equal(once()))
			})
		}
		It(op+" stays silent: is called twice with one key, for one effect", func() {
			w := newWorld(func(c *checkout.Config) { c.Client.Policy.Read = time.Second })
			w.hold(op, before)
			Expect(w.buy("k").status).To(Equal(http.StatusCreated))
			expectSame(w.net.keys(op), 2)
		})
	}
})

var _ = Describe("a refusal", func() {
	for _, op := range []string{reserve, charge, order} {
		for _, status := range []int{302, 400, 401, 403, 404, 409, 410, 418, 422} {
			It("is final and undone: "+op+" "+http.StatusText(status), func() {
				w := newWorld()
				w.net.next(op, answering(status))
				a := w.buy("k")
				Expect(a.status).To(Equal(http.StatusUnprocessableEntity))
				Expect(a.text("code")).To(Equal("VALIDATION_ERROR"))
				Expect(a.body).To(HaveKeyWithValue("retryable", false))
				Expect(string(a.raw)).NotTo(ContainSubstring("provider_secret"))
				Expect(w.net.of(op)).To(HaveLen(1))
				Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_FINAL"))
				left := w.effects()
				Expect(left[provider.KindRelease]).To(Equal(left[provider.KindReservation]))
				Expect(left[provider.KindVoid]).To(Equal(left[provider.KindCharge]))
				Expect(left[provider.KindOrder]).To(BeZero())
				Expect(w.buy("k").raw).To(Equal(a.raw))
				Expect(w.net.of(op)).To(HaveLen(1))
			})
		}
	}
})

var _ = Describe("a decline", func() {
	declined := strings.Replace(cartBody, "tok_ok", "tok_declined", 1)

	It("is final, and the reservation is released", func() {
		w := newWorld()
		a := w.do(send{keys: []string{"k"}, body: declined})
		Expect(a.status).To(Equal(http.StatusPaymentRequired))
		Expect(a.text("code")).To(Equal("PAYMENT_DECLINED"))
		Expect(a.body).To(HaveKeyWithValue("retryable", false))
		Expect(w.net.of(charge)).To(HaveLen(1))
		Expect(w.effects()).To(Equal(map[provider.Kind]int{provider.KindReservation: 1, provider.KindRelease: 1}))
		got := w.read(alice, a.text("requestId"))
		Expect(got.text("state")).To(Equal("FAILED_FINAL"))
		Expect(got.text("code")).To(Equal("PAYMENT_DECLINED"))
	})

	It("stays what it is while the reservation cannot be released yet", func() {
		w := newWorld()
		w.net.all(release, answering(503))
		a := w.do(send{keys: []string{"k"}, body: declined})
		Expect(a.status).To(Equal(http.StatusPaymentRequired))
		Expect(w.effects()).NotTo(HaveKey(provider.KindRelease))
		w.net.all(release, nil)
		w.reconcile()
		Eventually(w.effects, patience).Should(HaveKeyWithValue(provider.KindRelease, 1))
		Expect(w.do(send{keys: []string{"k"}, body: declined}).raw).To(Equal(a.raw))
	})
})

var _ = Describe("a dependency that is plainly unavailable", func() {
	for _, op := range []string{reserve, charge} {
		It("leaves the checkout to be resumed by the same key: "+op, func() {
			w := newWorld()
			w.net.all(op, answering(503))
			a := w.buy("k")
			Expect(a.status).To(Equal(http.StatusServiceUnavailable))
			Expect(a.text("code")).To(Equal("SERVICE_UNAVAILABLE"))
			Expect(a.body).To(HaveKeyWithValue("retryable", true))
			Expect(a.header.Get("Retry-After")).To(Equal("1"))
			Expect(w.net.of(op)).To(HaveLen(3))
			Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))

			w.net.all(op, nil)
			again := w.buy("k")
			Expect(again.status).To(Equal(http.StatusCreated))
			Expect(again.text("requestId")).To(Equal(a.text("requestId")))
			expectSame(w.net.keys(op), 4)
			Expect(w.effects()).To(Equal(once()))
		})
	}

	It("is not given up on once the card is charged", func() {
		w := newWorld()
		w.net.all(order, answering(503))
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusAccepted))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 1))
		w.net.all(order, nil)
		w.reconcile()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("shows its attempts while they go on", func() {
		w := newWorld()
		h := newHold()
		DeferCleanup(h.release)
		w.net.next(charge, answering(503), h.before)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		var requestID string
		due, err := w.store.Due(GinkgoT().Context(), time.Now().Add(time.Hour), 9)
		Expect(err).NotTo(HaveOccurred())
		Expect(due).To(HaveLen(1))
		requestID = due[0]
		got := w.read(alice, requestID)
		Expect(got.body).To(HaveKeyWithValue("attemptCount", 3.0))
		Expect(got.body).To(HaveKeyWithValue("state", "PENDING"))
		h.release()
		receive(first)
	})
})
