package checkout_test

import (
	"context"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// givenBack is the trace of a checkout whose order was refused.
func givenBack() map[provider.Kind]int {
	return map[provider.Kind]int{provider.KindReservation: 1, provider.KindCharge: 1, provider.KindVoid: 1, provider.KindRelease: 1}
}

var _ = Describe("what a failed checkout did", func() {
	bodies := map[string]string{"a charge": cartBody, "a transfer": bankBody}
	for what, body := range bodies {
		for _, status := range []int{302, 400, 401, 403, 422} {
			It("is undone later where that is refused for now: "+what+" "+http.StatusText(status), func() {
				w := newWorld()
				w.net.next(order, answering(422))
				w.net.all(void, answering(status))
				a := w.do(send{keys: []string{"k"}, body: body})
				Expect(a.status).To(Equal(http.StatusUnprocessableEntity))
				Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_FINAL"))
				Expect(w.net.of(void)).To(HaveLen(1), "a refusal is not repeated at once")
				w.reconcile()
				Eventually(func() int { return len(w.net.of(void)) }, patience).Should(BeNumerically(">=", 3))
				Expect(w.effects()).NotTo(HaveKey(provider.KindVoid))
				w.net.all(void, nil)
				Eventually(w.effects, patience).Should(Equal(givenBack()))
				Expect(w.do(send{keys: []string{"k"}, body: body}).raw).To(Equal(a.raw))
			})
		}
	}

	It("is undone later: the reservation", func() {
		w := newWorld()
		w.net.next(order, answering(422))
		w.net.all(release, answering(http.StatusUnauthorized))
		w.buy("k")
		w.reconcile()
		Eventually(func() int { return len(w.net.of(release)) }, patience).Should(BeNumerically(">=", 3))
		w.net.all(release, nil)
		Eventually(w.effects, patience).Should(Equal(givenBack()))
	})

	for _, status := range []int{404, 409, 410} {
		It("is left alone where there is nothing to undo: "+http.StatusText(status), func() {
			w := newWorld()
			w.net.next(order, answering(422))
			w.net.all(void, answering(status))
			w.buy("k")
			Expect(w.net.of(void)).To(HaveLen(1))
			Expect(w.effects()).To(HaveKeyWithValue(provider.KindRelease, 1))
			due, err := w.store.Due(GinkgoT().Context(), w.cfg.Now().Add(w.cfg.Policy.Retention), 1)
			Expect(err).NotTo(HaveOccurred())
			Expect(due).To(BeEmpty())
		})
	}
})

var _ = Describe("an answer that says nothing", func() {
	It("is one that the service cannot give now", func() {
		w := newWorld(func(c *checkout.Config) {
			c.Replay = func(context.Context, checkout.Record) checkout.Answer { return checkout.Answer{} }
		})
		Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		again := w.buy("k")
		Expect(again.status).To(Equal(http.StatusServiceUnavailable))
		Expect(again.text("code")).To(Equal("SERVICE_UNAVAILABLE"))
	})
})
