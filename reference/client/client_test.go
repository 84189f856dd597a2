package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

const ok = "201 Created"

func TestWhatIsRepeated(t *testing.T) {
	for name, tc := range map[string]struct {
		answers  []string
		attempts int
		status   int // of the answer; 0 is an error
		unknown  bool
	}{
		"success":                 {[]string{status(ok)}, 1, 201, false},
		"400":                     {[]string{status("400 Bad")}, 1, 400, false},
		"402":                     {[]string{status("402 Declined")}, 1, 402, false},
		"425":                     {[]string{status("425 Early")}, 1, 425, false},
		"422":                     {[]string{status("422 No")}, 1, 422, false},
		"600":                     {[]string{status("600 Beyond")}, 1, 600, false},
		"599 then success":        {[]string{status("599 Odd"), status(ok)}, 2, 201, false},
		"accepted, come back":     {[]string{status("202 Accepted", "Retry-After: 1")}, 1, 202, false},
		"unasked upgrade":         {[]string{status("101 Switch", "Connection: upgrade", "Upgrade: x")}, 1, 0, true},
		"bad chunk, then success": {[]string{"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", status(ok)}, 2, 201, false},
		"half, then success":      {[]string{"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{", status(ok)}, 2, 201, false},
		"1xx without end":         {[]string{strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1<<16)}, 3, 0, true},
		"half of a 503":           {[]string{"HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\n{", status(ok)}, 2, 201, false},
		"409":                     {[]string{status("409 Conflict")}, 1, 409, false},
		"408":                     {[]string{status("408 Timeout")}, 1, 408, false},
		"redirect":                {[]string{status("302 Found", "Location: http://peer/else")}, 1, 302, false},
		"429 then success":        {[]string{status("429 Slow"), status(ok)}, 2, 201, false},
		"503 then success":        {[]string{status("503 Busy"), status(ok)}, 2, 201, false},
		"500 twice then success":  {[]string{status("500 Oops"), status("500 Oops"), status(ok)}, 3, 201, false},
		"reset then success":      {[]string{"", status(ok)}, 2, 201, false},
		"reset then 400":          {[]string{"", status("400 Bad")}, 2, 400, false},
		"429 for ever":            {[]string{status("429 Slow")}, 3, 0, false},
		"503 for ever":            {[]string{status("503 Busy")}, 3, 0, false},
		"500 for ever":            {[]string{status("500 Oops")}, 3, 0, true},
		"504 for ever":            {[]string{status("504 Late")}, 3, 0, true},
		"reset for ever":          {[]string{""}, 3, 0, true},
		"reset, then turned away": {[]string{"", status("503 Busy")}, 3, 0, true},
		"truncated body":          {[]string{"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{", ""}, 3, 0, true},
		"no length, no chunks":    {[]string{"HTTP/1.1 201 Created\r\n\r\n{}"}, 1, 0, true},
		"garbage":                 {[]string{"SSH-2.0\r\n\r\n"}, 3, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{}
				answer := script(tc.answers...)
				p.answer = func(n int, r *http.Request, w io.Writer) bool {
					// What is no complete answer ends with the connection.
					return answer(n, r, w) && strings.HasSuffix(tc.answers[min(n, len(tc.answers))-1], "Content-Length: 2\r\n\r\n{}")
				}
				resp, err := newClient(t, p).Do(t.Context(), post())
				if p.count() != tc.attempts {
					t.Errorf("peer saw %d requests, want %d", p.count(), tc.attempts)
				}
				if resp.Status != tc.status || (err == nil) != (tc.status != 0) {
					t.Fatalf("got status %d and error %v, want status %d", resp.Status, err, tc.status)
				}
				var failure *Error
				if err == nil {
					return
				}
				if !errors.As(err, &failure) || failure.Unknown != tc.unknown || failure.Attempts != tc.attempts {
					t.Fatalf("got %+v, want unknown %v after %d attempts", failure, tc.unknown, tc.attempts)
				}
				if strings.Contains(err.Error(), "secret") {
					t.Fatalf("error %q shows the query", err)
				}
			})
		})
	}
}

// A reused connection that dies is where net/http would re-send by itself.
func TestNoHiddenReplay(t *testing.T) {
	for _, method := range []string{"POST", "GET"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: script(status("200 OK"), "", status("200 OK"))}
				c := newClient(t, p)
				req := Request{Method: method, URL: "http://peer/", Key: "k"}
				if _, err := c.Do(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				var j counter
				req.Journal = &j
				if _, err := c.Do(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				if j.began != 2 || p.count() != 3 {
					t.Fatalf("%d attempts recorded, %d requests in all on the wire; want 2 and 3", j.began, p.count())
				}
			})
		})
	}
}

type counter struct {
	began, ended      int
	beginErr, stopErr error
	last              Attempt
}

func (j *counter) Began(Attempt) error   { j.began++; return j.beginErr }
func (j *counter) Ended(a Attempt) error { j.ended++; j.last = a; return j.stopErr }

func TestJournalCanStopTheCall(t *testing.T) {
	broken := errors.New("store is gone")
	for name, tc := range map[string]struct {
		j    counter
		sent int
	}{
		"before the first attempt": {counter{beginErr: broken}, 0},
		"after the first attempt":  {counter{stopErr: broken}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: always(status("503 Busy"))}
				req := post()
				req.Journal = &tc.j
				if _, err := newClient(t, p).Do(t.Context(), req); !errors.Is(err, broken) || p.count() != tc.sent {
					t.Fatalf("got %v after %d requests, want the journal's error after %d", err, p.count(), tc.sent)
				}
			})
		})
	}
}

func TestAttemptsSpentEarlierCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: always(status("503 Busy"))}
		req := post()
		req.Used = 2
		_, err := newClient(t, p).Do(t.Context(), req)
		if p.count() != 1 {
			t.Fatalf("%d requests after 2 spent attempts (%v), want 1", p.count(), err)
		}
		req.Used = 3
		if _, err := newClient(t, p).Do(t.Context(), req); err == nil || p.count() != 1 {
			t.Fatalf("got %v and %d requests, want an error and no further request", err, p.count())
		}
	})
}

func TestClassifierDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: always(status("503 Busy"))}
		c := newClient(t, p, func(cfg *Config) { cfg.Classify = func(Attempt) bool { return false } })
		var failure *Error
		if _, err := c.Do(t.Context(), post()); !errors.As(err, &failure) || p.count() != 1 {
			t.Fatalf("got %v after %d requests, want a failure after 1", err, p.count())
		}
	})
}

func TestWrapSeesEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: always(status("503 Busy"))}
		trips := 0
		c := newClient(t, p, func(cfg *Config) {
			cfg.Wrap = func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) { trips++; return next.RoundTrip(r) })
			}
		})
		if _, err := c.Do(t.Context(), post()); err == nil || trips != 3 {
			t.Fatalf("got %v and %d trips, want 3", err, trips)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLongAnswerIsUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: always(status(ok))}
		policy := Defaults().Policy
		policy.MaxBody = 1
		c := newClient(t, p, func(cfg *Config) { cfg.Policy = policy })
		var failure *Error
		if _, err := c.Do(t.Context(), post()); !errors.As(err, &failure) || !failure.Unknown || p.count() != 1 {
			t.Fatalf("got %v after %d requests, want an unknown outcome after 1", err, p.count())
		}
	})
}

func TestUnreachablePeerLeavesNoDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("connection refused")
		c := New(configured(dialling(func(context.Context, string, string) (net.Conn, error) { return nil, refused })))
		var failure *Error
		_, err := c.Do(t.Context(), post())
		if !errors.As(err, &failure) || failure.Unknown || failure.Code == CodeTimeout || failure.Attempts != 3 || !errors.Is(err, refused) {
			t.Fatalf("got %+v, want 3 attempts that reached nobody", failure)
		}
	})
}
