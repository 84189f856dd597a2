package checkout_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// operationProbes look at what is asked of a cancellation and of the second version
// of the API.
func operationProbes() map[string]func(*world) string {
	const one, other = "7e57d004-2b97-4e7a-b45f-5387367791cd", "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	bought := func(w *world, as auth.Principal, key string) string {
		return w.do(send{as: &as, keys: []string{key}, method: http.MethodPost, path: "/checkout", body: cartBody}).text("requestId")
	}
	second := func(as auth.Principal, key, body string) send {
		return send{as: &as, method: http.MethodPost, path: "/v2/checkout", keys: []string{key}, body: body}
	}
	cancelledBy := func(who auth.Principal) func(*world) string {
		return func(w *world) string { return fmt.Sprint(w.cancel(who, bought(w, alice, one), uuid).status) }
	}
	cancelledTwo := func(w *world) string {
		w.cancel(alice, bought(w, alice, one), uuid)
		return fmt.Sprint(w.cancel(alice, bought(w, alice, other), uuid).status)
	}
	return map[string]func(*world) string{
		"anyone-cancels":          cancelledBy(carol),
		"colleague-cancels":       cancelledBy(bob),
		"cancel-of-anything":      cancelledTwo,
		"cancel-replays-conflict": cancelledTwo,
		"unsigned-token-accepted": unsigned,
		"any-key-cancels":         func(w *world) string { return fmt.Sprint(w.cancel(alice, bought(w, alice, one), "").status) },
		"any-key-in-version-two":  func(w *world) string { return fmt.Sprint(w.do(second(alice, "", cartBody)).status) },
		"global-scope-of-cancellations": func(w *world) string {
			w.cancel(alice, bought(w, alice, one), uuid)
			return fmt.Sprint(w.cancel(bob, bought(w, bob, one), uuid).status)
		},
		"global-scope-in-version-two": func(w *world) string {
			return fmt.Sprint(w.do(second(alice, uuid, cartBody)).text("orderId") == w.do(second(bob, uuid, cartBody)).text("orderId"))
		},
		"version-two-replays-conflict": func(w *world) string {
			w.do(second(alice, uuid, cartBody))
			return fmt.Sprint(w.do(second(alice, uuid, strings.Replace(cartBody, "4200", "1", 1))).status)
		},
		"expired-executes-in-version-two": func(w *world) string {
			w.do(second(alice, uuid, cartBody))
			w.pass(25 * time.Hour)
			return fmt.Sprint(w.do(second(alice, uuid, cartBody)).status)
		},
		"random-provider-key-in-version-two": func(w *world) string {
			w.net.next(charge, resetAfter, resetAfter, resetAfter)
			w.do(second(alice, uuid, cartBody))
			w.reconcile()
			Eventually(func() int { return w.do(second(alice, uuid, cartBody)).status }, patience).Should(Equal(http.StatusCreated))
			return differentKeys(w, charge)
		},
		"random-provider-key-of-refunds": func(w *world) string {
			id := bought(w, alice, one)
			w.net.next("refund", resetAfter, resetAfter, resetAfter)
			w.cancel(alice, id, uuid)
			w.reconcile()
			Eventually(func() bool {
				return len(w.net.of("refund")) > 3 || w.cancel(alice, id, uuid).status == http.StatusCreated
			}, patience).Should(BeTrue())
			return differentKeys(w, "refund")
		},
		"random-provider-key-of-voids": func(w *world) string {
			w.net.all(order, answering(http.StatusUnprocessableEntity))
			w.net.next(void, answering(503), answering(503), answering(503))
			w.buy(uuid)
			w.pass(time.Hour)
			w.reconcile()
			Eventually(func() int { return len(w.net.of(void)) }, patience).Should(BeNumerically(">", 3))
			return differentKeys(w, void)
		},
	}
}

// differentKeys says under how many keys an operation was called.
func differentKeys(w *world, operation string) string {
	return fmt.Sprint(len(slices.Compact(slices.Sorted(slices.Values(w.net.keys(operation))))))
}

// unsigned is a request with a token that asks for no signature.
func unsigned(w *world) string {
	token, err := w.tokens.Mint(alice, time.Now().Add(time.Hour))
	Expect(err).NotTo(HaveOccurred())
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	return fmt.Sprint(w.do(send{keys: []string{uuid}, token: "Bearer " + head + "." + strings.Split(token, ".")[1] + "."}).status)
}
