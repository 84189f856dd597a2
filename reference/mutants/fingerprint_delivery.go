package mutants

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// fingerprintDeliveryMutants take one request for two that was delivered, or
// written, in two ways.
func fingerprintDeliveryMutants() []Mutant {
	with := func(name, what string, headers ...string) Mutant {
		return Mutant{Name: "fingerprint-with-" + name, Breaks: "takes the same request with another " + what + " for another request",
			Kills: []string{"SRS-CHK-001.39"}, Needs: []string{needEffects},
			Wrap: func(c *checkout.Config) {
				right := c.Fingerprint
				c.Fingerprint = func(r checkout.Request) string {
					digest := right(r)
					for _, header := range headers {
						digest += "\n" + strings.Join(r.Header.Values(header), ", ")
					}
					return digest
				}
			}}
	}
	return []Mutant{
		with("request-id", "X-Request-Id", "X-Request-Id"),
		with("trace-state", "trace state or baggage", "Tracestate", "Baggage"),
		with("forwarded-for", "X-Forwarded-For", "X-Forwarded-For"),
		with("accept", "wish for an answer", "Accept", "Accept-Language", "Accept-Encoding"),
		with("content-type", "parameter of its Content-Type", "Content-Type"),
		{
			Name:   "fingerprint-of-escapes",
			Breaks: "sorts the members and normalises the numbers of a body, and compares its texts as they were spelt",
			Kills:  []string{"SRS-CHK-001.38"},
			Needs:  []string{needEffects, needFields},
			Wrap: func(c *checkout.Config) {
				right := c.Fingerprint
				c.Fingerprint = func(r checkout.Request) string {
					if r.Cancels != "" {
						return right(r)
					}
					return spelling(r.Body)
				}
			},
		},
	}
}

// spelling is a digest of the members of a body as they were written, but for the
// numbers.
func spelling(body []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return ""
	}
	for name, raw := range members {
		if number, err := strconv.ParseFloat(string(raw), 64); err == nil {
			members[name] = strconv.AppendFloat(nil, number, 'f', -1, 64)
		}
	}
	canonical, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
