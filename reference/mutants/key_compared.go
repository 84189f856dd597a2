package mutants

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

// keyReadMutants read another key than was sent, or one where there is none.
func keyReadMutants() []Mutant {
	return []Mutant{{
		Name:   "x-name-wins",
		Breaks: "prefers X-Idempotency-Key to the header that the key is in",
		Kills:  []string{"SRS-CHK-001.02"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values("X-" + checkout.KeyHeader); len(lines) > 0 {
				return right(http.Header{checkout.KeyHeader: lines})
			}
			return right(h)
		}),
	}, {
		Name:   "key-normalised",
		Breaks: "drops the bytes of a key that are no printable ASCII, and takes what is left",
		Kills:  []string{"SRS-CHK-001.05", "SRS-CHK-001.10"},
		Needs:  []string{needEffects},
		Wrap: rewritingKey(func(key string) string {
			return strings.Map(func(r rune) rune {
				if r < 0x20 || r > 0x7e {
					return -1
				}
				return r
			}, key)
		}),
	}, {
		Name:   "tab-accepted",
		Breaks: "takes a tab for a printable character",
		Kills:  []string{"SRS-CHK-001.05", "SRS-CHK-001.10"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			lines := h.Values(checkout.KeyHeader)
			if len(lines) != 1 || !strings.Contains(lines[0], "\t") {
				return right(h)
			}
			if _, err := right(http.Header{checkout.KeyHeader: {strings.ReplaceAll(lines[0], "\t", "_")}}); err != nil {
				return "", err
			}
			return lines[0], nil
		}),
	}, {
		Name:   "only-checkout-guarded",
		Breaks: "requires a key of the checkout, and makes one for a cancellation that brings none",
		Kills:  []string{"SRS-CHK-001.01"},
		Needs:  []string{needEffects, needSecondOperation},
		Wrap:   unguarded("/cancel"),
	}, {
		Name:   "empty-key-executes",
		Breaks: "takes an empty key for none, and makes one",
		Kills:  []string{"SRS-CHK-001.06", "SRS-CHK-001.10"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values(checkout.KeyHeader); len(lines) == 1 && strings.TrimSpace(lines[0]) == "" {
				return rand.Text(), nil
			}
			return right(h)
		}),
	}, {
		Name:   "first-line-wins",
		Breaks: "takes the first of two lines with a key",
		Kills:  []string{"SRS-CHK-001.07", "SRS-CHK-001.10"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values(checkout.KeyHeader); len(lines) > 1 {
				return right(http.Header{checkout.KeyHeader: lines[:1]})
			}
			return right(h)
		}),
	}, {
		Name:   "key-lines-joined",
		Breaks: "joins two lines with a key by a comma, as HTTP allows for lists",
		Kills:  []string{"SRS-CHK-001.07", "SRS-CHK-001.10"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values(checkout.KeyHeader); len(lines) > 1 {
				return right(http.Header{checkout.KeyHeader: {strings.Join(lines, ", ")}})
			}
			return right(h)
		}),
	}}
}

// keyComparedMutants take two keys for one.
func keyComparedMutants() []Mutant {
	return []Mutant{{
		Name:   "lower-case-keys",
		Breaks: "compares keys without regard to the case of letters",
		Kills:  []string{"SRS-CHK-001.08", "SRS-CHK-001.55"},
		Needs:  []string{needEffects},
		Wrap:   rewritingKey(strings.ToLower),
	}, {
		Name:   "percent-decodes-keys",
		Breaks: "decodes a key as if it stood in a URL",
		Kills:  []string{"SRS-CHK-001.08", "SRS-CHK-001.55"},
		Needs:  []string{needEffects},
		Wrap: rewritingKey(func(key string) string {
			if decoded, err := url.PathUnescape(key); err == nil {
				return decoded
			}
			return key
		}),
	}, {
		Name:   "unquotes-keys",
		Breaks: "takes the quotes off a key",
		Kills:  []string{"SRS-CHK-001.08", "SRS-CHK-001.55"},
		Needs:  []string{needEffects},
		Wrap:   rewritingKey(func(key string) string { return strings.ReplaceAll(key, `"`, "") }),
	}, {
		Name:   "comma-splits-keys",
		Breaks: "takes a key with a comma for a list and uses its first element",
		Kills:  []string{"SRS-CHK-001.55"},
		Needs:  []string{needEffects},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			key, err := right(h)
			first, _, _ := strings.Cut(key, ",")
			if err == nil && first == "" {
				return "", errors.New("the first key is empty")
			}
			return first, err
		}),
	}}
}

// unguarded makes a key for requests without one to paths that end so. A key is
// read from headers alone, so one of them has to say where the request goes.
func unguarded(suffix string) func(*checkout.Config) {
	const to = "X-Mutant-Path"
	return func(c *checkout.Config) {
		right := c.Authenticate
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			r.Header.Set(to, r.URL.Path)
			return right(r)
		}
		wrapKey(func(h http.Header, right readKey) (string, error) {
			if len(h.Values(checkout.KeyHeader)) == 0 && strings.HasSuffix(h.Get(to), suffix) {
				return rand.Text(), nil
			}
			return right(h)
		})(c)
	}
}

// rewritingKey reads another key than was sent.
func rewritingKey(rewrite func(string) string) func(*checkout.Config) {
	return wrapKey(func(h http.Header, right readKey) (string, error) {
		if lines := h.Values(checkout.KeyHeader); len(lines) == 1 {
			return right(http.Header{checkout.KeyHeader: {rewrite(lines[0])}})
		}
		return right(h)
	})
}
