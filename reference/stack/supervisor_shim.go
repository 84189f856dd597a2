package stack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness/shim"
	"github.com/oncecheck/oncecheck/reference/client"
)

// serveShim lets runs make calls with the reference's client. It lives in the
// supervisor, where nothing kills it: what is asked of a client by itself needs
// no instance.
func (s *supervisor) serveShim(ctx context.Context) (*server, error) {
	l, err := listenLoopback("the client's shim")
	if err != nil {
		return nil, err
	}
	names := &lookups{}
	caller := newShimmed(s.clientConfig(names), names)
	return serveOn(ctx, l, localOnly(shim.Handler(caller, caller.info(version(s.options.Mutant)))), s.log), nil
}

// ClientShim returns the shim of the reference's client, as it is meant to be: no
// mutant, and the times of the requirements.
func ClientShim() http.Handler {
	names := &lookups{}
	cfg := client.Defaults()
	cfg.Dial = names.dialer().DialContext
	caller := newShimmed(cfg, names)
	return shim.Handler(caller, caller.info(version("")))
}

// clientConfig returns the client that the shim calls with: scaled and broken as
// the instances' are.
func (s *supervisor) clientConfig(names *lookups) client.Config {
	cfg := client.Defaults()
	cfg.Dial = names.dialer().DialContext
	cfg.Policy = cfg.Policy.Scaled(s.options.Scale)
	return brokenClient(s.options.Mutant, cfg)
}

// shimmed makes calls with the client for whoever asks for them.
type shimmed struct {
	shim.Dials
	*lookups

	mu      sync.Mutex
	config  client.Config
	client  *client.Client // that calls share
	trusted *x509.CertPool
}

var (
	_ shim.Caller    = (*shimmed)(nil)
	_ shim.Truster   = (*shimmed)(nil)
	_ shim.Resolving = (*shimmed)(nil)
	_ shim.Counter   = (*shimmed)(nil)
	_ shim.Resetter  = (*shimmed)(nil)
)

func newShimmed(cfg client.Config, names *lookups) *shimmed {
	s := &shimmed{lookups: names}
	cfg.Dial = s.Counted(cfg.Dial)
	s.config, s.client = cfg, client.New(cfg)
	return s
}

// info declares the client as it is, a broken one as if it were right: a
// declaration is what its owner believes.
func (s *shimmed) info(version string) shim.Info {
	p := s.config.Policy
	ms := func(d time.Duration) int64 { return max(1, d.Milliseconds()) } // 0 would declare nothing
	return shim.Info{
		Name: "oncecheck-reference-client", Version: version,
		Policy: &shim.Policy{
			ConnectMs: ms(p.Connect), ReadMs: ms(p.Read), TotalMs: ms(p.Total),
			MaxRetries: p.Attempts - 1, BaseMs: ms(p.Base), CapMs: ms(p.Cap), Jitter: "equal",
		},
		Capabilities: []string{"cancel", "fresh-client", "declared-policy", "idempotency-key"},
	}
}

// Call implements [shim.Caller].
func (s *shimmed) Call(ctx context.Context, call shim.Call) shim.Result {
	s.mu.Lock()
	with, cfg := s.client, s.config
	s.mu.Unlock()
	if call.Fresh {
		with = client.New(cfg)
		defer with.CloseIdle()
	}
	header := http.Header{}
	for _, line := range call.Headers {
		header.Add(line[0], line[1])
	}
	for name, value := range call.Principal.Header {
		header.Set(name, value)
	}
	resp, err := with.Do(ctx, client.Request{
		Method: call.Method, URL: call.URL, Header: header, Key: call.IdempotencyKey, CorrelationID: call.CorrelationID, Body: call.Body,
	})
	if err != nil {
		result := shim.Failed(ctx, err)
		if failed := (*client.Error)(nil); result.Error != nil && errors.As(err, &failed) {
			result.Status = failed.Status
			result.Error = &shim.Error{Code: failed.Code, Message: failed.Message, CorrelationID: failed.CorrelationID, Retryable: failed.Retryable}
		}
		return result
	}
	result := shim.Result{Outcome: shim.OutcomeResponse, Status: resp.Status, Body: resp.Body}
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			result.Headers = append(result.Headers, [2]string{name, value})
		}
	}
	return result
}

// Trust implements [shim.Truster]: calls that start later trust the authority as
// well as those of the machine.
func (s *shimmed) Trust(_ context.Context, caPEM []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	trusted := x509.NewCertPool()
	if s.trusted != nil {
		trusted = s.trusted.Clone()
	} else if machine, err := x509.SystemCertPool(); err == nil {
		trusted = machine
	}
	if !trusted.AppendCertsFromPEM(caPEM) {
		return errors.New("trust an authority: there is no certificate in what was sent; send one in PEM")
	}
	s.trusted = trusted
	s.config.TLS = &tls.Config{RootCAs: trusted}
	s.client.CloseIdle()
	s.client = client.New(s.config)
	return nil
}

// Reset implements [shim.Resetter].
func (s *shimmed) Reset(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.CloseIdle()
	return nil
}
