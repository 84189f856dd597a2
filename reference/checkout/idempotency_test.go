package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

var _ = Describe("a checkout", func() {
	It("makes one reservation, one charge and one order, and says so", func() {
		w := newWorld()
		a := w.do(send{keys: []string{"k"}, correlationID: "corr-1"})
		Expect(a.status).To(Equal(http.StatusCreated))
		Expect(a.header.Get("Location")).To(Equal("/checkout/" + a.text("requestId")))
		Expect(a.body).To(HaveLen(5))
		Expect(a.text("orderId")).NotTo(BeEmpty())
		Expect(a.body).To(HaveKeyWithValue("state", "SUCCEEDED"))
		Expect(a.body).To(HaveKeyWithValue("attemptCount", 3.0))
		Expect(a.body).To(HaveKeyWithValue("correlationId", "corr-1"))
		Expect(w.effects()).To(Equal(once()))
		for _, e := range w.provider.Entries(0) {
			Expect(e.Reference).To(Equal("cart-1"))
			Expect(e.CorrelationID).To(Equal("corr-1"))
		}
	})

	It("gives each operation of each checkout a provider key of its own that shows nothing of the client's", func() {
		w := newWorld()
		w.buy("client-key")
		w.do(send{as: &carol, keys: []string{"client-key"}})
		keys := map[string]bool{}
		for _, s := range w.net.of("") {
			keys[s.key] = true
			Expect(s.key).NotTo(ContainSubstring("client-key"))
		}
		Expect(keys).To(HaveLen(6))
	})

	DescribeTable("is repeated byte for byte, whatever has changed since",
		func(body string, status int) {
			w := newWorld()
			first := w.do(send{keys: []string{"k"}, body: body})
			Expect(first.status).To(Equal(status))
			calls := len(w.net.of(""))
			for _, op := range []string{reserve, charge, order} {
				w.net.all(op, answering(http.StatusPaymentRequired))
			}
			for i := range 10 {
				again := w.do(send{keys: []string{"k"}, body: body, correlationID: fmt.Sprint("other-", i)})
				Expect(again.status).To(Equal(first.status))
				Expect(again.raw).To(Equal(first.raw))
				Expect(again.header.Get("Location")).To(Equal(first.header.Get("Location")))
			}
			Expect(w.net.of("")).To(HaveLen(calls), "a replay calls nobody")
		},
		Entry("a success", cartBody, http.StatusCreated),
		Entry("a decline", strings.Replace(cartBody, "tok_ok", "tok_declined", 1), http.StatusPaymentRequired),
	)

	It("is the same for equal meaning in another form", func() {
		w := newWorld()
		first := w.buy("k")
		again := w.do(send{keys: []string{"k"}, body: `{"paymentToken":"tok_ok", "amount":4.2e3, "currency":"EUR",
			"cartVersion":1.0, "cartId":"cart\u002d1"}`})
		Expect(again.raw).To(Equal(first.raw))
	})

	It("keeps tenants and customers apart", func() {
		w := newWorld()
		ids := map[string]bool{}
		for _, p := range []*send{{as: &alice}, {as: &bob}, {as: &carol}} {
			p.keys = []string{"k"}
			ids[w.do(*p).text("orderId")] = true
		}
		Expect(ids).To(HaveLen(3))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 3))
	})

	It("treats keys that differ in anything as different", func() {
		w := newWorld()
		ids := map[string]bool{}
		keys := []string{"k", "K", "a b", "a%20b", `"k"`, "a,b", "a", strings.Repeat("x", 127), strings.Repeat("x", 128)}
		for _, key := range keys {
			ids[w.buy(key).text("requestId")] = true
		}
		Expect(ids).To(HaveLen(len(keys)))
	})
})

var _ = Describe("a used key with another request", func() {
	other := strings.Replace(cartBody, "4200", "4300", 1)

	It("is a conflict that reveals nothing and changes nothing", func() {
		w := newWorld()
		first := w.buy("k")
		calls := len(w.net.of(""))
		conflict := w.do(send{keys: []string{"k"}, body: other, correlationID: "second"})
		Expect(conflict.status).To(Equal(http.StatusConflict))
		Expect(conflict.body).To(HaveKeyWithValue("code", "IDEMPOTENCY_CONFLICT"))
		Expect(conflict.body).To(HaveKeyWithValue("correlationId", "second"))
		Expect(conflict.body).To(HaveLen(4))
		Expect(string(conflict.raw)).NotTo(ContainSubstring(first.text("orderId")))
		Expect(w.net.of("")).To(HaveLen(calls))
		Expect(w.buy("k").raw).To(Equal(first.raw))
	})

	It("is a conflict even while the first is at work", func() {
		w := newWorld()
		h := w.hold(charge, before)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		Expect(w.do(send{keys: []string{"k"}, body: other}).text("code")).To(Equal("IDEMPOTENCY_CONFLICT"))
		h.release()
		Expect(receive(first).status).To(Equal(http.StatusCreated))
	})

	It("has the status that the dialect asks for", func() {
		w := newWorld(func(c *checkout.Config) { c.Conflict = checkout.Conflict(http.StatusUnprocessableEntity) })
		w.buy("k")
		Expect(w.do(send{keys: []string{"k"}, body: other}).status).To(Equal(http.StatusUnprocessableEntity))
	})

	for field, pair := range map[string][2]string{
		"cartId": {"cart-1", "cart-2"}, "cartVersion": {`"cartVersion":1`, `"cartVersion":2`},
		"currency": {"EUR", "USD"}, "amount": {"4200", "4201"}, "paymentToken": {"tok_ok", "tok_two"},
	} {
		It("differs by "+field, func() {
			w := newWorld()
			w.buy("k")
			Expect(w.do(send{keys: []string{"k"}, body: strings.Replace(cartBody, pair[0], pair[1], 1)}).status).
				To(Equal(http.StatusConflict))
		})
	}
})

var _ = Describe("a duplicate while the first is at work", func() {
	It("is told to come back, and then gets the first one's answer", func() {
		w := newWorld()
		h := w.hold(charge, before)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		busy := w.buy("k")
		Expect(busy.status).To(Equal(http.StatusConflict))
		Expect(busy.body).To(HaveKeyWithValue("code", "REQUEST_IN_PROGRESS"))
		Expect(busy.body).To(HaveKeyWithValue("retryable", true))
		Expect(busy.body).To(HaveLen(4))
		Expect(busy.header.Get("Retry-After")).To(Equal("1"))
		h.release()
		done := receive(first)
		Expect(w.buy("k").raw).To(Equal(done.raw))
		Expect(w.effects()).To(Equal(once()))
	})

	It("never makes a second checkout, over two instances either", func() {
		w := newWorld()
		_, second := w.instance()
		var wg sync.WaitGroup
		answers := make(chan answer, 20)
		for i := range cap(answers) {
			s := send{keys: []string{"k"}}
			if i%2 == 1 {
				s.url = second
			}
			wg.Go(func() {
				defer GinkgoRecover()
				a, err := w.try(s)
				Expect(err).NotTo(HaveOccurred())
				answers <- a
			})
		}
		wg.Wait()
		close(answers)
		final := w.buy("k")
		Expect(final.status).To(Equal(http.StatusCreated))
		for a := range answers {
			if a.status == http.StatusCreated {
				Expect(a.raw).To(Equal(final.raw))
				continue
			}
			Expect(a.text("code")).To(Equal("REQUEST_IN_PROGRESS"))
		}
		Expect(w.effects()).To(Equal(once()))
	})
})

var _ = Describe("a customer who disconnects", func() {
	It("has neither cancelled nor doubled the checkout", func() {
		w := newWorld()
		h := w.hold(charge, after)
		ctx, leave := context.WithCancel(context.Background())
		left := make(chan error, 1)
		go func() {
			_, err := w.try(send{ctx: ctx, keys: []string{"k"}})
			left <- err
		}()
		Eventually(h.arrived, patience).Should(BeClosed())
		leave()
		Eventually(left, patience).Should(Receive(HaveOccurred()))
		h.release()
		Eventually(func() int { return w.buy("k").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})
})

var _ = Describe("the service's own deadline", func() {
	It("ends a checkout whose payment is silent as pending, and starts no call afterwards", func() {
		w := newWorld(func(c *checkout.Config) { c.Policy.Deadline = time.Second })
		w.hold(charge, after)
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusAccepted))
		Expect(w.net.of(charge)).To(HaveLen(1))
		Expect(w.net.of(order)).To(BeEmpty())
	})
})
