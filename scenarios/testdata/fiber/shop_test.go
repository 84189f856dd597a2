package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v3"
)

// TestScopeLeaksInEitherOrder: what doc.go says of the order of the middlewares.
func TestScopeLeaksInEitherOrder(t *testing.T) {
	for name, middlewares := range map[string][]any{
		"key first, as documented": {middleware(), authenticate},
		"customer first":           {authenticate, middleware()},
	} {
		t.Run(name, func(t *testing.T) {
			app := new(shop).app(middlewares...)
			mine := buy(t, app, "alice-token", "one-key-of-thirty-six-characters-001", "cart-1")
			if !strings.Contains(mine, "ord-000001") {
				t.Fatalf("alice got %q, want her order", mine)
			}
			if got := buy(t, app, "bob-token", "one-key-of-thirty-six-characters-001", "cart-2"); got != mine {
				t.Errorf("bob got %q; the middleware told the customers apart, so expected.tsv and doc.go have to change", got)
			}
			if got := buy(t, app, "bob-token", "one-key-of-thirty-six-characters-002", "cart-2"); !strings.Contains(got, "ord-000002") {
				t.Errorf("bob got %q with a key of his own, want the second order", got)
			}
		})
	}
}

// A failure must be the middleware's: without a retry the shop is right.
func TestStrangersSeeNothing(t *testing.T) {
	app := new(shop).app(middleware(), authenticate)
	buy(t, app, "alice-token", "", "cart-1")
	for _, c := range []struct {
		token, path string
		want        int
	}{
		{"alice-token", "/checkout/req-000001", 200},
		{"bob-token", "/checkout/req-000001", 404},
		{"carol-token", "/checkout/req-000001", 404},
		{"alice-token", "/checkout/req-000002", 404},
		{"nobody", "/checkout/req-000001", 401},
	} {
		if got, body := do(t, app, http.MethodGet, c.path, "", map[string]string{"Authorization": "Bearer " + c.token}); got != c.want {
			t.Errorf("%s reads %s: %d %s, want %d", c.token, c.path, got, body, c.want)
		}
	}
}

func TestLedgerGoesOnWhereItWasRead(t *testing.T) {
	app := new(shop).app(middleware(), authenticate)
	buy(t, app, "alice-token", "", "cart-1")
	buy(t, app, "bob-token", "", "cart-2")
	for since, want := range map[string]string{
		"":  `"reference":"cart-1"`,
		"1": `{"entries":[{"seq":2,"kind":"order","id":"ord-000002","reference":"cart-2","amount":5,"customer":"bob"}]}`,
		"2": `{"entries":[]}`,
		"9": `{"entries":[]}`,
	} {
		if _, got := do(t, app, http.MethodGet, "/ledger?since="+since, "", nil); !strings.Contains(got, want) {
			t.Errorf("since %q: %s, want %s", since, got, want)
		}
	}
}

func TestProfileNamesTheVersion(t *testing.T) {
	if want := "version: " + fiber.Version + ","; !strings.Contains(profile, want) {
		t.Errorf("profile.yaml does not say %q", want)
	}
	if !strings.Contains(profile, "http://"+address) {
		t.Errorf("profile.yaml does not say http://%s, so nothing would take the place of it", address)
	}
}

// buy sends a checkout, with a key if there is one, and returns its answer.
func buy(t *testing.T, app *fiber.App, token, key, cart string) string {
	t.Helper()
	header := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	status, body := do(t, app, http.MethodPost, "/checkout", `{"cartId":"`+cart+`","amount":5,"paymentToken":"tok_ok"}`, header)
	if status != http.StatusCreated {
		t.Fatalf("checkout: %d %s", status, body)
	}
	return body
}

func do(t *testing.T, app *fiber.App, method, path, body string, header map[string]string) (int, string) {
	t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	for name, value := range header {
		req.Header.Set(name, value)
	}
	answer, err := app.Test(req, fiber.TestConfig{Timeout: 0})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
