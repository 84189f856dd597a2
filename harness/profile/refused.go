package profile

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// refusedKinds are the credentials that every operation has to refuse.
func refusedKinds() []string {
	return []string{harness.CredentialMalformed, harness.CredentialForeign, harness.CredentialExpired, harness.CredentialUnsigned}
}

// Refused returns credentials that the target has to refuse, by kind: those that
// the profile declares, and what can be made of a principal's. Whatever
// credentials are, a malformed one is easily made of them; a JSON Web Token with
// another signature is one that somebody else signed, and without one it may claim
// to need none. Only an expired one nobody can make but who signs them.
func (p *Profile) Refused() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Principals)) {
		if len(p.Principals[name].Roles) > 0 {
			continue
		}
		header := p.Principals[name].Header
		if made := altered(header, malformed); made != nil {
			all[harness.CredentialMalformed] = made
		}
		if made := altered(header, forged); made != nil {
			all[harness.CredentialForeign] = made
		}
		if made := altered(header, unsigned); made != nil {
			all[harness.CredentialUnsigned] = made
		}
		if len(all) > 0 {
			break
		}
	}
	if p.Gateway != nil {
		maps.Copy(all, p.Gateway.Refused)
	}
	maps.Copy(all, p.Refusing)
	return all
}

// altered returns the header with every credential in it changed, nil if none
// could be.
func altered(header map[string]string, change func(string) string) map[string]string {
	made := map[string]string{}
	changed := false
	for name, value := range header {
		made[name] = value
		if !secretName.MatchString(name) {
			continue
		}
		scheme, credential, ok := strings.Cut(value, " ")
		if !ok || http.CanonicalHeaderKey(name) != "Authorization" {
			scheme, credential = "", value
		} else {
			scheme += " "
		}
		if other := change(credential); other != "" && other != credential {
			made[name], changed = scheme+other, true
		}
	}
	if !changed {
		return nil
	}
	return made
}

func malformed(string) string { return "oncecheck.malformed.credential" }

// forged replaces the signature of a token by one of as many bytes.
func forged(token string) string {
	parts, signature := signedToken(token)
	if parts == nil {
		return ""
	}
	for i := range signature {
		signature[i] ^= 0x55
	}
	return parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// unsigned claims what a token claims under the algorithm that asks for no signature.
func unsigned(token string) string {
	parts, _ := signedToken(token)
	if parts == nil {
		return ""
	}
	if claims, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil || !json.Valid(claims) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
}

// signedToken returns the parts of a JSON Web Token and its signature, nil of
// anything else.
func signedToken(token string) (parts []string, signature []byte) {
	parts = strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, nil
	}
	head, err := base64.RawURLEncoding.DecodeString(parts[0])
	signature, signed := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || signed != nil || !json.Valid(head) || len(signature) == 0 {
		return nil, nil
	}
	return parts, signature
}

// gatewayInfo is what judges may know of the gateway.
func (p *Profile) gatewayInfo() *harness.GatewayInfo {
	if !p.gatewayed() {
		return nil
	}
	return &harness.GatewayInfo{Write: p.Gateway.Write != nil, MaxAge: p.Gateway.MaxAge, Refused: slices.Sorted(maps.Keys(p.Refused()))}
}

// validateRefused checks the headers that the key at path gives.
func validateRefused(src *source, path string, refused map[string]map[string]string) {
	for _, kind := range slices.Sorted(maps.Keys(refused)) {
		at := path + "." + kind
		if !slices.Contains(refusedKinds(), kind) {
			src.wrong(at, "is none of %s", strings.Join(refusedKinds(), ", "))
			continue
		}
		if len(refused[kind]) == 0 {
			src.wrong(at, "holds no header; give the header that carries such credentials, for example {Authorization: \"Bearer ${EXPIRED_TOKEN}\"}")
		}
		src.header(at, refused[kind])
	}
}
