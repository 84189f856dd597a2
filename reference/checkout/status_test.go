package checkout_test

import (
	"encoding/base32"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/reference/auth"
)

var _ = Describe("the status of a checkout", func() {
	It("is what its owner and the tenant's support may read, without any effect", func() {
		w := newWorld()
		a := w.do(send{keys: []string{"k"}, correlationID: "corr-1"})
		calls := len(w.net.of(""))
		first := w.read(alice, a.text("requestId"))
		Expect(first.status).To(Equal(http.StatusOK))
		updated, err := time.Parse(time.RFC3339, first.text("updatedAt"))
		Expect(err).NotTo(HaveOccurred())
		Expect(updated).To(BeTemporally("~", time.Now(), time.Minute))
		delete(first.body, "updatedAt")
		Expect(first.body).To(Equal(map[string]any{
			"requestId": a.text("requestId"), "orderId": a.text("orderId"), "state": "SUCCEEDED",
			"attemptCount": 3.0, "correlationId": "corr-1",
		}))
		for range 20 {
			Expect(w.read(support, a.text("requestId")).raw).To(Equal(first.raw))
		}
		Expect(w.net.of("")).To(HaveLen(calls))
	})

	It("is refused to other customers, whatever role they have or claim", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		for _, p := range []auth.Principal{bob, {Tenant: "t1", Subject: "eve", Roles: []string{"admin", "Support"}}} {
			a := w.read(p, id)
			Expect(a.status).To(Equal(http.StatusForbidden))
			Expect(a.text("code")).To(Equal("FORBIDDEN"))
			Expect(string(a.raw)).NotTo(ContainSubstring("SUCCEEDED"))
		}
	})

	It("cannot be told from nothing by another tenant, or by an id that is none", func() {
		w := newWorld()
		id := w.buy("k").text("requestId")
		bare := func(p auth.Principal, id string) (int, string, http.Header) {
			a := w.do(send{as: &p, method: "GET", path: "/checkout/" + id, correlationID: "same"})
			a.header.Del("Date")
			return a.status, string(a.raw), a.header
		}
		wantStatus, wantBody, wantHeader := bare(carol, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		Expect(wantStatus).To(Equal(http.StatusNotFound))
		Expect(wantBody).To(ContainSubstring("NOT_FOUND"))
		foreignSupport := auth.Principal{Tenant: "t2", Subject: "sue", Roles: []string{auth.RoleSupport}}
		for _, p := range []auth.Principal{carol, foreignSupport, alice, support} {
			ids := []string{"0", "", "not%20an%20id", "%D0%BA", "%25", "a/b", "a%2Fb", "..", "../checkout", "%00", strings.Repeat("x", 300)}
			if p.Tenant == "t2" {
				ids = append(ids, id)
			}
			for _, id := range ids {
				status, body, header := bare(p, id)
				Expect(status).To(Equal(wantStatus), "id %q", id)
				Expect(body).To(Equal(wantBody), "id %q", id)
				Expect(header).To(Equal(wantHeader), "id %q", id)
			}
		}
	})

	It("has ids that nobody can guess", func() {
		w := newWorld()
		seen := map[string]bool{}
		for _, key := range []string{"a", "b", "c"} {
			id := w.buy(key).text("requestId")
			raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(id)
			Expect(err).NotTo(HaveOccurred())
			Expect(len(raw) * 8).To(BeNumerically(">=", 128))
			seen[id] = true
		}
		Expect(seen).To(HaveLen(3))
	})

	It("shows no provider key, token or provider code anywhere", func() {
		w := newWorld()
		w.net.next(charge, answering(500), answering(503))
		a := w.buy("k")
		text := string(a.raw) + string(w.read(alice, a.text("requestId")).raw) + w.log.String()
		for _, s := range append(w.net.keys(""), "tok_ok", "provider_secret") {
			if s != "" {
				Expect(text).NotTo(ContainSubstring(s))
			}
		}
		Expect(w.log.String()).To(ContainSubstring(`"to":"SUCCEEDED"`))
	})
})

var _ = Describe("an unknown route", func() {
	DescribeTable("is not found", func(method, path string) {
		Expect(newWorld().do(send{method: method, path: path}).status).To(Equal(http.StatusNotFound))
	},
		Entry("elsewhere", "GET", "/elsewhere"),
		Entry("another method", "PUT", "/checkout"),
		Entry("a trailing slash", "POST", "/checkout/"),
		Entry("a list", "GET", "/checkout"),
	)
})
