package profile

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// TestRefused: what has to be refused is made of a principal's credentials where
// that can be done, and is declared where it cannot.
func TestRefused(t *testing.T) {
	part := base64.RawURLEncoding.EncodeToString
	token := part([]byte(`{"alg":"HS256"}`)) + "." + part([]byte(`{"sub":"alice"}`)) + "." + part([]byte("the signature"))
	const rest = "gateway: {path: \"/catalog/{{sku}}\", maxAge: 15m, dependency: {listen: \"127.0.0.1:9004\"}, refused: {expired: {Authorization: Bearer expired-token}}}\n"
	load := func(credential string) *Profile {
		t.Helper()
		p, err := Parse("profile.yaml", []byte("target: {name: x, url: \"http://127.0.0.1:1\"}\nprincipals: {agent: {tenant: t1, roles: [support], header: {Authorization: Bearer agents}}, alice: {tenant: t1, header: {Authorization: "+credential+"}}}\n"+rest), func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := load("Bearer " + token)
	refused := p.Refused()
	foreign := refused[harness.CredentialForeign]["Authorization"]
	if head, _, _ := strings.Cut(token, part([]byte("the signature"))); !strings.HasPrefix(foreign, "Bearer "+head) || foreign == "Bearer "+token || len(foreign) != len(token)+len("Bearer ") {
		t.Errorf("a token that somebody else signed: %q, made of %q", foreign, token)
	}
	if got := refused[harness.CredentialMalformed]["Authorization"]; !strings.HasPrefix(got, "Bearer ") || strings.Contains(got, token) {
		t.Errorf("a malformed token: %q", got)
	}
	unsigned := "Bearer " + part([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + part([]byte(`{"sub":"alice"}`)) + "."
	if got := refused[harness.CredentialUnsigned]["Authorization"]; got != unsigned {
		t.Errorf("a token that nobody signed: %q, want %q", got, unsigned)
	}
	if got := load("Bearer " + strings.Replace(token, part([]byte(`{"sub":"alice"}`)), "claims", 1)).Refused(); got[harness.CredentialUnsigned] != nil {
		t.Error("an unsigned token was made of something that claims nothing")
	}
	if got := p.Secrets()["refused:expired"]; got != "expired-token" {
		t.Errorf("the expired token is the secret %q", got)
	}
	info := p.Info().Gateway
	if want := []string{"expired", "foreign", "malformed", "unsigned"}; info == nil || !slices.Equal(info.Refused, want) || info.MaxAge.Std() != 15*time.Minute || info.Write {
		t.Errorf("info %+v, want %v", info, want)
	}
	if got := load("opaque-credential").Info().Gateway.Refused; !slices.Equal(got, []string{"expired", "malformed"}) {
		t.Errorf("of an opaque credential: %v", got)
	}
	if got := parseFile(t, "testdata/good/minimal.yaml").Info().Gateway; got != nil {
		t.Errorf("without a gateway: %+v", got)
	}
}
