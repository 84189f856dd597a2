package checkout_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

var _ = Describe("a key that is not required", func() {
	It("may be missing: each such request is a checkout of its own, and a key protects as ever", func() {
		w := newWorld()
		w.lenient.Store(true)
		first, second := w.do(send{}), w.do(send{})
		Expect([]int{first.status, second.status}).To(HaveEach(http.StatusCreated))
		Expect(first.text("orderId")).NotTo(Equal(second.text("orderId")))
		Expect(w.buy("k").raw).To(Equal(w.buy("k").raw))
		Expect(w.do(send{keys: []string{""}}).status).To(Equal(http.StatusBadRequest), "an empty key is none that is missing")
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 3))

		w.lenient.Store(false)
		Expect(w.do(send{}).status).To(Equal(http.StatusBadRequest))
		Expect(w.effects()).To(HaveKeyWithValue(provider.KindCharge, 3))
	})

	It("is counted where it is there and where it is not, whatever becomes of the request", func() {
		w := newWorld()
		w.lenient.Store(true)
		for _, s := range []send{{}, {as: &bob}, {keys: []string{"k"}}, {keys: []string{"k"}}, {keys: []string{"a", "b"}}} {
			w.do(s)
		}
		w.lenient.Store(false)
		w.do(send{})
		Expect(w.measured()).To(Equal([]string{"requests.keyed[] 3", "requests.keyless[] 3"}), "no label: a customer or a key would make a series each")
	})
})
