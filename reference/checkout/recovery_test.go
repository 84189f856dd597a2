package checkout_test

import (
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// still keeps the lease from being prolonged during a spec.
func still(c *checkout.Config) { c.Policy.Lease = time.Hour }

var _ = Describe("the store", func() {
	It("is needed before anything happens", func() {
		w := newWorld()
		w.store.down.Store(true)
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(a.text("code")).To(Equal("SERVICE_UNAVAILABLE"))
		Expect(w.net.of("")).To(BeEmpty())
		Expect(w.read(alice, "x").status).To(Equal(http.StatusServiceUnavailable))
		w.store.down.Store(false)
		Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("may be lost after the charge without a second one", func() {
		w := newWorld(still)
		h := w.hold(charge, after)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		w.store.down.Store(true)
		h.release()
		a := receive(first)
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(a.text("requestId")).NotTo(BeEmpty())
		Expect(w.net.of(order)).To(BeEmpty(), "nothing is done on the strength of what is not saved")

		w.store.down.Store(false)
		Expect(w.buy("k").text("code")).To(Equal("REQUEST_IN_PROGRESS"))
		w.pass(2 * time.Hour)
		again := w.buy("k")
		Expect(again.status).To(Equal(http.StatusCreated))
		Expect(again.text("requestId")).To(Equal(a.text("requestId")))
		Expect(w.net.of(query)).To(HaveLen(1), "the outcome was unknown")
		Expect(w.effects()).To(Equal(once()))
	})
})

var _ = Describe("a worker that died", func() {
	// die leaves a checkout behind as a killed process would: claimed, its
	// charge held before or after the provider's commit.
	die := func(w *world, of func(*hold) fault) *hold {
		GinkgoHelper()
		h := w.hold(charge, of)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		w.service.Stop()
		Expect(receive(first).status).To(Equal(http.StatusServiceUnavailable))
		return h
	}

	for name, of := range map[string]func(*hold) fault{"before": before, "after": after} {
		It("is succeeded by the next request once its lease has run out, "+name+" the provider's commit", func() {
			w := newWorld(still)
			h := die(w, of)
			_, second := w.instance()
			Expect(w.do(send{keys: []string{"k"}, url: second}).text("code")).To(Equal("REQUEST_IN_PROGRESS"))
			w.pass(2 * time.Hour)
			Expect(w.do(send{keys: []string{"k"}, url: second}).status).To(Equal(http.StatusCreated))
			h.release()
			Eventually(w.effects, patience).Should(Equal(once()))
			keys := w.net.keys(charge)
			expectSame(keys, len(keys))
		})
	}

	It("is succeeded by reconciliation where nobody asks", func() {
		w := newWorld(still)
		die(w, after)
		w.service, w.url = w.instance()
		w.pass(2 * time.Hour)
		w.reconcile()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("has used up its attempts for good", func() {
		w := newWorld(still)
		h := newHold()
		DeferCleanup(h.release)
		w.net.next(charge, answering(503), h.before, answering(503), answering(503))
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		w.service.Stop()
		receive(first)
		w.pass(2 * time.Hour)
		_, second := w.instance()
		Expect(w.do(send{keys: []string{"k"}, url: second}).status).To(Equal(http.StatusAccepted))
		Expect(w.net.of(charge)).To(HaveLen(3))
	})
})

var _ = Describe("a worker that was only slow", func() {
	It("cannot write any more, and its caller is told to come back", func() {
		w := newWorld(still)
		h := w.hold(charge, before)
		slow := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		w.pass(2 * time.Hour)
		_, second := w.instance()
		done := w.do(send{keys: []string{"k"}, url: second})
		Expect(done.status).To(Equal(http.StatusCreated))
		h.release()
		Expect(receive(slow).text("code")).To(Equal("REQUEST_IN_PROGRESS"))
		Expect(w.buy("k").raw).To(Equal(done.raw))
		Expect(w.effects()).To(Equal(once()))
	})

	It("keeps its lease while it lives", func() {
		w := newWorld(func(c *checkout.Config) { c.Policy.Lease = 60 * time.Millisecond })
		w.reconcile()
		h := w.hold(charge, before)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		lease := func() time.Time {
			due, err := w.store.Due(GinkgoT().Context(), time.Now().Add(time.Hour), 1)
			Expect(err).NotTo(HaveOccurred())
			Expect(due).To(HaveLen(1))
			r, err := w.store.Load(GinkgoT().Context(), due[0])
			Expect(err).NotTo(HaveOccurred())
			return r.LeaseUntil
		}
		start := lease()
		Eventually(lease, patience).Should(BeTemporally(">", start.Add(120*time.Millisecond)))
		h.release()
		receive(first)
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 1))
	})
})

var _ = Describe("dependencies that move", func() {
	It("are called at the new place from the next call on", func() {
		w := newWorld()
		w.service.Redirect(map[string]string{})
		Expect(w.buy("k").status).To(Equal(http.StatusServiceUnavailable))
		Expect(w.net.of("")).To(BeEmpty())
	})
})
