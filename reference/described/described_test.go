package described_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/described"
)

// TestAnswer: an answer that departs from the document in one thing is refused.
func TestAnswer(t *testing.T) {
	d, err := described.New(t.Context(), checkout.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	const (
		bought  = `{"requestId":"r","orderId":"o","state":"SUCCEEDED","attemptCount":3,"correlationId":"c"}`
		refused = `{"code":"VALIDATION_ERROR","message":"no","correlationId":"c","retryable":false}`
		status  = `{"requestId":"r","state":"PENDING","attemptCount":0,"updatedAt":"2026-01-02T03:04:05.6Z","correlationId":"c"}`
	)
	for _, row := range []struct {
		method, path, cache string
		status              int
		body                string
		fits                bool
	}{
		{"POST", "/checkout", "no-store", 201, bought, true},
		{"POST", "/checkout", "no-store", 400, refused, true},
		{"GET", "/checkout/r", "no-store", 200, status, true},
		{"GET", "/checkout/%25", "no-store", 404, strings.Replace(refused, "VALIDATION_ERROR", "NOT_FOUND", 1), true},
		{"POST", "/checkout", "no-store", 200, bought, false},
		{"POST", "/checkout", "max-age=5", 201, bought, false},
		{"POST", "/checkout", "", 201, bought, false},
		{"POST", "/checkout", "no-store", 201, strings.Replace(bought, `"orderId":"o",`, "", 1), false},
		{"POST", "/checkout", "no-store", 201, strings.Replace(bought, "{", `{"debug":1,`, 1), false},
		{"POST", "/checkout", "no-store", 201, strings.Replace(bought, "3", `"3"`, 1), false},
		{"POST", "/v2/checkout", "no-store", 201, bought, false},
		{"POST", "/checkout", "no-store", 400, strings.Replace(refused, "VALIDATION_ERROR", "NOT_FOUND", 1), false},
		{"POST", "/checkout", "no-store", 400, "<html>", false},
		{"GET", "/checkout/r", "no-store", 200, strings.Replace(status, "Z", "", 1), false},
		{"GET", "/checkout/r", "no-store", 200, strings.Replace(status, "PENDING", "DONE", 1), false},
	} {
		header := http.Header{"Content-Type": {"application/json"}}
		if row.cache != "" {
			header.Set("Cache-Control", row.cache)
		}
		known, err := d.Answer(t.Context(), row.method, row.path, row.status, header, []byte(row.body))
		if !known || (err == nil) != row.fits {
			t.Errorf("%s %s %d %s %s: known %v, %v", row.method, row.path, row.status, row.cache, row.body, known, err)
		}
	}
	if known, err := d.Answer(t.Context(), "GET", "/elsewhere", 404, nil, nil); known || err != nil {
		t.Errorf("a route that is not described: known %v, %v", known, err)
	}
}

func TestNewRefusesWhatIsNoDocument(t *testing.T) {
	for _, text := range []string{"", "{}", `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"$ref":"#/components/responses/None"}}}}}}`} {
		if _, err := described.New(t.Context(), []byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
