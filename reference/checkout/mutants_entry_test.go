package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/gomega"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/auth"
)

// entryProbes look at what happens before a record exists: who is let in, what is
// read of a request, and whether its key is known.
func entryProbes() map[string]func(*world) string {
	statuses := func(requests ...send) func(*world) string {
		return func(w *world) string {
			var got []int
			for _, s := range requests {
				got = append(got, w.do(s).status)
			}
			return fmt.Sprint(got, w.effects()[provider.KindCharge])
		}
	}
	key := func(lines ...string) send { return send{keys: lines} }
	body := func(old, new string) send {
		return send{keys: []string{uuid}, body: strings.Replace(cartBody, old, new, 1)}
	}
	beside := func(other string) send {
		return send{keys: []string{uuid}, header: http.Header{"X-Idempotency-Key": {other}}}
	}
	const details = `"card":{"number":"4111111111111111","cvc":"123"}`
	return map[string]func(*world) string{
		"x-name-wins":                  statuses(beside("a"), beside("b")),
		"key-normalised":               statuses(key("k\xe9")),
		"tab-accepted":                 statuses(key("k\tx")),
		"empty-key-executes":           statuses(key("")),
		"first-line-wins":              statuses(key("a", "b")),
		"key-lines-joined":             statuses(key("a", "b")),
		"lower-case-keys":              statuses(key("k"), key("K")),
		"percent-decodes-keys":         statuses(key("%41"), key("A")),
		"unquotes-keys":                statuses(key(`"k"`), key("k")),
		"comma-splits-keys":            statuses(key("k,1"), key("k,2")),
		"cart-optional":                statuses(body(`"cartId":"cart-1",`, "")),
		"cart-version-optional":        statuses(body(`"cartVersion":1,`, "")),
		"currency-unchecked":           statuses(body("EUR", "ZZZ")),
		"payment-optional":             statuses(body(`,"paymentToken":"tok_ok"`, "")),
		"card-details-kept":            statuses(body(`"paymentToken":"tok_ok"`, details)),
		"refusal-stored":               statuses(body("EUR", ""), key(uuid)),
		"key-before-authentication":    statuses(key(uuid), send{keys: []string{uuid}, token: " "}),
		"guest-checkout":               statuses(send{keys: []string{uuid}, token: " "}),
		"status-without-credentials":   readByAnybody,
		"claims-not-verified":          forged,
		"only-checkout-guarded":        cancelledWithoutKey,
		"flag-off-ignores-keys":        lenient(key(uuid), key(uuid)),
		"flag-off-refuses":             lenient(send{}),
		"only-rejections-counted":      counted(send{}),
		"customer-in-a-label":          counted(key("a"), send{as: &bob, keys: []string{"b"}}),
		"key-in-a-label":               counted(key("a"), key("b")),
		"expired-executes":             repeatedAfter(25 * time.Hour),
		"never-expires":                repeatedAfter(25 * time.Hour),
		"retention-from-the-beginning": openFor(20*time.Hour, 23*time.Hour),
		"forgets-in-the-last-hour":     repeatedAfter(24*time.Hour - 10*time.Minute),
		"pending-purged":               openFor(25*time.Hour, 0),
	}
}

func readByAnybody(w *world) string {
	return fmt.Sprint(w.do(send{method: http.MethodGet, path: "/checkout/" + w.buy(uuid).text("requestId"), token: " "}).status)
}

func cancelledWithoutKey(w *world) string {
	return fmt.Sprint(w.do(send{method: http.MethodPost, path: "/checkout/" + w.buy(uuid).text("requestId") + "/cancel"}).status)
}

// forged is a request with a token that somebody else signed.
func forged(w *world) string {
	signer, err := auth.New(strings.Repeat("x", 32), time.Now)
	Expect(err).NotTo(HaveOccurred())
	token, err := signer.Mint(alice, time.Now().Add(time.Hour))
	Expect(err).NotTo(HaveOccurred())
	return fmt.Sprint(w.do(send{keys: []string{uuid}, token: "Bearer " + token}).status)
}

// lenient sends while no key is required.
func lenient(requests ...send) func(*world) string {
	return func(w *world) string {
		w.lenient.Store(true)
		var got []int
		for _, s := range requests {
			got = append(got, w.do(s).status)
		}
		return fmt.Sprint(got, w.effects()[provider.KindCharge])
	}
}

// counted sends while no key is required, and says what was measured.
func counted(requests ...send) func(*world) string {
	return func(w *world) string {
		lenient(requests...)(w)
		return fmt.Sprint(w.measured())
	}
}

// measured returns the counters as name, labels and value.
func (w *world) measured() []string {
	var data metricdata.ResourceMetrics
	Expect(w.metrics.Collect(context.Background(), &data)).To(Succeed())
	var lines []string
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, _ := m.Data.(metricdata.Sum[int64])
			for _, p := range sum.DataPoints {
				lines = append(lines, fmt.Sprint(m.Name, p.Attributes.ToSlice(), p.Value))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// repeatedAfter is a request that is repeated that long after it ended.
func repeatedAfter(age time.Duration) func(*world) string {
	return func(w *world) string {
		w.buy(uuid)
		w.pass(age)
		return fmt.Sprint(w.buy(uuid).status, w.effects()[provider.KindCharge])
	}
}

// openFor leaves a request open for a time, lets it end, and repeats it after
// another.
func openFor(open, then time.Duration) func(*world) string {
	return func(w *world) string {
		w.net.all(charge, resetAfter)
		w.net.all(query, answering(503))
		id := w.buy(uuid).text("requestId")
		w.pass(open)
		kept := w.buy(uuid).text("requestId") == id
		w.net.all(charge, nil)
		w.net.all(query, nil)
		w.reconcile()
		Eventually(func() bool { return slices.Contains([]int{201, 422}, w.buy(uuid).status) }, patience).Should(BeTrue())
		w.pass(then)
		return fmt.Sprint(kept, w.buy(uuid).status)
	}
}
