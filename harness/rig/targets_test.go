package rig

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// shop answers as a checkout should: one id for each key, or with forgetful a
// new one each time.
type shop struct {
	mu        sync.Mutex
	ids       map[string]string
	made      int
	forgetful bool
	write     func(w http.ResponseWriter, r *http.Request, body []byte)
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	if s.ids[key] == "" || s.forgetful {
		s.made++
		s.ids[key] = fmt.Sprintf("r-%d", s.made)
	}
	body := fmt.Appendf(nil, `{"padding":"","requestId":%q,"orderId":%q,"state":"SUCCEEDED"}`, s.ids[key], s.ids[key])
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	s.write(w, r, body)
}

func plainly(w http.ResponseWriter, _ *http.Request, body []byte) {
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

// replayed is a scenario that sends one key twice and wants one answer.
func replayed() harness.Catalogue {
	return harness.Catalogue{Clauses: []harness.Clause{{ID: "C.1", Level: "must"}}, Scenarios: []harness.Scenario{{
		ID: "x/replay", Title: "a replay", Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			c := s.Case("c")
			for range 2 {
				s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
			}
			return nil
		},
		Checks: []harness.Check{{Name: "same", Clause: "C.1", Judge: func(h *harness.History) harness.Verdict {
			seen, answers := map[string]bool{}, 0
			for e := range h.Events() {
				if e.Type == harness.OK && e.Answer.JSON && e.Answer.RequestID != "" {
					answers++
					seen[e.Answer.BodySHA256+e.Answer.RequestID] = true
				}
			}
			if answers < 2 || len(seen) != 1 {
				return harness.Failed("one answer", fmt.Sprintf("%d different ones of %d", len(seen), answers))
			}
			return harness.Passed("the answers are the same")
		}}},
	}}}
}

// try does what a run does and returns its exit code with why, or the error with
// which it could not begin.
func try(t *testing.T, p *profile.Profile) (exit int, why string) {
	t.Helper()
	return tryAll(t, p, replayed())
}

func tryAll(t *testing.T, p *profile.Profile, catalogue harness.Catalogue) (exit int, why string) {
	t.Helper()
	r, err := Open(t.Context(), p, Options{UserAgent: "oncecheck/test"})
	if err != nil {
		return harness.ExitUsage, err.Error()
	}
	defer func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	plan, err := harness.NewPlan(harness.RunInfo{ID: "run-1", Seed: 7, Lane: "fast"}, r.Target.Info, catalogue, func(harness.Scenario) bool { return true })
	if err != nil {
		return -1, err.Error()
	}
	runner, err := harness.NewRunner(t.Context(), r.Target, plan, dir)
	if err != nil {
		return harness.ExitUsage, err.Error()
	}
	e, err := harness.Run(t.Context(), runner, catalogue, harness.Options{Jobs: 1})
	if err != nil {
		return -1, err.Error()
	}
	return e.Run.Exit, e.Run.Control.Reason
}

// httpServer serves h on address, in the way that shape says.
func httpServer(t *testing.T, address string, h http.Handler, shape func(*httptest.Server)) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine has no %s: %v", address, err)
	}
	server := httptest.NewUnstartedServer(h)
	_ = server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // that a handshake fails is what some of them are for
	if shape != nil {
		shape(server)
	}
	if server.TLS != nil {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

func secured(s *httptest.Server) { s.TLS = &tls.Config{} }

func http2Only(s *httptest.Server) {
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP2(true)
}

func clearHTTP2Only(s *httptest.Server) {
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
}

// authority writes the server's certificate to a file for target.ca.
func authority(t *testing.T, s *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func packed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// TestTargetsThatAreHandled: what is right is tried whatever its form, with the
// same verdicts as in the plainest.
func TestTargetsThatAreHandled(t *testing.T) {
	var answers atomic.Int64
	for name, row := range map[string]struct {
		address string
		shape   func(*httptest.Server)
		write   func(http.ResponseWriter, *http.Request, []byte)
	}{
		"plain":       {write: plainly},
		"self-signed": {shape: secured, write: plainly},
		"self-signed, HTTP/2 if asked": {shape: func(s *httptest.Server) {
			s.EnableHTTP2 = true
			s.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
		}, write: plainly},
		"IPv6 only": {address: "[::1]:0", write: plainly},
		"gzip that nobody asked for": {write: func(w http.ResponseWriter, r *http.Request, body []byte) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Errorf("the caller accepts %q", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Comment = fmt.Sprint(answers.Add(1)) // the same answer in other bytes
			_, _ = z.Write(body)
			_ = z.Close()
			plainly(w, r, b.Bytes())
		}},
		"5 MiB": {write: func(w http.ResponseWriter, r *http.Request, body []byte) {
			plainly(w, r, bytes.Replace(body, []byte(`""`), []byte(`"`+strings.Repeat("x", 5<<20)+`"`), 1))
		}},
		"chunked": {write: func(w http.ResponseWriter, _ *http.Request, body []byte) {
			w.WriteHeader(http.StatusCreated)
			for _, b := range body {
				_, _ = w.Write([]byte{b})
				w.(http.Flusher).Flush()
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if row.address == "" {
				row.address = "127.0.0.1:0"
			}
			for _, forgetful := range []bool{false, true} {
				server := httpServer(t, row.address, &shop{ids: map[string]string{}, write: row.write, forgetful: forgetful}, row.shape)
				text := profileOf(server.URL, "")
				if server.TLS != nil {
					text = strings.Replace(text, "}\n", ", ca: \""+authority(t, server)+"\"}\n", 1)
				}
				want := map[bool]int{false: harness.ExitGreen, true: harness.ExitFail}[forgetful]
				if exit, why := try(t, load(t, text)); exit != want {
					t.Errorf("forgetful %t: exit %d, want %d: %s", forgetful, exit, want, why)
				}
			}
		})
	}
}

// TestTargetsThatAreNotBelieved: what cannot be read is refused, or leaves the
// run open, and the reason says what to do.
func TestTargetsThatAreNotBelieved(t *testing.T) {
	elsewhere := &shop{ids: map[string]string{}, write: plainly}
	other := httpServer(t, "127.0.0.1:0", elsewhere, nil)
	var tried sync.WaitGroup
	large := packed(make([]byte, 65<<20))
	answering := func(coding string, body func([]byte) []byte) func(http.ResponseWriter, *http.Request, []byte) {
		return func(w http.ResponseWriter, r *http.Request, plain []byte) {
			w.Header().Set("Content-Encoding", coding)
			plainly(w, r, body(plain))
		}
	}
	same := func(b []byte) []byte { return b }
	redirecting := func(status int) func(http.ResponseWriter, *http.Request, []byte) {
		return func(w http.ResponseWriter, r *http.Request, _ []byte) {
			http.Redirect(w, r, other.URL+"/checkout", status)
		}
	}
	for name, row := range map[string]struct {
		shape func(*httptest.Server)
		write func(http.ResponseWriter, *http.Request, []byte)
		url   func(string) string
		trust bool
		exit  int
		says  string
	}{
		"self-signed":              {shape: secured, exit: 2, says: "target.ca"},
		"a certificate for others": {shape: secured, trust: true, url: func(u string) string { return strings.Replace(u, "127.0.0.1", "localhost", 1) }, exit: 2, says: "use a name of the certificate"},
		"https without TLS":        {url: func(u string) string { return strings.Replace(u, "http:", "https:", 1) }, exit: 2, says: "begin target.url with http://"},
		"HTTP/2 only":              {shape: http2Only, trust: true, exit: 2, says: "speaks HTTP/2 only"},
		"HTTP/2 only, without TLS": {shape: clearHTTP2Only, exit: 2, says: "speaks HTTP/2 only"},
		"TLS behind http":          {shape: secured, url: func(u string) string { return strings.Replace(u, "https:", "http:", 1) }, exit: 3, says: "status 400"},
		"a redirect by 302":        {write: redirecting(302), exit: 3, says: "redirect"},
		"a redirect by 307":        {write: redirecting(307), exit: 3, says: "redirect"},
		"a redirect by 308":        {write: redirecting(308), exit: 3, says: "redirect"},
		"brotli":                   {write: answering("br", same), exit: 3, says: `content coding "br"`},
		"gzip twice":               {write: answering("gzip, gzip", func(b []byte) []byte { return packed(packed(b)) }), exit: 3, says: "content coding"},
		"gzip by name only":        {write: answering("gzip", same), exit: 3, says: "compressed with gzip"},
		"gzip that breaks off":     {write: answering("gzip", func(b []byte) []byte { b = packed(b); return b[:len(b)-9] }), exit: 3, says: "cut off"},
		"65 MiB":                   {write: answering("gzip", func([]byte) []byte { return large }), exit: 3, says: "larger than 64 MiB"},
		"chunks that break off": {write: func(w http.ResponseWriter, _ *http.Request, b []byte) {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(b)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, exit: 3, says: "no answer"},
	} {
		if row.write == nil {
			row.write = plainly
		}
		server := httpServer(t, "127.0.0.1:0", &shop{ids: map[string]string{}, write: row.write}, row.shape)
		url := server.URL
		if row.url != nil {
			url = row.url(url)
		}
		text := profileOf(url, "policy: {client: {total: 1ms}}") // so long, and 5 s more, are unknown outcomes asked after
		if row.trust {
			text = strings.Replace(text, "}\n", ", ca: \""+authority(t, server)+"\"}\n", 1)
		}
		p := load(t, text)
		// All at once, however few may run in parallel: they wait, they do not work.
		tried.Go(func() {
			if exit, why := try(t, p); exit != row.exit || !strings.Contains(why, row.says) {
				t.Errorf("%s: exit %d, want %d: %s; want %q", name, exit, row.exit, why, row.says)
			}
		})
	}
	tried.Wait()
	if elsewhere.made != 0 {
		t.Errorf("%d redirects were followed", elsewhere.made)
	}
}

// TestWhatSpeaksNoHTTP: a banner that comes unasked is no answer.
func TestWhatSpeaksNoHTTP(t *testing.T) {
	for banner, says := range map[string]string{
		"SSH-2.0-OpenSSH_9.2\r\n":              `began with "SSH-2.0-O"`,
		"\x15\x03\x01\x00\x02\x02\x0a..":       "begin target.url with https://",
		"\x00\x00\x12\x04\x00\x00\x00\x00\x00": "speaks HTTP/2 only",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, banner)
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
		exit, why := try(t, load(t, profileOf("http://"+l.Addr().String(), "")))
		if exit != harness.ExitUsage || !strings.Contains(why, says) {
			t.Errorf("%q: exit %d: %s", banner, exit, why)
		}
		_ = l.Close()
		<-ended
	}
}

func TestCertificatesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty.pem"), []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httpServer(t, "127.0.0.1:0", http.NotFoundHandler(), secured)
	for file, says := range map[string]string{"absent.pem": "target.ca: open", "empty.pem": "holds no certificate in PEM"} {
		text := strings.Replace(profileOf(server.URL, ""), "}\n", ", ca: "+file+"}\n", 1)
		p, err := profile.Parse(filepath.Join(dir, "profile.yaml"), []byte(text), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		if exit, why := try(t, p); exit != harness.ExitUsage || !strings.Contains(why, says) || !strings.Contains(why, dir) {
			t.Errorf("%s: exit %d: %s", file, exit, why)
		}
	}
}
