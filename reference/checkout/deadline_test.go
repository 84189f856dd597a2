package checkout_test

import (
	"fmt"
	"io"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

const (
	transfer = "POST transfers"
	bankBody = `{"cartId":"cart-1","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"bank_ok"}`
)

// silent keeps a call until its caller leaves; nothing of it happens.
func silent(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // the server looks for a caller who leaves after that
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// unanswered lets a call happen and keeps the answer until its caller leaves.
func unanswered(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(discarded{http.Header{}}, r)
	silent(w, r, next)
}

type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (discarded) WriteHeader(int)               {}

// brief gives a whole checkout less time than two attempts take. A mutant's
// deadline is its own.
func brief(w *world) string {
	w.cfg.Policy.Deadline = w.cfg.Policy.Deadline * 7 / 300 // 700 ms of 30 s
	_, url := w.instance()
	return url
}

var _ = Describe("the deadline of a checkout", func() {
	early := func(c *checkout.Config) {
		c.Policy.Deadline, c.Policy.Reconcile, c.Client.Policy.Read = 2*time.Second, 10*time.Millisecond, 1500*time.Millisecond
	}

	It("ends what is under way, and leaves a payment in doubt to reconciliation", func() {
		w := newWorld(early)
		w.net.next(charge, unanswered, unanswered, unanswered)
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusAccepted))
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("PENDING"))
		w.net.all(charge, nil)
		w.reconcile()
		Eventually(func() string { return w.read(alice, a.text("requestId")).text("state") }, patience).Should(Equal("SUCCEEDED"))
		Expect(w.effects()).To(Equal(once()))
	})

	It("fails a checkout of which nothing can be in doubt, under an id to look at", func() {
		w := newWorld(early)
		w.net.all(reserve, answering(503))
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(a.header.Get("Location")).To(Equal("/checkout/" + a.text("requestId")))
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))
	})
})

var _ = Describe("a transfer of unknown outcome", func() {
	It("is never made again, and fails under an id to look at", func() {
		w := newWorld()
		w.net.next(transfer, resetAfter)
		a := w.do(send{keys: []string{"k"}, body: bankBody})
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))
		w.reconcile()
		again := w.do(send{keys: []string{"k"}, body: bankBody})
		Expect(again.status).To(Equal(http.StatusServiceUnavailable))
		Expect(again.text("requestId")).To(Equal(a.text("requestId")))
		Expect(w.net.of(transfer)).To(HaveLen(1))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 1))
	})
})

// callsUntilDeadline counts the attempts that fit into a checkout.
func callsUntilDeadline(w *world) string {
	w.net.all(reserve, silent)
	status := w.do(send{keys: []string{uuid}, url: brief(w)}).status
	return fmt.Sprint(status, len(w.net.of(reserve)))
}

// callsAfterDeadline counts calls that begin once the deadline is over.
func callsAfterDeadline(w *world) string {
	w.net.all(reserve, silent)
	w.do(send{keys: []string{uuid}, url: brief(w)})
	return fmt.Sprint(oneMore(w, reserve))
}

// callsAfterFailure counts calls that begin once a checkout was answered as failed.
func callsAfterFailure(w *world) string {
	w.net.all(reserve, answering(503))
	w.buy(uuid)
	return fmt.Sprint(oneMore(w, reserve))
}

// oneMore reports whether another call of op comes within the time that a background
// retry waits, and as much again.
func oneMore(w *world, op string) bool {
	before, tick := len(w.net.of(op)), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	until := time.After(2 * w.cfg.Client.Policy.Read)
	for {
		select {
		case <-tick.C:
			if len(w.net.of(op)) > before {
				return true
			}
		case <-until:
			return false
		}
	}
}

// lostCharge tells what is left of a charge whose answers are all lost, while the
// provider cannot be asked.
func lostCharge(w *world) string {
	w.net.next(charge, resetAfter, resetAfter, resetAfter)
	w.net.next(query, answering(503), answering(503), answering(503))
	return fmt.Sprint(w.buy(uuid).status)
}

// lostTransfer tells what is left of a transfer whose answer is lost.
func lostTransfer(w *world) string {
	w.net.next(transfer, resetAfter)
	return fmt.Sprint(w.do(send{keys: []string{uuid}, body: bankBody}).status)
}
