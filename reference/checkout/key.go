package checkout

import (
	"errors"
	"fmt"
	"net/http"
)

// KeyHeader carries the client's idempotency key.
const KeyHeader = "Idempotency-Key"

const maxKey = 128

// ReadKey is the default [Config.ReadKey]: exactly one header line of 1 to 128
// printable ASCII characters, compared as it is. Spaces around a header value
// belong to HTTP, so a key that is only spaces arrives here as an empty one.
func ReadKey(h http.Header) (string, error) {
	lines := h.Values(KeyHeader)
	switch {
	case len(lines) == 0:
		return "", errors.New(KeyHeader + " is required: send a new one for each checkout and the same one for its retries")
	case len(lines) > 1:
		return "", errors.New(KeyHeader + " was sent more than once")
	}
	key := lines[0]
	if len(key) < 1 || len(key) > maxKey || key[0] == ' ' || key[len(key)-1] == ' ' {
		return "", fmt.Errorf("%s must have 1 to %d characters and no space around them", KeyHeader, maxKey)
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return "", errors.New(KeyHeader + " must be printable ASCII")
		}
	}
	return key, nil
}
