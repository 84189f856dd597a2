package mutants

import (
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

// resourceMutants are those that take calls for the same that are not.
func resourceMutants() []Mutant {
	return []Mutant{{
		Name:   "method-ignored",
		Breaks: "stores the results of reads and writes of an item under the item",
		Kills:  []string{"SRS-RES-001.77", "SRS-RES-001.91"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: resourceOf(func(r *gateway.Resource, _, _ string, _ []byte) {
			r.Method, r.Call, r.Target = http.MethodGet, "", strings.TrimSuffix(r.Target, "/holds")
		}),
	}, {
		Name:   "item-cut-off",
		Breaks: "stores results under the first characters of what was asked for, as a column that is too short makes of it",
		Kills:  []string{"SRS-RES-001.77"},
		Needs:  []string{needFallbackSeed},
		Gateway: resourceOf(func(r *gateway.Resource, _, _ string, _ []byte) {
			const column = 52 // "/items/sku-cart-" and a UUID
			r.Target = r.Target[:min(len(r.Target), column)]
		}),
	}}
}
