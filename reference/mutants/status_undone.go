package mutants

import (
	"net/http"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// statusUndoneMutants show a checkout that was cancelled as something else than
// what it was.
func statusUndoneMutants() []Mutant {
	undone := func(name, breaks string, change func(map[string]any), kills ...string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: kills, Needs: []string{needEffects, needStatus, needSecondOperation},
			Wrap: rewritten(reads, func(_ *http.Request, body map[string]any) {
				since, _ := body["cancellation"].(map[string]any)
				if since["state"] == string(checkout.Succeeded) {
					change(body)
				}
			})}
	}
	return []Mutant{
		undone("status-says-cancelled", "has a state of its own for a checkout that was cancelled", func(body map[string]any) { body["state"] = "CANCELLED" },
			"SRS-CHK-002.17", "SRS-CHK-002.19", "SRS-CHK-003.12"),
		undone("cancelled-is-failed", "says of a checkout that was cancelled that it has failed", func(body map[string]any) { body["state"] = string(checkout.FailedFinal) },
			"SRS-CHK-002.19", "SRS-CHK-003.12"),
		undone("cancelled-without-order", "forgets the order of a checkout that was cancelled", func(body map[string]any) { delete(body, "orderId") },
			"SRS-CHK-003.12"),
	}
}
