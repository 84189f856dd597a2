package checkout_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/oncecheck/oncecheck/fakes/provider"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw"

// signs makes a service take webhooks.
func signs(c *checkout.Config) {
	var err error
	c.Webhooks, err = checkout.NewWebhooks(webhookSecret)
	Expect(err).NotTo(HaveOccurred())
}

// told is a webhook about the payment of that key, signed at a time.
func told(key string, at time.Time) send {
	body := fmt.Sprintf(`{"type":"charge.succeeded","data":{"key":%q,"outcome":"succeeded"}}`, key)
	return signed(body, at)
}

func signed(body string, at time.Time) send {
	signer, err := standardwebhooks.NewWebhook(webhookSecret)
	Expect(err).NotTo(HaveOccurred())
	signature, err := signer.Sign("evt_1", at, []byte(body))
	Expect(err).NotTo(HaveOccurred())
	return send{token: "none", method: http.MethodPost, path: "/webhooks/payment", body: body, header: http.Header{
		"Webhook-Id": {"evt_1"}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature},
	}}
}

// tell sends the provider's webhook about its only charge.
func (w *world) tell() answer {
	GinkgoHelper()
	for _, e := range w.provider.Entries(0) {
		if e.Kind == provider.KindCharge {
			a := w.do(told(e.Key, time.Now()))
			Expect(a).To(described(told("", time.Now())))
			return a
		}
	}
	Fail("the provider has no charge to tell of")
	return answer{}
}

var _ = Describe("a webhook of the payment provider", func() {
	It("leaves a request to whoever is at work on it, however often it comes", func() {
		w := newWorld(signs)
		w.reconcile()
		h := w.hold(charge, after)
		first := w.begin(send{keys: []string{"k"}})
		Eventually(h.arrived, patience).Should(BeClosed())
		for range 2 {
			Expect(w.tell().status).To(Equal(http.StatusOK))
		}
		Expect(w.effects()).To(Equal(map[provider.Kind]int{provider.KindReservation: 1, provider.KindCharge: 1}))
		Expect(w.net.of(query)).To(BeEmpty())
		h.release()
		Expect(receive(first).status).To(Equal(http.StatusCreated))
		Expect(w.effects()).To(Equal(once()))
	})

	It("has an unknown outcome found out at once", func() {
		w := newWorld(signs, func(c *checkout.Config) { c.Policy.Reconcile, c.Policy.ReconcileLimit = time.Hour, time.Hour })
		w.net.next(charge, resetAfter, resetAfter, resetAfter)
		w.net.next(query, answering(503), answering(503), answering(503))
		a := w.buy("k")
		Expect(a.status).To(Equal(http.StatusAccepted))
		for range 2 {
			Expect(w.tell().status).To(Equal(http.StatusAccepted))
		}
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("PENDING"), "the webhook itself settles nothing")
		w.cfg.Policy.Reconcile = time.Millisecond // of the instance that looks for what is due
		w.service, _ = w.instance()
		w.reconcile()
		Eventually(func() string { return w.read(alice, a.text("requestId")).text("state") }, patience).Should(Equal("SUCCEEDED"))
		Expect(w.net.of(query)).To(HaveLen(4), "what is true is asked")
		Expect(w.effects()).To(Equal(once()))
	})

	It("is not believed where the provider, asked, says no", func() {
		w := newWorld(signs)
		declined := strings.Replace(cartBody, "tok_ok", "tok_declined", 1)
		w.net.next(charge, resetAfter, resetAfter, resetAfter)
		w.net.next(query, answering(503), answering(503), answering(503))
		a := w.do(send{keys: []string{"k"}, body: declined})
		Expect(a.status).To(Equal(http.StatusAccepted))
		Expect(w.do(told(w.net.keys(charge)[0], time.Now())).status).To(Equal(http.StatusAccepted))
		w.reconcile()
		Eventually(func() string { return w.read(alice, a.text("requestId")).text("state") }, patience).Should(Equal("FAILED_FINAL"))
		Eventually(w.effects, patience).Should(Equal(map[provider.Kind]int{provider.KindReservation: 1, provider.KindRelease: 1}))
	})

	It("changes nothing once all is over", func() {
		w := newWorld(signs)
		first := w.buy("k")
		Expect(w.tell().status).To(Equal(http.StatusOK))
		Expect(w.buy("k").raw).To(Equal(first.raw))
		Expect(w.effects()).To(Equal(once()))
	})

	It("tells the provider nothing that it does not know", func() {
		w := newWorld(signs)
		w.buy("k")
		Expect(json.Marshal(w.tell().body)).To(MatchJSON(`{"message":"there is nothing left to be found out"}`))
	})

	for name, row := range map[string]struct {
		webhook func() send
		status  int
		says    string
	}{
		"about a payment that nobody knows": {func() send { return told("unknown", time.Now()) }, http.StatusNotFound, "nothing here"},
		"that names no payment":             {func() send { return signed(`{"type":"ping"}`, time.Now()) }, http.StatusBadRequest, "data.key"},
		"that is no JSON":                   {func() send { return signed(`ping`, time.Now()) }, http.StatusBadRequest, "data.key"},
		"that is too large":                 {func() send { return signed(strings.Repeat("x", 1<<20+1), time.Now()) }, http.StatusBadRequest, "longer than"},
		"that was signed too long ago":      {func() send { return told("unknown", time.Now().Add(-time.Hour)) }, http.StatusUnauthorized, "too long ago"},
		"that was signed in the future":     {func() send { return told("unknown", time.Now().Add(time.Hour)) }, http.StatusUnauthorized, "in the future"},
		"that was changed on its way":       {func() send { s := told("unknown", time.Now()); s.body += " "; return s }, http.StatusUnauthorized, "not signed by"},
		"without a signature":               {func() send { s := told("unknown", time.Now()); s.header = nil; return s }, http.StatusUnauthorized, "webhook-signature"},
	} {
		It(fmt.Sprintf("%s is answered %d", name, row.status), func() {
			w := newWorld(signs)
			s := row.webhook()
			a := w.do(s)
			Expect(a.status).To(Equal(row.status))
			Expect(a.text("message")).To(ContainSubstring(row.says))
			Expect(a).To(described(s))
		})
	}

	It("has what proves nothing told of in words of ours: anybody may write its headers", func() {
		w := newWorld(signs)
		s := told("unknown", time.Now())
		s.header.Set("Webhook-Timestamp", "4111111111111111 tok_canary")
		Expect(w.do(s).status).To(Equal(http.StatusUnauthorized))
		Expect(w.log.String()).To(And(ContainSubstring("a header cannot be read"), Not(ContainSubstring("tok_canary"))))
	})

	It("leaves a line about a payment that nobody knows, which somebody has to look into", func() {
		w := newWorld(signs)
		w.do(told("unknown", time.Now()))
		Expect(w.log.String()).To(MatchRegexp(`"level":"WARN".*"msg":"a webhook about a payment that nobody knows"`))
	})

	It("is not told that all is known where the customer has to go on", func() {
		w := newWorld(signs)
		w.net.next(reserve, answering(503), answering(503), answering(503))
		a := w.buy("k")
		Expect(w.read(alice, a.text("requestId")).text("state")).To(Equal("FAILED_RETRYABLE"))
		stored, err := w.store.Load(context.Background(), a.text("requestId"))
		Expect(err).NotTo(HaveOccurred())
		woken := w.do(told(stored.PaymentKey, time.Now()))
		Expect(woken.status).To(Equal(http.StatusOK))
		Expect(woken.text("message")).To(Equal("it goes on when the customer repeats it"))
	})

	for name, secret := range map[string]string{
		"none":         "",
		"an empty one": "whsec_",
		"a short one":  "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23)),
		"one in clear": "whsec_a secret of the provider's",
	} {
		It("cannot be proven by a secret that is no secret: "+name, func() {
			_, err := checkout.NewWebhooks(secret)
			Expect(err).To(MatchError(ContainSubstring("read the secret of the payment provider's webhooks")))
			if secret != "" {
				Expect(err.Error()).NotTo(ContainSubstring(secret), "an error is no place for secrets")
			}
		})
	}

	It("is nobody's where no secret is known", func() {
		w := newWorld(func(c *checkout.Config) { c.Webhooks = new(checkout.Webhooks) })
		Expect(w.do(told("unknown", time.Now())).status).To(Equal(http.StatusUnauthorized))
	})

	It("is to be sent again while the store is out of reach", func() {
		w := newWorld(signs)
		w.buy("k")
		w.store.down.Store(true)
		a := w.tell()
		Expect(a.status).To(Equal(http.StatusServiceUnavailable))
		Expect(a.header.Get("Retry-After")).NotTo(BeEmpty())
	})

	It("has no route where the provider sends none", func() {
		a, err := newWorld().try(told("unknown", time.Now()))
		Expect(err).NotTo(HaveOccurred())
		Expect(a.status).To(Equal(http.StatusUnauthorized))
		Expect(a.header.Get("WWW-Authenticate")).To(Equal("Bearer"), "as for any path that is not there")
	})
})

// webhookProbes describe what becomes of a checkout of whose payment the provider
// tells.
func webhookProbes() map[string]func(*world) string {
	return map[string]func(*world) string{
		"webhook-completes": func(w *world) string {
			h := w.hold(charge, after)
			first := w.begin(send{keys: []string{uuid}})
			Eventually(h.arrived, patience).Should(BeClosed())
			status := w.tell().status
			h.release()
			return fmt.Sprint(status, receive(first).status, w.effects()[provider.KindOrder])
		},
		"webhook-completes-parked": func(w *world) string {
			w.net.next(charge, resetAfter, resetAfter, resetAfter)
			w.net.next(query, answering(503), answering(503), answering(503))
			a := w.buy(uuid)
			return fmt.Sprint(a.status, w.tell().status, w.read(alice, a.text("requestId")).text("state"), w.effects()[provider.KindOrder])
		},
		"webhook-captures": func(w *world) string {
			w.buy(uuid)
			return fmt.Sprint(w.tell().status, w.effects()[provider.KindCharge])
		},
	}
}
