package checkout_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// attemptProbes are those of mutants that repeat what they must not, or too often,
// or too early.
func attemptProbes() map[string]func(*world) string {
	meets := func(f fault) func(*world) string {
		return func(w *world) string {
			w.net.next(charge, f)
			return fmt.Sprint(w.buy(uuid).status, len(w.net.of(charge)))
		}
	}
	exhausted := func(w *world) string {
		w.net.all(charge, answering(503))
		return fmt.Sprint(w.buy(uuid).status, len(w.net.of(charge)))
	}
	waits := func(n int) func(*world) []time.Duration {
		return func(w *world) []time.Duration {
			list := make([]time.Duration, 20)
			for i := range list {
				list[i] = w.cfg.Client.Wait(w.cfg.Client.Policy, n, 0)
			}
			return list
		}
	}
	return map[string]func(*world) string{
		"retry-validation-error":      meets(answering(422)),
		"retry-unauthorized":          meets(answering(403)),
		"retry-authorization-refused": meets(saying(402, `{"code":"authorization_refused"}`)),
		"retry-decline":               meets(saying(402, `{"code":"card_declined"}`)),
		"retry-by-default":            meets(answering(418)),
		"retry-any-non-2xx":           meets(answering(400)),
		"retry-conflict-blindly":      meets(answering(409)),
		"conflict-believed":           meets(conflictAfter),
		"retry-keyless": func(w *world) string {
			w.net.next(transfer, answering(503))
			return fmt.Sprint(w.do(send{keys: []string{uuid}, body: bankBody}).status, len(w.net.of(transfer)))
		},
		"one-attempt-too-many":   exhausted,
		"one-attempt-too-few":    exhausted,
		"retries-within-retries": exhausted,
		"dependency-backoff-constant": func(w *world) string {
			return fmt.Sprint(slices.Min(waits(3)(w)) > slices.Max(waits(1)(w)))
		},
		"dependency-backoff-without-jitter": func(w *world) string {
			return fmt.Sprint(len(slices.Compact(slices.Sorted(slices.Values(waits(1)(w))))) > 1)
		},
		"impatient-with-dependencies": func(w *world) string {
			return w.cfg.Client.RetryAfter(http.Header{"Retry-After": {"2"}}, time.Now()).String()
		},
	}
}

// lifecycleProbes are those of mutants that say wrongly how far they have got.
func lifecycleProbes() map[string]func(*world) string {
	pending := func(w *world, f fault) answer {
		w.net.next(charge, f, f, f)
		w.net.next(query, answering(503), answering(503), answering(503))
		return w.buy(uuid)
	}
	state := func(w *world, id string) string { return w.read(alice, id).text("state") }
	return map[string]func(*world) string{
		"attempts-in-memory": func(w *world) string {
			h := newHold()
			DeferCleanup(h.release)
			w.net.next(charge, answering(503), h.before)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			due, err := w.store.Due(GinkgoT().Context(), time.Now().Add(time.Hour), 1)
			Expect(err).NotTo(HaveOccurred())
			Expect(due).To(HaveLen(1))
			shown := w.read(alice, due[0]).body["attemptCount"]
			h.release()
			receive(first)
			return fmt.Sprint(shown)
		},
		"state-in-its-own-words": func(w *world) string { return state(w, pending(w, resetAfter).text("requestId")) },
		"terminal-state-flips": func(w *world) string {
			w.buy(uuid)
			return state(w, w.buy(uuid).text("requestId"))
		},
		"updated-at-goes-back": func(w *world) string {
			id := pending(w, resetAfter).text("requestId")
			before := w.read(alice, id).text("updatedAt")
			w.reconcile()
			Eventually(func() string { return state(w, id) }, patience).Should(Equal("SUCCEEDED"))
			return fmt.Sprint(w.read(alice, id).text("updatedAt") >= before)
		},
		"asynchronous-when-busy": func(w *world) string {
			var under []<-chan answer
			for i := range 3 {
				h := w.hold(charge, before)
				under = append(under, w.begin(send{keys: []string{fmt.Sprint(uuid, i)}}))
				Eventually(h.arrived, patience).Should(BeClosed())
				defer func() { h.release(); receive(under[i]) }()
			}
			return fmt.Sprint(w.buy(uuid).status)
		},
		"pending-for-ever": func(w *world) string {
			pending(w, resetAfter)
			due, err := w.cfg.Store.Due(GinkgoT().Context(), time.Now().Add(time.Hour), 9)
			return fmt.Sprint(len(due), err)
		},
		"waits-for-a-charge-that-never-was": func(w *world) string {
			id := pending(w, resetBefore).text("requestId")
			w.reconcile()
			Eventually(func() bool { return state(w, id) == "SUCCEEDED" || len(w.net.of(query)) > 6 }, patience).Should(BeTrue())
			return state(w, id)
		},
		"decline-retryable": func(w *world) string {
			return fmt.Sprint(w.do(send{keys: []string{uuid}, body: declinedBody}).body["retryable"])
		},
		"decline-as-refusal": func(w *world) string {
			return w.do(send{keys: []string{uuid}, body: declinedBody}).text("code")
		},
		"undone-once": func(w *world) string {
			w.net.next(order, answering(422))
			w.net.all(void, answering(503))
			w.buy(uuid)
			due, err := w.store.Due(GinkgoT().Context(), time.Now().Add(time.Hour), 9)
			return fmt.Sprint(len(due), err)
		},
		"charge-kept": func(w *world) string {
			w.net.next(order, answering(422))
			w.buy(uuid)
			return fmt.Sprint(w.effects()[provider.KindVoid])
		},
	}
}

// auditProbes are those of mutants that write down too little.
func auditProbes() map[string]func(*world) string {
	logged := func(parts ...string) func(*world) string {
		return func(w *world) string {
			w.net.next(order, answering(503))
			w.buy(uuid)
			n := 0
			for line := range strings.Lines(w.log.String()) {
				if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
					n++
				}
			}
			return fmt.Sprint(n)
		}
	}
	stored := func(about func(checkout.Attempt) any) func(*world) string {
		return func(w *world) string {
			attempts, err := w.store.Attempts(GinkgoT().Context(), w.buy(uuid).text("requestId"))
			Expect(err).NotTo(HaveOccurred())
			var list []any
			for _, a := range attempts {
				list = append(list, about(a))
			}
			return fmt.Sprint(list...)
		}
	}
	return map[string]func(*world) string{
		"audit-of-successes-only":      logged(`"msg":"attempt"`),
		"audit-rewritten-in-place":     logged(`"msg":"attempt"`),
		"audit-without-states":         logged(`"msg":"state"`),
		"audit-of-nobody":              logged(`"msg":"attempt"`, `"requestId"`),
		"attempts-stored-uncorrelated": stored(func(a checkout.Attempt) any { return a.CorrelationID != "" }),
		"attempts-stored-without-end":  stored(func(a checkout.Attempt) any { return a.EndedAt.Sub(a.StartedAt) < time.Hour }),
		"attempts-stored-as-one":       stored(func(a checkout.Attempt) any { return a.Dependency }),
	}
}
