package mutants

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

// refusedMutants repeat what a repetition does not change.
func refusedMutants() []Mutant {
	row := func(name, breaks string, again func(status int, body []byte) bool, kills ...string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: kills, Needs: []string{needDependencies}, Wrap: takenForFailure(again)}
	}
	of := func(statuses ...int) func(int, []byte) bool {
		return func(status int, _ []byte) bool { return slices.Contains(statuses, status) }
	}
	says := func(code string) func(int, []byte) bool {
		return func(_ int, body []byte) bool { return bytes.Contains(body, []byte(code)) }
	}
	decline := row("retry-decline", "charges again where the card was declined", says("card_declined"), "SRS-CHK-002.07", "SRS-CHK-002.27")
	decline.Needs = append(decline.Needs, needDecline)
	return []Mutant{
		row("retry-validation-error", "repeats a call that its dependency refused as invalid", of(400, 422), "SRS-CHK-002.05"),
		row("retry-unauthorized", "repeats a call for which it has no authority", of(401, 403), "SRS-CHK-002.06"),
		row("retry-authorization-refused", "charges again where the issuer refused to authorize the payment", says("authorization_refused"), "SRS-CHK-002.06"),
		decline,
		row("retry-by-default", "repeats what no rule of its names", of(302, 404, 410, 418), "SRS-CHK-002.32"),
		{
			Name:   "retry-any-non-2xx",
			Breaks: "repeats whatever is no success",
			Kills:  []string{"SRS-CHK-002.05", "SRS-CHK-002.06", "SRS-CHK-002.07", "SRS-CHK-002.27", "SRS-CHK-002.29", "SRS-CHK-002.32"},
			Needs:  []string{needDependencies},
			Wrap: func(c *checkout.Config) {
				c.Client.Judge = func(status int) client.Class {
					if status > 299 {
						return client.ServerError
					}
					return client.Judge(status)
				}
			},
		},
		{
			Name:   "retry-conflict-blindly",
			Breaks: "repeats a call that its dependency refused as a conflict, without a look at the state",
			Kills:  []string{"SRS-CHK-002.29"},
			Needs:  []string{needDependencies},
			Wrap:   takenForFailure(of(http.StatusConflict)),
		},
		{
			Name:   "conflict-believed",
			Breaks: "takes a dependency's conflict for a refusal, without a look at the state",
			Kills:  []string{"SRS-CHK-002.29"},
			Needs:  []string{needDependencies},
			Wrap:   func(c *checkout.Config) { c.Reread = askNobody },
		},
		{
			Name:   "retry-keyless",
			Breaks: "repeats a call that moves money and takes no key",
			Kills:  []string{"SRS-CHK-002.08"},
			Needs:  []string{needDependencies, needKeyless},
			Wrap:   func(c *checkout.Config) { c.Client.Repeatable = func(client.Request) bool { return true } },
		},
	}
}

// takenForFailure has refusals of calls with effects taken for failures that may
// pass.
func takenForFailure(again func(status int, body []byte) bool) func(*checkout.Config) {
	return wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || r.Method != http.MethodPost {
			return resp, err
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(strings.NewReader(string(body)))
		if again(resp.StatusCode, body) {
			resp.StatusCode = http.StatusServiceUnavailable
		}
		return resp, nil
	})
}
