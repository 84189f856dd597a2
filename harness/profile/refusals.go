package profile

import (
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// variantKeyless is the body variant whose checkout calls a keyless operation that
// a plain one does not call.
const variantKeyless = "keyless"

// refusals checks what is said of an operation beyond its route.
func (s *source) refusals(at string, op DependencyOperation) {
	if op.Keyless && op.Query {
		s.wrong(at, "is keyless and a query; a query takes no key anyway")
	}
	for _, name := range slices.Sorted(maps.Keys(op.Answers)) {
		path := at + ".answers." + name
		if _, err := op.Answers[name].Text(); err != nil {
			s.wrong(path+".body", "must say all by itself: %v", err)
		}
		s.oneOf(path, name, []string{harness.AnswerAuthorization, harness.AnswerDecline, harness.AnswerValidation})
		if status := op.Answers[name].Status; status < 300 || status > 499 {
			s.wrong(path+".status", "must be a status from 300 to 499: it is a refusal, and no failure that may pass")
		}
	}
}

// Text returns the body as JSON, empty if there is none.
func (a DependencyAnswer) Text() (string, error) {
	text, err := Request{Body: a.Body}.RenderBody(nil)
	return string(text), err
}

// callsKeyless reports whether a checkout can be made that calls an operation
// with an effect and without a key.
func (p *Profile) callsKeyless() bool {
	return p.anyOperation(func(d Dependency, op DependencyOperation) bool {
		return op.Keyless && op.Effect != "" && (!d.Optional || p.hasVariant(variantKeyless))
	})
}

func (p *Profile) knowsRefusals() bool {
	return p.anyOperation(func(_ Dependency, op DependencyOperation) bool { return len(op.Answers) > 0 })
}

func (p *Profile) anyOperation(is func(Dependency, DependencyOperation) bool) bool {
	for _, d := range p.Dependencies {
		for _, op := range d.Operations {
			if is(d, op) {
				return true
			}
		}
	}
	return false
}

func (p *Profile) hasVariant(name string) bool {
	if p.Checkout == nil {
		return false
	}
	_, ok := p.Checkout.Variants[name]
	return ok
}
