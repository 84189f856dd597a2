package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// handler is an origin in this process, for links in server mode.
type handler struct {
	http.Handler
	caseHeader string
}

func (h handler) ask(ctx context.Context, r *request, ready func(), sent func()) (a *answer, err error) {
	if ready != nil {
		ready()
	}
	req, err := h.request(ctx, r)
	if err != nil {
		return nil, err
	}
	w := &writer{header: http.Header{}}
	defer func() {
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("handle %s %s: the handler panicked: %v", r.method, r.path, p)
		}
	}()
	sent()
	h.ServeHTTP(w, req)
	return w.answer(r), nil
}

// request shows the request as net/http's server would, except that header
// values arrive as they are.
func (h handler) request(ctx context.Context, r *request) (*http.Request, error) {
	u, err := url.ParseRequestURI(r.target)
	if err != nil {
		return nil, fmt.Errorf("hand over a request: %w", err)
	}
	header := r.header.Clone()
	host := header.Get("Host")
	for _, name := range []string{"Host", "Transfer-Encoding", h.caseHeader} {
		delete(header, textproto.CanonicalMIMEHeaderKey(name))
	}
	req := &http.Request{
		Method: r.method, URL: u, RequestURI: r.target, Host: host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}
	return req.WithContext(ctx), nil
}

// writer collects what a handler answers.
type writer struct {
	header http.Header
	sent   http.Header // header at the time of WriteHeader, as net/http promises
	status int
	body   bytes.Buffer
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

func (w *writer) answer(r *request) *answer {
	w.WriteHeader(http.StatusOK)
	a := &answer{status: w.status, body: w.body.Bytes()}
	a.start = fmt.Sprintf("HTTP/1.1 %d %s", w.status, http.StatusText(w.status))
	if w.body.Len() > 0 && w.sent.Get("Content-Type") == "" && !bodyless(r.method, w.status) {
		w.sent.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
	for _, name := range slices.Sorted(maps.Keys(w.sent)) {
		if name == "Content-Length" && r.method != http.MethodHead {
			continue // the length is the body's own
		}
		for _, value := range w.sent[name] {
			value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
			a.fields = append(a.fields, field{raw: []byte(name + ": " + value), name: name, value: value})
		}
	}
	return a
}
