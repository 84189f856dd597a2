package rig

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/caller"
	"github.com/oncecheck/oncecheck/harness/mapping"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// operations returns what the profile lets us send, by the names that requests
// have in a history.
func operations(p *profile.Profile) map[string]profile.Operation {
	all := map[string]profile.Operation{}
	maps.Copy(all, p.Operations)
	if p.Checkout != nil {
		all[harness.OpCheckout] = *p.Checkout
	}
	if p.Status != nil {
		all[harness.OpStatus] = *p.Status
	}
	if p.Gateway != nil {
		all[harness.OpGateway] = p.Gateway.Operation
	}
	if p.Webhooks != nil && p.Webhooks.Payment != nil {
		all[harness.OpWebhook] = p.Webhooks.Payment.Operation
	}
	return all
}

// routes returns the operations as the client link tells them apart: by the first
// that matches, so those of the suite's own vocabulary go before others.
func routes(p *profile.Profile) []wire.Operation {
	var list []wire.Operation
	all := operations(p)
	own := []string{harness.OpCheckout, harness.OpStatus, harness.OpGateway}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return slices.Contains(own, name) })
	for _, name := range append(own, others...) {
		if op, ok := all[name]; ok {
			list = append(list, route(name, op, p.Dialect.Header))
		}
	}
	if p.Gateway != nil && p.Gateway.Write != nil {
		list = append(list, route(harness.OpGateway, *p.Gateway.Write, p.Dialect.Header))
	}
	return list
}

// correlationHeader is the header that carries the correlation id.
const correlationHeader = "X-Correlation-ID"

func header(name string) func(http.Header, []byte) string {
	return func(h http.Header, _ []byte) string { return h.Get(name) }
}

// route makes a link's operation of a profile's: "/checkout/{{requestId}}"
// matches "/checkout/{requestId}".
func route(name string, op profile.Operation, keyHeader string) wire.Operation {
	path, _, _ := strings.Cut(op.Path, "?")
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.Contains(s, "{{") {
			segments[i] = "{x}"
		}
	}
	return wire.Operation{Name: name, Method: op.Method, Path: strings.Join(segments, "/"), KeyHeader: keyHeader}
}

// renderer fills the templates of the profile by operation name. The gateway's
// write is a variant of it in a history, and a template of its own here.
func renderer(p *profile.Profile) func(harness.Attempt) (caller.Rendered, error) {
	all := operations(p)
	return func(a harness.Attempt) (caller.Rendered, error) {
		operation, variant := a.Operation, a.Variant
		op, ok := all[operation]
		if operation == harness.OpGateway && variant == harness.GatewayWrite && ok {
			if p.Gateway.Write == nil {
				return caller.Rendered{}, fmt.Errorf("the profile has no gateway.write")
			}
			op, variant = *p.Gateway.Write, ""
		}
		if !ok {
			return caller.Rendered{}, fmt.Errorf("the profile has no operation %q", operation)
		}
		rendered, err := p.Render(op, variant, a.Vars, profile.Changes{Set: a.Set, Unset: a.Unset, Spelling: a.Spelling})
		return caller.Rendered(rendered), err
	}
}

// responses compiles the mapping of every operation's answers. Most operations
// share one.
func responses(p *profile.Profile) (func(operation string, a *harness.Answer, body []byte), error) {
	all := operations(p)
	byOperation, known := map[string]*mapping.Mapping{}, map[profile.Response]*mapping.Mapping{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := p.ResponseOf(all[name])
		if known[r] == nil {
			m, err := mapping.New(mapping.Expressions(r))
			if err != nil {
				return nil, fmt.Errorf("read the answers to %s: response.%w; correct it in the profile", name, err)
			}
			known[r] = m
		}
		byOperation[name] = known[r]
	}
	return func(operation string, a *harness.Answer, body []byte) {
		if m := byOperation[operation]; m != nil {
			m.Fill(a, body)
		}
	}, nil
}
