package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// refusedBody holds a card number in place of a token.
const refusedBody = `{"cartId":"cart-1","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"4111 1111 1111 1111"}`

// declinedBody is declined by the provider, which says so in words of its own.
const declinedBody = `{"cartId":"cart-1","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"tok_declined"}`

// interfaceProbes describe who may read a status and what it says, the form of
// answers, calls and records, and what is kept out of all of them.
func interfaceProbes() map[string]func(*world) string {
	readBy := func(p auth.Principal) func(*world) string {
		return func(w *world) string { return fmt.Sprint(w.read(p, w.buy(uuid).text("requestId")).status) }
	}
	waiting := func(w *world) string { // for its caller
		w.net.next(reserve, answering(503), answering(503), answering(503))
		return w.buy(uuid).text("requestId")
	}
	stored := func(w *world) checkout.Record {
		GinkgoHelper()
		r, err := w.store.Load(context.Background(), w.buy(uuid).text("requestId"))
		Expect(err).NotTo(HaveOccurred())
		return r
	}
	expiry := func(w *world) string { r := stored(w); return fmt.Sprint(r.ExpiresAt.Sub(r.TerminalAt)) }
	return map[string]func(*world) string{
		"support-refused":    readBy(support),
		"tenant-reads":       readBy(bob),
		"role-before-tenant": readBy(auth.Principal{Tenant: "t2", Subject: "sue", Roles: []string{auth.RoleSupport}}),
		"any-role-reads":     readBy(auth.Principal{Tenant: "t1", Subject: "eve", Roles: []string{"auditor"}}),
		"role-from-header": func(w *world) string {
			id := w.buy(uuid).text("requestId")
			return fmt.Sprint(w.do(send{as: &bob, method: "GET", path: "/checkout/" + id, header: http.Header{"X-User-Roles": {"support"}}}).status)
		},
		"anonymous-404": func(w *world) string {
			return fmt.Sprint(w.do(send{token: "none", method: "GET", path: "/checkout/x"}).status)
		},
		"reconcile-on-read": func(w *world) string {
			w.read(alice, waiting(w))
			return fmt.Sprint(len(w.net.of(query)))
		},
		"read-is-a-change": func(w *world) string {
			id := w.buy(uuid).text("requestId")
			before := w.read(alice, id).text("updatedAt")
			return fmt.Sprint(w.read(alice, id).text("updatedAt") == before)
		},
		"status-without-updated-at": func(w *world) string {
			return fmt.Sprint(w.read(alice, w.buy(uuid).text("requestId")).text("updatedAt") != "")
		},
		"provider-code-in-status": func(w *world) string {
			id := w.do(send{keys: []string{uuid}, body: declinedBody}).text("requestId")
			return w.read(alice, id).text("code")
		},
		"debug-in-status": func(w *world) string {
			return fmt.Sprint(strings.Contains(string(w.read(alice, w.buy(uuid).text("requestId")).raw), "tok_ok"))
		},
		"provider-key-in-header": func(w *world) string {
			return fmt.Sprint(w.do(send{keys: []string{uuid}, correlationID: "corr-1"}).header.Get("X-Payment-Key") != "")
		},
		"status-cached": func(w *world) string {
			id := waiting(w)
			w.read(alice, id)
			w.buy(uuid)
			return w.read(alice, id).text("state")
		},
		"counted-request-ids": func(w *world) string {
			first, second := w.buy("a").text("requestId"), w.buy("b").text("requestId")
			return fmt.Sprint(first[:16] == second[:16])
		},
		"status-cacheable": func(w *world) string {
			a, err := w.try(send{method: "GET", path: "/checkout/" + w.buy(uuid).text("requestId")})
			Expect(err).NotTo(HaveOccurred())
			return a.header.Get("Cache-Control")
		},
		"answer-without-attempt-count": func(w *world) string { return fmt.Sprint(w.buy(uuid).body["attemptCount"]) },
		"private-error-code":           func(w *world) string { return w.read(alice, "x").text("code") },
		"html-error-page": func(w *world) string {
			a, _ := w.try(send{method: "GET", path: "/checkout/x"}) // a page is no JSON
			return a.header.Get("Content-Type")
		},
		"retryable-as-text": func(w *world) string {
			return fmt.Sprintf("%T", w.do(send{token: "none", method: "GET", path: "/checkout/x"}).body["retryable"])
		},
		"one-error-code": func(w *world) string {
			w.net.next(charge, resetAfter, resetAfter, resetAfter)
			w.net.next(query, answering(503), answering(503), answering(503))
			return w.buy(uuid).text("code")
		},
		"refusal-as-outage": func(w *world) string { return w.do(send{}).text("code") },
		"store-down-is-pending": func(w *world) string {
			w.store.down.Store(true)
			return w.buy(uuid).text("code")
		},
		"correlation-of-the-last": func(w *world) string {
			h := w.hold(charge, before)
			first := w.begin(send{keys: []string{"a"}, correlationID: "corr-a"})
			Eventually(h.arrived, patience).Should(BeClosed())
			w.do(send{keys: []string{"b"}, correlationID: "corr-b"})
			h.release()
			receive(first)
			return fmt.Sprint(w.net.of(order))
		},
		"audit-without-correlation": func(w *world) string {
			w.do(send{keys: []string{uuid}, correlationID: "corr-1"})
			n := 0
			for line := range strings.Lines(w.log.String()) {
				if strings.Contains(line, `"msg":"state"`) && strings.Contains(line, "corr-1") {
					n++
				}
			}
			return fmt.Sprint(n)
		},
		"record-without-expiry": expiry,
		"expires-early":         expiry,
		"attempts-forgotten": func(w *world) string {
			attempts, err := w.store.Attempts(context.Background(), w.buy(uuid).text("requestId"))
			Expect(err).NotTo(HaveOccurred())
			return fmt.Sprint(len(attempts))
		},
		"refused-body-logged": func(w *world) string {
			w.do(send{keys: []string{uuid}, body: refusedBody})
			return fmt.Sprint(strings.Contains(w.log.String(), "4111"))
		},
		"token-logged": func(w *world) string {
			w.do(send{keys: []string{uuid}, body: declinedBody})
			return fmt.Sprint(strings.Contains(w.log.String(), "tok_declined"))
		},
		"raw-body-stored": func(w *world) string {
			w.do(send{keys: []string{uuid}, body: refusedBody})
			return fmt.Sprint(w.store.loses.Load()) // each reservation takes one off
		},
	}
}
