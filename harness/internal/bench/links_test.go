package bench

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/caller"
	"github.com/oncecheck/oncecheck/harness/wire"
)

const body = `{"cartId":"c","cartVersion":1,"currency":"EUR","amount":100,"paymentToken":"tok_ok"}`

// upstream answers every request with a small JSON body.
func upstream(b testing.TB) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"orderId":"o"}`)
	}))
	b.Cleanup(s.Close)
	return s
}

// oneConnectionEach posts n times, a connection each, as a resilience test does.
func oneConnectionEach(b *testing.B, target string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for b.Loop() {
		response, err := client.Post(target+"/checkout", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

func forwarding() pair {
	return pair{
		what: "forward one exchange through harness/wire", peer: "net/http/httputil.ReverseProxy",
		ours: func(b *testing.B) {
			link, err := wire.Open(wire.Config{Name: "client", Upstream: upstream(b).URL}, wire.NewJournal())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = link.Close() })
			b.ReportAllocs()
			oneConnectionEach(b, link.URL())
		},
		them: func(b *testing.B) {
			u, err := url.Parse(upstream(b).URL)
			if err != nil {
				b.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(u)
			// One upstream connection an exchange, as the link does.
			proxy.Transport = &http.Transport{DisableKeepAlives: true}
			s := httptest.NewServer(proxy)
			b.Cleanup(s.Close)
			oneConnectionEach(b, s.URL)
		},
	}
}

func sending() pair {
	return pair{
		what: "send one attempt with harness/caller", peer: "net/http, one connection each",
		ours: func(b *testing.B) {
			s := upstream(b)
			u, err := url.Parse(s.URL)
			if err != nil {
				b.Fatal(err)
			}
			c := caller.New(caller.Config{Doors: []caller.Door{{Address: u.Host, Host: u.Host}}, KeyHeader: "Idempotency-Key",
				Render: func(harness.Attempt) (caller.Rendered, error) {
					return caller.Rendered{Method: http.MethodPost, Path: "/checkout", Body: []byte(body)}, nil
				}})
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := c.Send(context.Background(), harness.Attempt{Operation: "checkout", Keys: []string{"k"}}); err != nil {
					b.Fatal(err)
				}
			}
		},
		them: func(b *testing.B) { oneConnectionEach(b, upstream(b).URL) },
	}
}
