package checkout_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

// keyProbes describe what a key belongs to, which requests are one, and what a
// replay tells.
func keyProbes() map[string]func(*world) string {
	altered := func(old, other string) func(*world) string {
		return func(w *world) string {
			w.buy(uuid)
			return fmt.Sprint(w.do(send{keys: []string{uuid}, body: strings.Replace(cartBody, old, other, 1)}).status)
		}
	}
	delivered := func(header, correlation string) func(*world) string {
		return func(w *world) string {
			w.buy(uuid)
			s := send{keys: []string{uuid}, correlationID: correlation}
			if header != "" {
				s.header = http.Header{header: {"00-1-2-01"}}
			}
			return fmt.Sprint(w.do(s).status)
		}
	}
	conflict := func(w *world) string {
		first := w.buy(uuid)
		other := w.do(send{keys: []string{uuid}, body: strings.Replace(cartBody, "4200", "1", 1)})
		return fmt.Sprint(strings.Contains(string(other.raw), first.text("orderId")), w.buy(uuid).status)
	}
	conflictMeanwhile := func(w *world) string {
		h := w.hold(charge, before)
		first := w.begin(send{keys: []string{uuid}})
		Eventually(h.arrived, patience).Should(BeClosed())
		other := w.do(send{keys: []string{uuid}, body: strings.Replace(cartBody, "4200", "1", 1)})
		h.release()
		receive(first)
		return fmt.Sprint(other.text("code"), other.header["Location"] != nil)
	}
	replayedHeaders := func(w *world) string {
		first := w.buy(uuid)
		w.pass(time.Minute)
		again := w.buy(uuid)
		return fmt.Sprint(again.header.Get("Location") == first.header.Get("Location"), len(again.header["Date"]), again.header.Get("Date") >= first.header.Get("Date"), len(first.body))
	}
	return map[string]func(*world) string{
		"key-shared-by-operations": func(w *world) string { return fmt.Sprint(w.cancel(alice, w.buy(uuid).text("requestId"), uuid).status) },
		"key-shared-by-versions": func(w *world) string {
			first := w.buy(uuid)
			second := w.do(send{method: http.MethodPost, path: "/v2/checkout", keys: []string{uuid}, body: cartBody})
			return fmt.Sprint(first.text("orderId") == second.text("orderId"))
		},
		"scope-joined-by-colons": func(w *world) string {
			w.buy("t1:bob:checkout:v1:k")
			w.do(send{as: &bob, keys: []string{"k"}})
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"credential-for-principal": func(w *world) string {
			w.buy(uuid)
			token, err := w.tokens.Mint(alice, time.Now().Add(2*time.Hour))
			Expect(err).NotTo(HaveOccurred())
			w.do(send{token: "Bearer " + token, keys: []string{uuid}})
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"conflict-replaces-record":       conflict,
		"conflict-shows-original":        conflict,
		"conflict-tells-while-open":      conflictMeanwhile,
		"in-progress-before-conflict":    conflictMeanwhile,
		"fingerprint-written-at-the-end": conflictMeanwhile,
		"in-progress-without-guidance": func(w *world) string {
			h := w.hold(charge, before)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			told := w.buy(uuid).header.Get("Retry-After")
			h.release()
			receive(first)
			return told
		},
		"fingerprint-without-version":     altered(`"cartVersion":1`, `"cartVersion":2`),
		"fingerprint-without-currency":    altered("EUR", "USD"),
		"fingerprint-without-payment":     altered("tok_ok", "tok_two"),
		"fingerprint-of-bytes":            altered(`,"currency"`, `, "currency"`),
		"fingerprint-with-trace":          delivered("Traceparent", ""),
		"fingerprint-with-correlation-id": delivered("", "another"),
		"null-read-as-absent":             altered(`"tok_ok"`, `"tok_ok","receipt":null`),
		"replay-asks-provider": func(w *world) string {
			w.buy(uuid)
			w.net.all(query, answering(http.StatusPaymentRequired))
			return fmt.Sprint(w.buy(uuid).status)
		},
		"decline-not-stored": func(w *world) string {
			w.net.next(charge, answering(http.StatusPaymentRequired))
			w.buy(uuid)
			return fmt.Sprint(w.buy(uuid).status)
		},
		"replay-tells-current-state": func(w *world) string {
			w.cancel(alice, w.buy(uuid).text("requestId"), "c")
			return w.buy(uuid).text("state")
		},
		"replay-without-location": replayedHeaders,
		"replay-with-every-header": func(w *world) string {
			w.ahead.Store(int64(-time.Hour))
			w.buy(uuid)
			date, err := http.ParseTime(w.buy(uuid).header.Get("Date"))
			Expect(err).NotTo(HaveOccurred())
			return fmt.Sprint(time.Since(date) < time.Minute)
		},
		"large-answer-not-stored": func(w *world) string {
			asking := send{keys: []string{uuid}, body: strings.Replace(cartBody, `"tok_ok"`, `"tok_ok","receipt":"itemised"`, 1)}
			w.do(asking)
			w.do(asking)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"empty-success": replayedHeaders,
		"racing-key-told-success": func(w *world) string {
			h := w.hold(charge, before)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			second := w.begin(send{keys: []string{"another"}})
			h.release()
			receive(first)
			receive(second)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		},
		"cart-sold-once": func(w *world) string {
			w.buy(uuid)
			return fmt.Sprint(w.buy("another").status)
		},
		"captured-twice": func(w *world) string {
			w.buy(uuid)
			deadline := time.After(2500 * time.Millisecond)
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-deadline:
					return fmt.Sprint(w.effects()[provider.KindCharge])
				case <-tick.C:
					if w.effects()[provider.KindCharge] > 1 {
						return "twice"
					}
				}
			}
		},
	}
}
