package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	maxBody   = 32 << 20        // of one answer, unpacked
	readLimit = 5 * time.Second // of one read, expression included
)

// HTTPProbe reads a ledger over HTTP. It is safe for concurrent use.
type HTTPProbe struct{ httpSource }

// httpSource is read over HTTP.
type httpSource struct {
	form
	client *http.Client
	url    string
	header map[string]string
	code   *gojq.Code
}

// HTTP returns a probe that gets rawURL with the given header and applies the jq
// expression to the JSON answer; an empty expression stands for ".[]". Each
// result must be an object with the strings kind and id and, as far as they are
// known, seq, key, reference, correlationId, amount, currency and at.
//
// In rawURL, {{since}} is replaced by the last sequence number already seen.
// Without it the whole ledger is read each time and filtered here; entries may
// then lack seq, and their position stands for it, so the ledger must be in the
// order of recording.
//
// A nil client stands for one that keeps no connections. Redirects are refused
// with any client.
func HTTP(client *http.Client, rawURL string, header map[string]string, jq string) (*HTTPProbe, error) {
	from, err := overHTTP(ledger(), client, rawURL, header, jq)
	if err != nil {
		return nil, err
	}
	return &HTTPProbe{from}, nil
}

func overHTTP(f form, client *http.Client, rawURL string, header map[string]string, jq string) (from httpSource, err error) {
	u, err := url.Parse(fillSince(rawURL, 0))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return from, fmt.Errorf("probe %s: the URL of %s is no absolute http or https URL", f.key, f.name)
	}
	code, err := f.compile(jq)
	if err != nil {
		return from, err
	}
	if client == nil {
		// A kept connection could be dead by the next read, and would be taken for
		// a ledger that cannot be reached.
		client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}
	stay := *client
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return httpSource{form: f, client: &stay, url: rawURL, header: maps.Clone(header), code: code}, nil
}

var _ harness.Probe = (*HTTPProbe)(nil)

// Effects implements [harness.Probe]. One read takes at most 5 s and 32 MiB.
func (p *HTTPProbe) Effects(ctx context.Context, after int64) ([]harness.Effect, error) {
	return gather(ctx, p.httpSource, effects(), after)
}

func (p httpSource) fresh() bool { return sinceName.MatchString(p.url) }

func (p httpSource) read(ctx context.Context, after int64, found sink) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("the read took longer than %v", readLimit))
	defer cancel()
	body, err := p.get(ctx, fillSince(p.url, after))
	if err != nil {
		return fmt.Errorf("read %s at %s: %w", p.name, plainURL(p.url), err)
	}
	if err := p.pick(ctx, p.code, body, found); err != nil {
		return fmt.Errorf("understand %s at %s: %w", p.name, plainURL(p.url), err)
	}
	return nil
}

func (p httpSource) get(ctx context.Context, target string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	req.Header.Set("Accept", "application/json")
	for _, name := range slices.Sorted(maps.Keys(p.header)) {
		if strings.EqualFold(name, "Host") {
			req.Host = p.header[name]
		}
		req.Header.Set(name, p.header[name])
	}
	answer, err := p.client.Do(req)
	if err != nil {
		return nil, reason(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return nil, fmt.Errorf("it redirects (status %d), which a probe does not follow; declare the URL that answers, and credentials if it leads to a login", answer.StatusCode)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered status %d instead of 200; check the URL and the credentials of %s.http", answer.StatusCode, p.key)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("the answer broke off: %w", reason(ctx, err))
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the answer is larger than %d MiB; use {{since}} so that only new entries are sent", maxBody>>20)
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "text/html" || strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<") {
		return nil, fmt.Errorf("it answered a page for people (HTML) instead of JSON, perhaps a login; check the URL and the credentials of %s.http", p.key)
	}
	return body, nil
}

// reason leaves the URL out of an error of the client, since its query may hold
// a credential, and says so where our own limit ended the read.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		return inner.Err
	}
	return err
}

func plainURL(raw string) string {
	plain, _, _ := strings.Cut(raw, "?")
	scheme, rest, _ := strings.Cut(plain, "://")
	if _, host, ok := strings.Cut(rest, "@"); ok {
		rest = host
	}
	return scheme + "://" + rest
}
