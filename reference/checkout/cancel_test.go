package checkout_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/auth"
)

func (w *world) cancel(as auth.Principal, id, key string) answer {
	GinkgoHelper()
	return w.do(send{as: &as, method: http.MethodPost, path: "/checkout/" + id + "/cancel", keys: []string{key}})
}

// undone is the trace of one complete checkout and its cancellation.
func undone() map[provider.Kind]int {
	effects := once()
	effects[provider.KindRefund], effects[provider.KindRelease] = 1, 1
	return effects
}

var _ = Describe("a cancellation", func() {
	It("refunds and releases once, under the key of the checkout or another", func() {
		w := newWorld()
		bought := w.buy("k")
		done := w.cancel(alice, bought.text("requestId"), "k")
		Expect(done.status).To(Equal(http.StatusCreated))
		Expect(done.text("cancels")).To(Equal(bought.text("requestId")))
		Expect(done.text("requestId")).NotTo(Equal(bought.text("requestId")))
		Expect(done.text("state")).To(Equal("SUCCEEDED"))
		again := w.cancel(alice, bought.text("requestId"), "k")
		Expect(again.raw).To(Equal(done.raw))
		Expect(w.effects()).To(Equal(undone()))
	})

	It("leaves the checkout's own answer alone, and its status tells both", func() {
		w := newWorld()
		bought := w.buy("k")
		id := bought.text("requestId")
		Expect(w.read(alice, id).body).NotTo(HaveKey("cancellation"))
		done := w.cancel(alice, id, "c")
		Expect(w.buy("k").raw).To(Equal(bought.raw))
		status := w.read(alice, id)
		Expect(status.text("state")).To(Equal("SUCCEEDED"))
		Expect(status.body["cancellation"]).To(HaveKeyWithValue("requestId", done.text("requestId")))
		Expect(status.body["cancellation"]).To(HaveKeyWithValue("state", "SUCCEEDED"))
		Expect(w.read(alice, done.text("requestId")).text("cancels")).To(Equal(id))
	})

	It("is for the owner only", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		Expect(w.cancel(bob, id, "c").status).To(Equal(http.StatusForbidden))
		Expect(w.cancel(support, id, "c").status).To(Equal(http.StatusForbidden))
		Expect(w.cancel(carol, id, "c").status).To(Equal(http.StatusNotFound))
		Expect(w.cancel(alice, "nobody", "c").status).To(Equal(http.StatusNotFound))
		Expect(w.effects()).To(Equal(once()))
	})

	It("is for a checkout that succeeded, and once", func() {
		w := newWorld()
		declined := w.do(send{keys: []string{"d"}, body: strings.Replace(cartBody, "tok_ok", "tok_declined", 1)})
		Expect(w.cancel(alice, declined.text("requestId"), "c").status).To(Equal(http.StatusUnprocessableEntity))
		transferred := w.do(send{keys: []string{"b"}, body: strings.Replace(cartBody, "tok_ok", "bank_ok", 1)})
		Expect(transferred.status).To(Equal(http.StatusCreated))
		Expect(w.cancel(alice, transferred.text("requestId"), "c").status).To(Equal(http.StatusUnprocessableEntity))
		id := w.buy("k").text("requestId")
		done := w.cancel(alice, id, "c")
		Expect(done.status).To(Equal(http.StatusCreated))
		Expect(w.cancel(alice, id, "d").status).To(Equal(http.StatusUnprocessableEntity), "another key")
		Expect(w.cancel(alice, done.text("requestId"), "e").status).To(Equal(http.StatusUnprocessableEntity), "a cancellation")
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindRefund, 1))
	})

	It("of another checkout under a used key is a conflict", func() {
		w := newWorld()
		first, second := w.buy("k").text("requestId"), w.buy("l").text("requestId")
		w.cancel(alice, first, "c")
		Expect(w.cancel(alice, second, "c").text("code")).To(Equal("IDEMPOTENCY_CONFLICT"))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindRefund, 1))
	})

	It("that nobody answered is carried out later, once", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		w.net.next("refund", resetAfter, resetAfter, resetAfter)
		Expect(w.cancel(alice, id, "c").status).To(Equal(http.StatusAccepted))
		Expect(w.read(alice, id).body["cancellation"]).To(HaveKeyWithValue("state", "PENDING"))
		w.reconcile()
		Eventually(func() int { return w.cancel(alice, id, "c").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(undone()))
	})

	It("that nobody answered is not refused by what is refused later: the money may be back", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		w.net.next("refund", resetAfter, resetAfter, resetAfter)
		Expect(w.cancel(alice, id, "c").status).To(Equal(http.StatusAccepted))
		w.net.all("refund", answering(http.StatusForbidden))
		w.reconcile()
		Eventually(func() int { return len(w.net.of("refund")) }, patience).Should(BeNumerically(">=", 5))
		Expect(w.read(alice, id).body["cancellation"]).To(HaveKeyWithValue("state", "PENDING"))
		Expect(w.cancel(alice, id, "d").status).To(Equal(http.StatusUnprocessableEntity), "another key")
		w.net.all("refund", nil)
		Eventually(func() int { return w.cancel(alice, id, "c").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(undone()))
	})

	It("whose release is refused for now is pending until it is made, and refunds no more", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		w.net.all(release, answering(http.StatusUnauthorized))
		Expect(w.cancel(alice, id, "c").status).To(Equal(http.StatusAccepted))
		Expect(w.net.of(release)).To(HaveLen(1), "a refusal is not repeated at once")
		w.reconcile()
		Eventually(func() int { return len(w.net.of(release)) }, patience).Should(BeNumerically(">=", 3))
		w.net.all(release, nil)
		Eventually(func() int { return w.cancel(alice, id, "c").status }, patience).Should(Equal(http.StatusCreated))
		Expect(w.net.of("refund")).To(HaveLen(1))
		Expect(w.effects()).To(Equal(undone()))
	})

	It("that was refunded without saying what is asked for again, under the same key", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		w.net.next("refund", saying(http.StatusOK, `{}`))
		Expect(w.cancel(alice, id, "c").status).To(Equal(http.StatusAccepted))
		w.reconcile()
		Eventually(func() int { return w.cancel(alice, id, "c").status }, patience).Should(Equal(http.StatusCreated))
		expectSame(w.net.keys("refund"), 2)
		Expect(w.effects()).To(Equal(undone()))
	})

	It("that was refused may be tried again under another key", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		w.net.next("refund", answering(http.StatusForbidden))
		Expect(w.cancel(alice, id, "c").status).To(Equal(http.StatusUnprocessableEntity))
		Expect(w.effects()).To(Equal(once()))
		Expect(w.read(alice, id).body).NotTo(HaveKey("cancellation"))
		Expect(w.cancel(alice, id, "d").status).To(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(undone()))
	})

	It("takes a key, and neither a body nor a query", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		for _, s := range []send{
			{method: http.MethodPost, path: "/checkout/" + id + "/cancel"},
			{method: http.MethodPost, path: "/checkout/" + id + "/cancel", keys: []string{"c"}, body: `{"amount":1}`},
			{method: http.MethodPost, path: "/checkout/" + id + "/cancel?amount=1", keys: []string{"c"}},
		} {
			Expect(w.do(s).status).To(Equal(http.StatusBadRequest))
		}
		Expect(w.effects()).To(Equal(once()))
		empty := w.do(send{method: http.MethodPost, path: "/checkout/" + id + "/cancel", keys: []string{"c"}, body: ` {} `})
		Expect(empty.status).To(Equal(http.StatusCreated))
	})
})

var _ = Describe("version 2", func() {
	It("is another use of a key, and tells what was charged", func() {
		w := newWorld()
		first := w.buy("k")
		second := w.do(send{method: http.MethodPost, path: "/v2/checkout", keys: []string{"k"}, body: cartBody})
		Expect(second.status).To(Equal(http.StatusCreated))
		Expect(second.text("orderId")).NotTo(Equal(first.text("orderId")))
		Expect(second.body).To(HaveKeyWithValue("amount", 4200.0))
		Expect(second.body).To(HaveKeyWithValue("currency", "EUR"))
		Expect(first.body).NotTo(HaveKey("amount"))
		again := w.do(send{method: http.MethodPost, path: "/v2/checkout", keys: []string{"k"}, body: cartBody})
		Expect(again.raw).To(Equal(second.raw))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 2))
	})
})

var _ = Describe("a receipt", func() {
	asking := strings.Replace(cartBody, `"tok_ok"`, `"tok_ok","receipt":"itemised"`, 1)

	It("is in the answer where it is asked for, and in its replays", func() {
		w := newWorld()
		first := w.do(send{keys: []string{"k"}, body: asking})
		Expect(first.status).To(Equal(http.StatusCreated))
		Expect(first.text("receipt")).To(ContainSubstring("42.00 EUR"))
		Expect(w.do(send{keys: []string{"k"}, body: asking}).raw).To(Equal(first.raw))
		Expect(w.buy("l").body).NotTo(HaveKey("receipt"))
	})

	It("that is null is refused, and none is another request than one", func() {
		w := newWorld()
		Expect(w.do(send{keys: []string{"k"}, body: strings.Replace(asking, `"itemised"`, "null", 1)}).status).To(Equal(http.StatusBadRequest))
		Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		Expect(w.do(send{keys: []string{"k"}, body: asking}).status).To(Equal(http.StatusConflict))
	})
})
