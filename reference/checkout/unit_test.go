package checkout

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFingerprintIsOfTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) Order {
			return Order{
				CartID:       rapid.SampledFrom([]string{"a", "b", "a\",\"cartVersion\":2"}).Draw(t, "cart"),
				CartVersion:  rapid.Int64Range(1, 2).Draw(t, "version"),
				Currency:     rapid.SampledFrom([]string{"EUR", "USD"}).Draw(t, "currency"),
				Amount:       rapid.Int64Range(1, 2).Draw(t, "amount"),
				PaymentToken: rapid.SampledFrom([]string{"t", "u"}).Draw(t, "token"),
			}
		})
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if (Fingerprint(Request{Order: a}) == Fingerprint(Request{Order: b})) != (a == b) {
			t.Fatalf("%+v and %+v: equal fingerprints %v", a, b, Fingerprint(Request{Order: a}) == Fingerprint(Request{Order: b}))
		}
	})
}

func TestParkedRecordsWaitLongerUpToALimit(t *testing.T) {
	p := DefaultPolicy()
	for run, want := range []time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 40: 8 * time.Second} {
		if want != 0 && p.delay(run) != want {
			t.Errorf("run %d: %v, want %v", run, p.delay(run), want)
		}
	}
}

func TestScaledKeepsTheLeaseLongEnough(t *testing.T) {
	p := DefaultPolicy().Scaled(100)
	if p.Deadline != 300*time.Millisecond || p.Lease != time.Second || p.StoreTimeout != 3*time.Second {
		t.Fatalf("got %+v", p)
	}
}

func TestIncompleteConfigurationIsNamed(t *testing.T) {
	if _, err := New(Config{}); err == nil || !strings.Contains(err.Error(), "checkout.Defaults") {
		t.Fatalf("got %v", err)
	}
}

func FuzzDecodeOrder(f *testing.F) {
	f.Add([]byte(`{"cartId":"c","cartVersion":1,"currency":"EUR","amount":4200,"paymentToken":"tok_ok"}`))
	f.Add([]byte(`{"amount":1e0,"amount":1}`))
	f.Add([]byte(`{"a":`))
	f.Add([]byte(`{}{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := DecodeOrder(body)
		if err != nil {
			return
		}
		if o.CartVersion < 1 || o.Amount < 1 || o.Amount > maxAmount || !knownCurrency(o.Currency) || o.CartID == "" || o.PaymentToken == "" {
			t.Fatalf("accepted %+v", o)
		}
		canonical, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeOrder(canonical); err != nil || again != o {
			t.Fatalf("%s reads as %+v, %v; want %+v", canonical, again, err, o)
		}
	})
}

func FuzzReadKey(f *testing.F) {
	for _, seed := range []string{"", " ", "k", "a b", "\x00", "é", strings.Repeat("x", 129)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key, err := ReadKey(http.Header{KeyHeader: {value}})
		if err == nil && key != value {
			t.Fatalf("%q became %q", value, key)
		}
		plain := value != "" && len(value) <= 128 && strings.TrimSpace(value) == value &&
			!strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
		if (err == nil) != plain {
			t.Fatalf("%q: %v", value, err)
		}
	})
}
