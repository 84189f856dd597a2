package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// OfShim returns the profile of a client behind a shim, of which nothing else is
// declared. The name and version are what the shim says of itself: text of
// somebody else's, which is why no YAML is made of them and read again.
func OfShim(name, version, shimURL string) (*Profile, error) {
	// The hash is that of the shortest text that declares the same: JSON is YAML.
	text, err := json.Marshal(map[string]any{"target": map[string]string{"name": name, "version": version}, "client": map[string]string{"shim": shimURL}})
	if err != nil {
		return nil, fmt.Errorf("declare the client at %s: %w", shimURL, err)
	}
	sum := sha256.Sum256(text)
	p := &Profile{
		Target: TargetSpec{Name: name, Version: version}, Client: &Client{Shim: shimURL},
		Dialect: DialectSpec{Dialect: srs()}, Requirements: "srs", Policy: harness.RequiredPolicy(), SHA256: hex.EncodeToString(sum[:]),
	}
	src := newSource("the client's declaration", nil)
	p.validate(src)
	return p, src.err()
}
