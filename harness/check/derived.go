package check

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// derivedKeys are texts that give away that a provider key was made from a
// caller's key, each with how it was made. Two tenants with one key would meet at
// the provider.
type derivedKeys map[string]string

// derivations lists what is usually made of a key without anything else in it:
// the key itself in another spelling, an encoding, or a plain hash. A key mixed
// with something of the checkout cannot be told from a random one, and is as good.
func derivations(keys map[string]bool) derivedKeys {
	d := derivedKeys{}
	for key := range keys {
		if len(key) < minDerived {
			continue // too short to be told from chance
		}
		d.add(key, "which holds the caller's key")
		for _, spelling := range []string{key, strings.ToUpper(key), strings.ToLower(key), strings.ReplaceAll(key, "-", "")} {
			data := []byte(spelling)
			for _, hash := range []struct {
				name string
				sum  []byte
			}{{"md5", sum(md5.Sum(data))}, {"sha-1", sum1(sha1.Sum(data))}, {"sha-256", sum2(sha256.Sum256(data))}} {
				d.encoded(hash.sum, "which is the "+hash.name+" of the caller's key")
			}
			d.encoded(data, "which is an encoding of the caller's key")
		}
	}
	return d
}

func sum(b [md5.Size]byte) []byte     { return b[:] }
func sum1(b [sha1.Size]byte) []byte   { return b[:] }
func sum2(b [sha256.Size]byte) []byte { return b[:] }

// minDerived is the shortest key that is looked for.
const minDerived = 8

func (d derivedKeys) encoded(data []byte, how string) {
	d.add(hex.EncodeToString(data), how)
	d.add(base64.RawStdEncoding.EncodeToString(data), how)
	d.add(base64.RawURLEncoding.EncodeToString(data), how)
}

func (d derivedKeys) add(text, how string) {
	if plain := plainKey(text); len(plain) >= minDerived {
		if _, known := d[plain]; !known {
			d[plain] = how
		}
	}
}

// from tells how the provider key was made from a caller's key, or "".
func (d derivedKeys) from(key string) string {
	plain := plainKey(key)
	found := ""
	for text, how := range d {
		if strings.Contains(plain, text) && (found == "" || how < found) {
			found = how
		}
	}
	return found
}

// plainKey drops case and separators.
func plainKey(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
