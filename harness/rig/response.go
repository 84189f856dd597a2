package rig

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/mapping"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// responses compiles the mapping of every operation's answers. Most operations
// share one.
func responses(p *profile.Profile) (func(operation string, a *harness.Answer, body []byte), error) {
	operations := map[string]profile.Operation{harness.OpCheckout: *p.Checkout}
	maps.Copy(operations, p.Operations)
	if p.Status != nil {
		operations[harness.OpStatus] = *p.Status
	}
	byOperation, known := map[string]*mapping.Mapping{}, map[profile.Response]*mapping.Mapping{}
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		r := p.ResponseOf(operations[name])
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
