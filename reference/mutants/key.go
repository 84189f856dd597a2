package mutants

import (
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func keyMutants() []Mutant {
	return []Mutant{{
		Name:   "fixed-length-key",
		Breaks: "accepts only keys of 36 characters, the length of a UUID",
		Kills:  []string{"SRS-CHK-001.03"},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			key, err := right(h)
			if err == nil && len(key) != 36 {
				return "", errors.New("the key must be a UUID")
			}
			return key, err
		}),
	}, {
		Name:   "truncate-key",
		Breaks: "cuts a key to 128 characters, so that two long keys with one beginning are one key",
		Kills:  []string{"SRS-CHK-001.04", "SRS-CHK-001.10"},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values(checkout.KeyHeader); len(lines) == 1 && len(lines[0]) > 128 {
				return right(http.Header{checkout.KeyHeader: {lines[0][:128]}})
			}
			return right(h)
		}),
	}, {
		Name:   "keyless-executes",
		Breaks: "invents a key for a request without one and executes it",
		Kills:  []string{"SRS-CHK-001.01", "SRS-CHK-001.09", "SRS-CHK-SEC.07"},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if len(h.Values(checkout.KeyHeader)) == 0 {
				return rand.Text(), nil
			}
			return right(h)
		}),
	}, {
		Name:   "non-ascii-key-accepted",
		Breaks: "accepts keys with bytes outside ASCII",
		Kills:  []string{"SRS-CHK-001.05", "SRS-CHK-001.10"},
		Wrap: wrapKey(func(h http.Header, right readKey) (string, error) {
			if lines := h.Values(checkout.KeyHeader); len(lines) == 1 && len(lines[0]) <= 128 && hasHighByte(lines[0]) {
				return lines[0], nil
			}
			return right(h)
		}),
	}}
}

type readKey = func(http.Header) (string, error)

func wrapKey(read func(http.Header, readKey) (string, error)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.ReadKey
		c.ReadKey = func(h http.Header) (string, error) { return read(h, right) }
	}
}

func hasHighByte(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return true
		}
	}
	return false
}
