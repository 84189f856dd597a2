package mutants

import (
	"crypto/rand"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// keyNarrowMutants keep less of a good key than was sent, or look for a key where
// there is none.
func keyNarrowMutants() []Mutant {
	kept := func(name, breaks string, part func(key string) string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-001.08"}, Needs: []string{needEffects},
			Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
				key, err := right(h)
				if err != nil {
					return "", err
				}
				return part(key), nil
			})}
	}
	return []Mutant{
		kept("key-column-of-64", "keeps the first 64 characters of a key", func(key string) string { return key[:min(64, len(key))] }),
		kept("key-column-of-127", "loses the last character of the longest keys", func(key string) string { return key[:min(127, len(key))] }),
		kept("key-by-its-tail", "keeps the last 64 characters of a key", func(key string) string { return key[max(0, len(key)-64):] }),
		kept("key-by-its-ends", "keeps 40 characters of either end of a key", func(key string) string {
			if len(key) <= 80 {
				return key
			}
			return key[:40] + key[len(key)-40:]
		}),
		{
			Name:   "x-name-instead",
			Breaks: "takes X-Idempotency-Key for the key where the header that it is in is missing",
			Kills:  []string{"SRS-CHK-001.09"},
			Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
				if len(h.Values(checkout.KeyHeader)) == 0 {
					return right(http.Header{checkout.KeyHeader: h.Values("X-" + checkout.KeyHeader)})
				}
				return right(h)
			}),
		},
		{
			Name:   "flag-off-forgives-keys",
			Breaks: "takes a malformed key for none while none is required",
			Kills:  []string{"SRS-CHK-SEC.06"},
			Needs:  []string{needFeatureFlag, needKeyFlag, needEffects},
			Wrap:   forgivingWhileOff,
		},
	}
}

func forgivingWhileOff(c *checkout.Config) {
	required := c.KeyRequired
	wrapKey(func(h http.Header, right readKey) (string, error) {
		key, err := right(h)
		if err != nil && len(h.Values(checkout.KeyHeader)) > 0 && required != nil && !required() {
			return rand.Text(), nil
		}
		return key, err
	})(c)
}
