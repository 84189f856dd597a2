package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

const refusalsHead = `target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1}}
checkout: {path: /checkout, body: {cartId: "{{cart}}"}, variants: {keyless: {token: bank}}}
dependencies:
`

func TestKeylessOperationsAndOwnAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		dependencies string
		want         []harness.Capability
	}{
		"keyless, and called by a variant": {`  bank: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", optional: true, operations: {transfer: {path: /transfers, effect: charge, keyless: true}}}`,
			[]harness.Capability{harness.CapKeyless}},
		"keyless, but without an effect": {`  bank: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", operations: {look: {path: /transfers, keyless: true}}}`, nil},
		"with its own refusals": {`  payment: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", operations: {charge: {path: /charges, effect: charge, answers: {decline: {status: 402, body: {code: card_declined}}}}}}`,
			[]harness.Capability{harness.CapRefusals}},
		"neither": {`  payment: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", operations: {charge: {path: /charges, effect: charge}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse("profile.yaml", []byte(refusalsHead+row.dependencies), environment)
			if err != nil {
				t.Fatal(err)
			}
			var got []harness.Capability
			for _, c := range p.Info().Capabilities {
				if c == harness.CapKeyless || c == harness.CapRefusals {
					got = append(got, c)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("capabilities %v, want %v", got, row.want)
			}
		})
	}
}

func TestOwnAnswersAreKept(t *testing.T) {
	p, err := Parse("profile.yaml", []byte(refusalsHead+`  payment: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", operations: {charge: {path: /charges, effect: charge, answers: {decline: {status: 402, body: {code: card_declined, attempts: 1}}, validation: {status: 422}}}}}`), environment)
	if err != nil {
		t.Fatal(err)
	}
	answers := p.Dependencies["payment"].Operations["charge"].Answers
	if text, err := answers[harness.AnswerDecline].Text(); err != nil || text != `{"code":"card_declined","attempts":1}` {
		t.Errorf("the decline says %s, %v", text, err)
	}
	if text, err := answers[harness.AnswerValidation].Text(); err != nil || text != "" {
		t.Errorf("an answer without a body says %q, %v", text, err)
	}
	if got := p.Info().Links[0].Operations[0].Answers; !slices.Equal(got, []string{harness.AnswerDecline, harness.AnswerValidation}) {
		t.Errorf("the engine knows of the answers %v", got)
	}
}

func TestWrongRefusals(t *testing.T) {
	for operation, part := range map[string]string{
		`{path: /charges, query: true, keyless: true}`:                               "is keyless and a query",
		`{path: /charges, answers: {decline: {status: 503}}}`:                        "must be a status from 300 to 499",
		`{path: /charges, answers: {decline: {}}}`:                                   "status",
		`{path: /charges, answers: {maybe: {status: 402}}}`:                          "authorization, decline",
		`{path: /charges, answers: {decline: {status: 402, body: {c: "{{cart}}"}}}}`: "must say all by itself",
	} {
		_, err := Parse("profile.yaml", []byte(refusalsHead+`  payment: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:1", operations: {charge: `+operation+`}}`), environment)
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", operation, err, part)
		}
	}
}
