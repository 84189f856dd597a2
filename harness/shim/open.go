package shim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Open asks the shim at an URL who it is.
func Open(ctx context.Context, base string) (*Client, error) {
	c := &Client{base: strings.TrimSuffix(base, "/"), http: alone()}
	if err := c.ask(ctx, http.MethodGet, "/v1/info", nil, &c.info); err != nil {
		return nil, err
	}
	if err := c.info.check(); err != nil {
		return nil, c.wrong("/v1/info", err)
	}
	return c, nil
}

// check refuses an info that would be misread.
func (i Info) check() error {
	switch {
	case i.Shim != Version:
		return fmt.Errorf("it speaks version %d of the protocol (member shim), and this is version %d", i.Shim, Version)
	case i.Name == "":
		return errors.New("it does not say which client it stands for: the member name is missing")
	}
	p := i.Policy
	if p == nil {
		p = &Policy{}
	}
	if min(p.ConnectMs, p.ReadMs, p.TotalMs, int64(p.MaxRetries), p.BaseMs, p.CapMs) < 0 {
		return errors.New("it declares a negative number in its policy")
	}
	switch p.Jitter {
	case "", "equal", "full", "none":
	default:
		return fmt.Errorf("it declares jitter %q; there are equal, full and none", p.Jitter)
	}
	for _, capability := range i.Capabilities {
		if harness.Capability(capability) == harness.CapDeclaredPolicy {
			if missing := p.missing(); len(missing) > 0 {
				return fmt.Errorf("it claims %s and leaves out %s of its policy", harness.CapDeclaredPolicy, strings.Join(missing, ", "))
			}
		}
	}
	return nil
}

// missing names what a policy does not declare.
func (p Policy) missing() []string {
	var names []string
	for _, member := range []struct {
		name  string
		there bool
	}{
		{"connectMs", p.ConnectMs > 0}, {"readMs", p.ReadMs > 0}, {"totalMs", p.TotalMs > 0},
		{"baseMs", p.BaseMs > 0}, {"capMs", p.CapMs > 0}, {"jitter", p.Jitter != ""},
	} {
		if !member.there {
			names = append(names, member.name)
		}
	}
	return names
}

// Info returns what the client says of itself. Capabilities that no clause asks
// for are left out.
func (c *Client) Info() harness.ClientInfo {
	info := harness.ClientInfo{Name: c.info.Name, Version: c.info.Version,
		BudgetHeader: c.info.BudgetHeader, AttemptHeader: c.info.AttemptHeader, AutoKey: c.info.AutoKey}
	for _, name := range c.info.Capabilities {
		if capability := harness.Capability(name); ofShim(capability) {
			info.Capabilities = append(info.Capabilities, capability)
		}
	}
	if p := c.info.Policy; p != nil {
		info.Backoff = harness.Backoff{Base: duration(p.BaseMs), Cap: duration(p.CapMs), Jitter: p.Jitter}
	}
	return info
}

// ofShim reports whether a shim may claim the capability: what is the target's
// to give, it may not.
func ofShim(c harness.Capability) bool {
	switch c {
	case harness.CapCancel, harness.CapFreshClient, harness.CapSocketStats, harness.CapTLSTrust, harness.CapResolver, harness.CapDeclaredPolicy,
		harness.CapIdempotencyKey, harness.CapFallbackSeed, harness.CapLogs, harness.CapMetrics:
		return true
	}
	return false
}

// Policy returns the limits that the client declares, and those of the
// requirements for what it leaves out.
func (c *Client) Policy() harness.ClientPolicy {
	policy := harness.RequiredPolicy().Client
	declared := c.info.Policy
	if declared == nil {
		return policy
	}
	policy.Retries = declared.MaxRetries
	for _, limit := range []struct {
		ms    int64
		field *harness.Duration
	}{{declared.ConnectMs, &policy.Connect}, {declared.ReadMs, &policy.Read}, {declared.TotalMs, &policy.Total}} {
		if limit.ms > 0 {
			*limit.field = duration(limit.ms)
		}
	}
	return policy
}

func duration(ms int64) harness.Duration {
	return harness.Duration(time.Duration(ms) * time.Millisecond)
}
