package checkout_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

var _ = Describe("an unusable key", func() {
	DescribeTable("is refused before anything is called",
		func(keys ...string) {
			w := newWorld()
			a := w.do(send{keys: keys})
			Expect(a.status).To(Equal(http.StatusBadRequest))
			Expect(a.text("code")).To(Equal("VALIDATION_ERROR"))
			Expect(w.net.of("")).To(BeEmpty())
			Expect(w.effects()).To(BeEmpty())
		},
		Entry("missing"),
		Entry("empty", ""),
		Entry("blank", "   "),
		Entry("too long", strings.Repeat("x", 129)),
		Entry("latin-1", "k\xe9"),
		Entry("UTF-8", "ключ"),
		Entry("a tab inside", "a\tb"),
		Entry("two equal lines", "k", "k"),
		Entry("two different lines", "k", "l"),
	)
})

var _ = Describe("an unusable body", func() {
	with := func(old, new string) string { return strings.Replace(cartBody, old, new, 1) }

	DescribeTable("is refused without consuming the key or repeating what was sent",
		func(body string) {
			w := newWorld()
			a := w.do(send{keys: []string{"k"}, body: body})
			Expect(a.status).To(Equal(http.StatusBadRequest))
			Expect(a.text("code")).To(Equal("VALIDATION_ERROR"))
			Expect(w.net.of("")).To(BeEmpty())
			for _, secret := range []string{"4111", "canary"} {
				Expect(string(a.raw)).NotTo(ContainSubstring(secret))
				Expect(w.log.String()).NotTo(ContainSubstring(secret))
			}
			Expect(w.buy("k").status).To(Equal(http.StatusCreated))
		},
		Entry("no object", `[]`),
		Entry("nothing", ` `),
		Entry("cut off", cartBody[:20]),
		Entry("two objects", cartBody+cartBody),
		Entry("not UTF-8", with("cart-1", "\xff")),
		Entry("a field twice", with(`"amount"`, `"amount":1,"amount"`)),
		Entry("an unknown field", with(`"amount"`, `"canary":1,"amount"`)),
		Entry("a field in another case", with(`"cartId"`, `"cartID"`)),
		Entry("no cartId", with(`"cartId":"cart-1",`, ``)),
		Entry("null cartId", with(`"cart-1"`, `null`)),
		Entry("empty cartId", with(`cart-1`, ``)),
		Entry("long cartId", with(`cart-1`, strings.Repeat("x", 129))),
		Entry("control character", with(`cart-1`, `\u0000`)),
		Entry("no cartVersion", with(`"cartVersion":1,`, ``)),
		Entry("cartVersion 0", with(`"cartVersion":1`, `"cartVersion":0`)),
		Entry("cartVersion 1.5", with(`"cartVersion":1`, `"cartVersion":1.5`)),
		Entry("cartVersion as text", with(`"cartVersion":1`, `"cartVersion":"1"`)),
		Entry("no currency", with(`"currency":"EUR",`, ``)),
		Entry("lower-case currency", with(`EUR`, `eur`)),
		Entry("unknown currency", with(`EUR`, `ZZZ`)),
		Entry("two currencies", with(`EUR`, `EUR USD`)),
		Entry("no amount", with(`"amount":4200,`, ``)),
		Entry("amount 0", with(`4200`, `0`)),
		Entry("negative amount", with(`4200`, `-1`)),
		Entry("endless amount", with(`4200`, `1e999999999`)),
		Entry("no paymentToken", with(`,"paymentToken":"tok_ok"`, ``)),
		Entry("card number for a token", with(`tok_ok`, `4111111111111111`)),
		Entry("grouped card number", with(`tok_ok`, `4111 1111 1111 1111`)),
		Entry("card number in a token", with(`tok_ok`, `tok_4111111111111111`)),
		Entry("card number for a cart", with(`cart-1`, `4111-1111-1111-1111`)),
		Entry("card number for an amount", with(`4200`, `4111111111111111`)),
		Entry("card number for a name", with(`"amount"`, `"4111111111111111":1,"amount"`)),
		Entry("card details", with(`"paymentToken":"tok_ok"`, `"card":{"number":"4111111111111111"}`)),
		Entry("more than 1 MiB", with(`cart-1`, strings.Repeat("x", 1<<20))),
	)
})

var _ = Describe("a caller who is nobody", func() {
	It("is refused before the key is looked at, everywhere", func() {
		w := newWorld()
		done := w.buy("k")
		foreign, err := auth.New(strings.Repeat("y", 32), time.Now)
		Expect(err).NotTo(HaveOccurred())
		signed, err := foreign.Mint(alice, time.Now().Add(time.Hour))
		Expect(err).NotTo(HaveOccurred())
		expired, err := w.tokens.Mint(alice, time.Now().Add(-time.Hour))
		Expect(err).NotTo(HaveOccurred())
		for _, token := range []string{" ", "Bearer x", "Bearer " + signed, "Bearer " + expired} {
			for _, s := range []send{
				{keys: []string{"k"}},
				{},
				{method: "GET", path: "/checkout/" + done.text("requestId")},
				{method: "GET", path: "/checkout/none"},
				{method: "GET", path: "/elsewhere"},
			} {
				s.token = token
				a := w.do(s)
				Expect(a.status).To(Equal(http.StatusUnauthorized))
				Expect(a.text("code")).To(Equal("UNAUTHENTICATED"))
				Expect(string(a.raw)).NotTo(ContainSubstring(done.text("requestId")))
			}
		}
		Expect(w.effects()).To(Equal(once()))
	})

	It("is another matter than the same customer with a new token", func() {
		w := newWorld()
		first := w.buy("k")
		renewed, err := w.tokens.Mint(alice, time.Now().Add(2*time.Hour))
		Expect(err).NotTo(HaveOccurred())
		Expect(w.do(send{keys: []string{"k"}, token: "Bearer " + renewed}).raw).To(Equal(first.raw))
	})
})

var _ = Describe("a correlation id that is unfit", func() {
	DescribeTable("is replaced",
		func(id string) {
			w := newWorld()
			got := w.do(send{keys: []string{"k"}, correlationID: id}).text("correlationId")
			Expect(got).NotTo(BeEmpty())
			Expect(got).NotTo(Equal(id))
		},
		Entry("too long", strings.Repeat("x", 129)),
		Entry("not plain", `a"b`),
		Entry("a card number", "4111111111111111"),
	)
})

var _ = Describe("a panic", func() {
	It("is answered 503 without a word about it", func() {
		w := newWorld(func(c *checkout.Config) {
			c.Fingerprint = func(checkout.Request) string { panic("canary") }
		})
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(a.text("code")).To(Equal("SERVICE_UNAVAILABLE"))
		Expect(w.log.String()).To(ContainSubstring("panic"))
		Expect(w.log.String()).NotTo(ContainSubstring("canary"))
	})
})
