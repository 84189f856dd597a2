package mutants

import (
	"bytes"
	"crypto/rand"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

func failureMutants() []Mutant {
	return []Mutant{{
		Name:   "failure-is-empty-success",
		Breaks: "answers 200 with an empty list where the dependency failed",
		Kills:  []string{"SRS-RES-001.82", "SRS-RES-001.83", "SRS-RES-001.84"},
		Gateway: refusing(func(a *gateway.Answer, f gateway.Failure, _ string) {
			if f.Code == gateway.CodeUnavailable || f.Code == gateway.CodeTimeout {
				a.Status, a.Body = http.StatusOK, []byte(`{"items":[]}`)
			}
		}),
	}, {
		Name:   "timeout-is-503",
		Breaks: "calls a timeout unavailability",
		Kills:  []string{"SRS-RES-001.83"},
		Gateway: failing(func(f *gateway.Failure) {
			if f.Code == gateway.CodeTimeout {
				f.Status, f.Code = http.StatusServiceUnavailable, gateway.CodeUnavailable
			}
		}),
	}, {
		Name:   "unavailable-is-502",
		Breaks: "answers 502 where the dependency is not available",
		Kills:  []string{"SRS-RES-001.84"},
		Gateway: failing(func(f *gateway.Failure) {
			if f.Code == gateway.CodeUnavailable {
				f.Status = http.StatusBadGateway
			}
		}),
	}, {
		Name:   "retryable-is-a-string",
		Breaks: `writes "true" where a program expects true`,
		Kills:  []string{"SRS-RES-001.85", "SRS-RES-001.86"},
		Gateway: refusing(func(a *gateway.Answer, _ gateway.Failure, _ string) {
			a.Body = bytes.Replace(a.Body, []byte(`"retryable":true`), []byte(`"retryable":"true"`), 1)
			a.Body = bytes.Replace(a.Body, []byte(`"retryable":false`), []byte(`"retryable":"false"`), 1)
		}),
	}, {
		Name:   "error-as-text",
		Breaks: "says of its errors that they are plain text",
		Kills:  []string{"SRS-RES-001.85"},
		Gateway: refusing(func(a *gateway.Answer, _ gateway.Failure, _ string) {
			a.Header.Set("Content-Type", "text/plain; charset=utf-8")
		}),
	}, {
		Name:   "error-without-correlation",
		Breaks: "leaves the id of the call out of its errors",
		Kills:  []string{"SRS-RES-001.71", "SRS-RES-001.72", "SRS-RES-001.85"},
		Gateway: refusing(func(a *gateway.Answer, _ gateway.Failure, id string) {
			a.Body = bytes.Replace(a.Body, []byte(`"correlationId":"`+id+`",`), nil, 1)
		}),
	}, {
		Name:    "never-retryable",
		Breaks:  "says of each failure that the call must not be made again",
		Kills:   []string{"SRS-RES-001.86"},
		Gateway: failing(func(f *gateway.Failure) { f.Retryable = false }),
	}, {
		Name:   "correlation-lost-on-error",
		Breaks: "gives an error an id of its own",
		Kills:  []string{"SRS-RES-001.71", "SRS-RES-001.72"},
		Gateway: refusing(func(a *gateway.Answer, _ gateway.Failure, id string) {
			a.Body = bytes.ReplaceAll(a.Body, []byte(id), []byte(rand.Text()))
		}),
	}}
}

// failing changes what callers are told of the dependency's failures.
func failing(change func(*gateway.Failure)) func(*gateway.Config) {
	return func(c *gateway.Config) {
		right := c.Judge
		c.Judge = func(resp client.Response, err error) *gateway.Failure {
			f := right(resp, err)
			if f != nil {
				change(f)
			}
			return f
		}
	}
}

// refusing changes how failures are written.
func refusing(change func(a *gateway.Answer, f gateway.Failure, id string)) func(*gateway.Config) {
	return func(c *gateway.Config) {
		right := c.Refuse
		c.Refuse = func(f gateway.Failure, id string) gateway.Answer {
			a := right(f, id)
			change(&a, f, id)
			return a
		}
	}
}
