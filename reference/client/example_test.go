package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/oncecheck/oncecheck/reference/client"
)

func Example() {
	var charges atomic.Int64
	payment := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if charges.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "charged once for %s", r.Header.Get(client.KeyHeader))
	}))
	defer payment.Close()

	c := client.New(client.Defaults())
	defer c.CloseIdle()
	resp, err := c.Do(context.Background(), client.Request{
		Dependency: "payment",
		Method:     http.MethodPost,
		URL:        payment.URL + "/charges",
		Key:        "order-1", // without it there would be one attempt
		Body:       []byte(`{"amount":100}`),
	})
	fmt.Println(resp.Status, string(resp.Body), resp.Attempts, err)
	// Output: 201 charged once for order-1 3 <nil>
}

// What a service tells its own callers if a dependency fails.
func ExampleError() {
	stock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "password=hunter2", http.StatusInternalServerError)
	}))
	defer stock.Close()

	c := client.New(client.Defaults())
	defer c.CloseIdle()
	_, err := c.Do(context.Background(), client.Request{Method: http.MethodGet, URL: stock.URL, CorrelationID: "c-1"})

	var failure *client.Error
	switch {
	case errors.As(err, &failure) && failure.Code == client.CodeCancelled:
		// Nobody is there to be told.
	case errors.As(err, &failure):
		object, _ := json.Marshal(failure)
		fmt.Println(failure.Status, string(object))
	}
	// Output: 503 {"code":"DEPENDENCY_UNAVAILABLE","message":"the dependency is not available","correlationId":"c-1","retryable":true}
}

// A seam takes one decision and leaves the others. This client does not repeat
// what was throttled.
func ExampleConfig() {
	cfg := client.Defaults()
	right := cfg.Classify
	cfg.Classify = func(a client.Attempt) bool { return a.Class != client.Throttled && right(a) }
	fmt.Println(cfg.Classify(client.Attempt{Class: client.Throttled}), cfg.Classify(client.Attempt{Class: client.Reset}))
	// Output: false true
}
