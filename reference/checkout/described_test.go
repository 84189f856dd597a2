package checkout_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/oncecheck/oncecheck/reference/checkout"
	openapi "github.com/oncecheck/oncecheck/reference/described"
)

// described matches answers to s that the service's own description knows. What is
// not described at all is not found.
func described(s send) types.GomegaMatcher {
	method, path := s.method, s.path
	if method == "" {
		method, path = http.MethodPost, "/checkout"
	}
	return WithTransform(func(a answer) (string, error) {
		document, err := openapi.New(context.Background(), checkout.OpenAPI())
		if err != nil {
			return "", err
		}
		known, err := document.Answer(context.Background(), method, path, a.status, a.header, a.raw)
		switch {
		case err != nil:
			return err.Error(), nil
		case !known && a.status != http.StatusNotFound && a.status != http.StatusUnauthorized:
			return fmt.Sprintf("%s %s answered %d and is not described", method, path, a.status), nil
		}
		return "", nil
	}, BeEmpty())
}

var _ = Describe("the description of the API", func() {
	It("is served to anybody", func() {
		a, err := newWorld().try(send{token: "none", method: "GET", path: "/openapi.json"})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.status).To(Equal(http.StatusOK))
		Expect(a.text("openapi")).To(HavePrefix("3.1"))
		Expect(strings.TrimSpace(string(a.raw))).To(Equal(strings.TrimSpace(string(checkout.OpenAPI()))))
	})
})
