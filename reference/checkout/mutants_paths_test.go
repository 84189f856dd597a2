package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

// changedBody asks for something else under the same key.
var changedBody = strings.Replace(cartBody, "4200", "1", 1)

// requestProbes are those of mutants that take two requests for one, or one for two.
func requestProbes() map[string]func(*world) string {
	keys := func(one, other string) func(*world) string {
		return func(w *world) string {
			w.buy(one)
			w.buy(other)
			return fmt.Sprint(w.effects()[provider.KindCharge])
		}
	}
	bodies := func(one, other string) func(*world) string {
		return func(w *world) string {
			w.do(send{keys: []string{uuid}, body: one})
			return fmt.Sprint(w.do(send{keys: []string{uuid}, body: other}).status)
		}
	}
	cart := func(old, new string) string { return strings.Replace(cartBody, old, new, 1) }
	delivered := func(header string, one, other string) func(*world) string {
		return func(w *world) string {
			w.do(send{keys: []string{uuid}, header: http.Header{header: {one}}})
			return fmt.Sprint(w.do(send{keys: []string{uuid}, header: http.Header{header: {other}}}).status)
		}
	}
	after := func(first func(*world), body string) func(*world) string {
		return func(w *world) string {
			first(w)
			return w.do(send{keys: []string{uuid}, body: body}).text("code")
		}
	}
	declined := func(w *world) { w.do(send{keys: []string{uuid}, body: declinedBody}) }
	failed := func(w *world) {
		w.net.next(reserve, answering(503), answering(503), answering(503))
		w.buy(uuid)
	}
	k := strings.Repeat("k", 127)
	return map[string]func(*world) string{
		"key-column-of-64":                  keys(k[:64]+"a", k[:64]+"b"),
		"key-column-of-127":                 keys(k+"a", k+"b"),
		"key-by-its-tail":                   keys("a"+k[:64], "b"+k[:64]),
		"key-by-its-ends":                   keys(k[:60]+"a"+k[:60], k[:60]+"b"+k[:60]),
		"fingerprint-concatenated":          bodies(cartBody, cart(`cart-1","cartVersion":1`, `cart-","cartVersion":11`)),
		"fingerprint-folded":                bodies(cartBody, cart("cart-1", "CART-1")),
		"fingerprint-trimmed":               bodies(cartBody, cart("cart-1", " cart-1")),
		"fingerprint-of-escapes":            bodies(cartBody, cart("cart-1", `\u0063art-1`)),
		"fingerprint-with-request-id":       delivered("X-Request-Id", "a", "b"),
		"fingerprint-with-trace-state":      delivered("Tracestate", "a=1", "a=2"),
		"fingerprint-with-forwarded-for":    delivered("X-Forwarded-For", "192.0.2.1", "192.0.2.2"),
		"fingerprint-with-accept":           delivered("Accept-Language", "en", "*"),
		"fingerprint-with-content-type":     delivered("Content-Type", "application/json", "application/json; charset=utf-8"),
		"another-card-under-a-declined-key": after(declined, cartBody),
		"decline-answers-any-body":          after(declined, cartBody),
		"another-body-after-a-failure":      after(failed, changedBody),
		"open-answers-any-body":             after(func(w *world) { lostCharge(w) }, changedBody),
		"x-name-instead": func(w *world) string {
			return fmt.Sprint(w.do(send{header: http.Header{"X-Idempotency-Key": {uuid}}}).status)
		},
		"flag-off-forgives-keys": lenient(send{keys: []string{k + "kk"}}),
		"no-tombstone": func(w *world) string {
			w.buy(uuid)
			w.pass(25 * time.Hour)
			_, err := w.store.Purge(context.Background(), time.Now().Add(25*time.Hour), 9)
			Expect(err).NotTo(HaveOccurred())
			return fmt.Sprint(w.buy(uuid).status, w.effects()[provider.KindCharge])
		},
	}
}

// pathProbes are those of mutants that say the wrong thing on one path only.
func pathProbes() map[string]func(*world) string {
	logged := func(requests ...send) func(*world) string {
		return func(w *world) string {
			for _, s := range requests {
				w.do(s)
			}
			return fmt.Sprint(strings.Contains(w.log.String(), "tok_ok"))
		}
	}
	refused := func(body string) func(*world) string {
		return func(w *world) string {
			a, _ := w.try(send{method: http.MethodPost, path: "/checkout", keys: []string{uuid}, body: body}) // a page is no JSON
			return fmt.Sprint(a.status, a.header.Get("Content-Type"), a.text("code"))
		}
	}
	cancelled := func(field string) func(*world) string {
		return func(w *world) string {
			bought := w.buy(uuid)
			w.cancel(alice, bought.text("requestId"), "another")
			return fmt.Sprint(w.read(alice, bought.text("requestId")).text(field) == bought.text(field))
		}
	}
	foundOut := func(field string) func(*world) string {
		return func(w *world) string {
			lostCharge(w)
			w.reconcile()
			Eventually(func() int { return w.buy(uuid).status }, patience).Should(Equal(http.StatusCreated))
			return fmt.Sprint(w.buy(uuid).body[field] != nil)
		}
	}
	return map[string]func(*world) string{
		"unreadable-body-logged":   logged(send{keys: []string{uuid}, body: strings.TrimSuffix(cartBody, "}")}),
		"anonymous-body-logged":    logged(send{keys: []string{uuid}, token: " "}),
		"keyless-body-logged":      logged(send{}),
		"overlong-key-body-logged": logged(send{keys: []string{strings.Repeat("k", 129)}}),
		"open-token-logged": func(w *world) string {
			lostCharge(w)
			return logged()(w)
		},
		"repeated-token-logged": func(w *world) string {
			h := w.hold(charge, before)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			w.buy(uuid)
			h.release()
			receive(first)
			return logged()(w)
		},
		"unstored-token-logged": func(w *world) string {
			w.store.down.Store(true)
			return logged(send{keys: []string{uuid}})(w)
		},
		"bad-json-has-a-code-of-its-own":  refused("{"),
		"empty-body-has-a-page":           refused(""),
		"array-body-has-a-list-of-errors": refused("[]"),
		"status-says-cancelled":           cancelled("state"),
		"cancelled-is-failed":             cancelled("state"),
		"cancelled-without-order":         cancelled("orderId"),
		"found-out-without-order":         foundOut("orderId"),
		"found-out-without-attempt-count": foundOut("attemptCount"),
		"decline-keeps-reservation": func(w *world) string {
			w.do(send{keys: []string{uuid}, body: declinedBody})
			return fmt.Sprint(w.effects()[provider.KindRelease])
		},
	}
}
