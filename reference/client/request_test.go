package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhoMayBeSentAgain(t *testing.T) {
	refused := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			method, key string
			want        int
		}{
			{"GET", "", 3}, {"", "", 3}, {"HEAD", "", 3}, {"OPTIONS", "", 3}, {"PUT", "", 3}, {"DELETE", "", 3},
			{"POST", "", 1}, {"PATCH", "", 1}, {"POST", " \t", 1}, {"PURGE", "", 1},
			{"POST", "k", 3}, {"PATCH", "k", 3},
		} {
			req := Request{Method: tc.method, URL: "http://peer/", Key: tc.key}
			p := &peer{answer: always("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")}
			_, err := newClient(t, p).Do(t.Context(), req)
			var failure *Error
			if !errors.As(err, &failure) || p.count() != tc.want || failure.Retryable != (tc.want == 3) {
				t.Errorf("%s with key %q: %d requests, %v; want %d", tc.method, tc.key, p.count(), err, tc.want)
			}
			if _, err = New(configured(dialling(refused))).Do(t.Context(), req); !errors.As(err, &failure) || failure.Attempts != tc.want {
				t.Errorf("%s with key %q, refused: %v; want %d attempts", tc.method, tc.key, err, tc.want)
			}
			off := newClient(t, &peer{answer: silent}, func(c *Config) { c.Retries = func() bool { return false } })
			if took, _, failure := timed(t.Context(), t, off, req); failure.Attempts != 1 || took != 5*time.Second {
				t.Errorf("%s with key %q, retries off: %d attempts in %v, want one of 5s", tc.method, tc.key, failure.Attempts, took)
			}
		}
	})
}

func TestBlankKeyIsNoKey(t *testing.T) {
	if Repeatable(Request{Method: "POST", Key: " \t "}) || !Repeatable(Request{Method: "POST", Key: "k"}) {
		t.Error("a blank key was taken for one")
	}
}

func TestEveryAttemptIsTheSame(t *testing.T) {
	header := http.Header{"X-Twice": {"a", "b"}, "authorization": {"Bearer t"}, "Host": {"shop.example"}, "Content-Type": {"text/plain"}}
	for name, body := range map[string][]byte{"nothing": nil, "little": []byte("{}"), "64 kB": bytes.Repeat([]byte("x"), 1<<16)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: script("", status("503 Busy"), status(ok))}
				c := newClient(t, p, func(cfg *Config) {
					cfg.Wrap = func(next http.RoundTripper) http.RoundTripper {
						return roundTripper(func(r *http.Request) (*http.Response, error) {
							r.Header.Add("X-Seen", "here") // must not add up
							return next.RoundTrip(r)
						})
					}
				})
				resp, err := c.Do(t.Context(), Request{Method: "PUT", URL: "http://peer/a%2Fb?q=1", Header: header, Key: "k1", Body: body})
				if err != nil || resp.Attempts != 3 {
					t.Fatal(resp.Attempts, err)
				}
				first := p.seen[0]
				for i, r := range p.seen {
					if r.RequestURI != "/a%2Fb?q=1" || r.Host != "shop.example" || r.ContentLength != int64(len(body)) || len(r.TransferEncoding) != 0 {
						t.Errorf("attempt %d: %s at %s, length %d, coding %v", i+1, r.RequestURI, r.Host, r.ContentLength, r.TransferEncoding)
					}
					if !reflect.DeepEqual(r.Header, first.Header) || p.bodies[i] != string(body) {
						t.Errorf("attempt %d differs: %v", i+1, r.Header)
					}
				}
				want := http.Header{"X-Twice": {"a", "b"}, "Authorization": {"Bearer t"}, "Content-Type": {"text/plain"}, "Idempotency-Key": {"k1"},
					"X-Correlation-Id": {resp.CorrelationID}, "Accept": {"application/json"}, "X-Seen": {"here"}, "User-Agent": first.Header["User-Agent"]}
				if len(body) > 0 || first.Header.Get("Content-Length") != "" {
					want["Content-Length"] = first.Header["Content-Length"]
				}
				if !reflect.DeepEqual(first.Header, want) {
					t.Errorf("sent %v, want %v", first.Header, want)
				}
			})
		})
	}
}

func TestKeyAndCorrelation(t *testing.T) {
	long := strings.Repeat("x", 8<<10)
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct {
			req     Request
			key, id string // id empty: a new one
		}{
			"fields":            {Request{Key: "k", CorrelationID: "c"}, "k", "c"},
			"header lines":      {Request{Header: http.Header{"idempotency-key": {"k"}, "X-Correlation-ID": {"c"}}}, "k", "c"},
			"fields win":        {Request{Key: "k", CorrelationID: "c", Header: http.Header{KeyHeader: {"other"}, CorrelationHeader: {"other"}}}, "k", "c"},
			"none":              {Request{}, "", ""},
			"blank key":         {Request{Key: "  ", Header: http.Header{KeyHeader: {"not this one"}}}, "", ""},
			"injection":         {Request{CorrelationID: "c\r\nX-Evil: 1"}, "", ""},
			"too long":          {Request{CorrelationID: long}, "", ""},
			"not ASCII":         {Request{CorrelationID: "çédille"}, "", ""},
			"in a header, evil": {Request{Header: http.Header{CorrelationHeader: {"a b"}}}, "", ""},
			"lines that inject": {Request{Header: http.Header{"x-correlation-ID": {"c\r\nX-Evil: 1"}}}, "", ""},
			"fields save lines": {Request{Key: "k", CorrelationID: "c", Header: http.Header{KeyHeader: {"k\r\nX-Evil: 1"}, CorrelationHeader: {"c\n"}}}, "k", "c"},
		} {
			p := &peer{answer: always(status("503 Busy"))}
			tc.req.URL = "http://peer/"
			_, err := newClient(t, p).Do(t.Context(), tc.req)
			var failure *Error
			if !errors.As(err, &failure) || p.count() != 3 {
				t.Errorf("%s: %v after %d requests", name, err, p.count())
				continue
			}
			id := failure.CorrelationID
			if id == "" || tc.id != "" && id != tc.id || id == tc.req.CorrelationID && tc.id == "" {
				t.Errorf("%s: the error carries %q, want %q", name, id, tc.id)
			}
			for i, r := range p.seen {
				if got := strings.Join(r.Header.Values(KeyHeader), ","); got != tc.key || strings.Join(r.Header.Values(CorrelationHeader), ",") != id || r.Header.Get("X-Evil") != "" {
					t.Errorf("%s: attempt %d carried key %q, want %q, and %v", name, i+1, got, tc.key, r.Header)
				}
			}
		}
	})
}

func TestWhatCannotBeSentIsNoFailureOfThePeer(t *testing.T) {
	for name, req := range map[string]Request{
		"URL":     {URL: "http://peer/%zz?key=secret"},
		"no host": {URL: "/items/secret"},
		"user":    {URL: "http://me:secret@peer/"},
		"scheme":  {URL: "ftp://peer/secret"},
		"method":  {Method: "A B", URL: "http://peer/"},
		"key":     {URL: "http://peer/", Key: "secret\r\nX: y"},
		"line":    {URL: "http://peer/", Header: http.Header{"idempotency-key": {"secret\r\nX: y"}}},
		"header":  {URL: "http://peer/", Header: http.Header{"X-Token": {"secret\n"}}},
		"name":    {URL: "http://peer/", Header: http.Header{"X Token": {"secret"}}},
	} {
		dialled := false
		c := New(configured(dialling(func(context.Context, string, string) (net.Conn, error) { dialled = true; return nil, errors.New("no") })))
		if _, err := c.Do(t.Context(), req); !errors.Is(err, ErrInvalid) || dialled || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, dialled %v", name, err, dialled)
		}
	}
}

func TestAnswerIsReturnedUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw := "HTTP/1.1 404 Gone Fishing\r\nX-A: 1\r\nX-A: 2\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\x1f\x8b\x00\xff\n\r\n0\r\n\r\n"
		p := &peer{answer: always(raw)}
		c := newClient(t, p)
		for range 2 {
			resp, err := c.Do(t.Context(), get())
			want := http.Header{"X-A": {"1", "2"}, "Content-Encoding": {"gzip"}}
			if err != nil || resp.Status != 404 || !reflect.DeepEqual(resp.Header, want) || string(resp.Body) != "\x1f\x8b\x00\xff\n" {
				t.Fatalf("got %+v, %v", resp, err)
			}
		}
		if dials, _ := p.held(); dials != 1 {
			t.Errorf("%d connections for two complete answers, want one", dials)
		}
	})
}

func TestLengthsOfAnswers(t *testing.T) {
	large := strings.Repeat("x", 1<<19)
	chunks := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+large[:1<<16]+"\r\n", 8) + "0\r\n\r\n"
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct{ method, raw, want string }{
			"HEAD":              {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", ""},
			"nothing":           {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
			"no content":        {"POST", "HTTP/1.1 204 No Content\r\n\r\n", ""},
			"not modified":      {"GET", "HTTP/1.1 304 Not Modified\r\n\r\n", ""},
			"512 kB":            {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 524288\r\n\r\n" + large, large},
			"512 kB in chunks":  {"POST", chunks, large},
			"to the end: a GET": {"GET", "HTTP/1.1 200 OK\r\n\r\n{}", "{}"},
			"to the end: a 404": {"POST", "HTTP/1.1 404 None\r\n\r\n{}", "{}"},
		} {
			end := strings.HasPrefix(name, "to the end")
			p := &peer{answer: func(_ int, _ *http.Request, w io.Writer) bool {
				_, err := io.WriteString(w, tc.raw)
				return err == nil && !end
			}}
			c := newClient(t, p)
			for range 2 {
				resp, err := c.Do(t.Context(), Request{Method: tc.method, URL: "http://peer/"})
				if err != nil || string(resp.Body) != tc.want {
					t.Errorf("%s: got %d bytes, %v; want %d", name, len(resp.Body), err, len(tc.want))
				}
			}
			if dials, _ := p.held(); (dials == 1) == end {
				t.Errorf("%s: %d connections", name, dials)
			}
		}
	})
}
