package stack

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

// tokenLife is longer than anybody leaves a stack running. The secret that
// signed the tokens ends with the stack, and so do they.
const tokenLife = 30 * 24 * time.Hour

// principal is an identity that the profile declares.
type principal struct {
	Name string
	auth.Principal
	SameNameAs string // a principal of another tenant with the same subject
}

// principals returns the identities of the stack. Carol shares alice's subject
// in another tenant, so that a service which forgets the tenant is found out.
func principals() []principal {
	return []principal{
		{"alice", auth.Principal{Tenant: "t1", Subject: "alice"}, ""},
		{"bob", auth.Principal{Tenant: "t1", Subject: "bob"}, ""},
		{"carol", auth.Principal{Tenant: "t2", Subject: "alice"}, "alice"},
		{"support", auth.Principal{Tenant: "t1", Subject: "support", Roles: []string{auth.RoleSupport}}, ""},
		{"auditor", auth.Principal{Tenant: "t1", Subject: "auditor", Roles: []string{"auditor"}}, ""},
	}
}

// mintTokens returns a bearer token for each principal.
func mintTokens(secret string, now time.Time) (map[string]string, error) {
	signer, err := auth.New(secret, time.Now)
	if err != nil {
		return nil, fmt.Errorf("mint the tokens of the profile: %w", err)
	}
	tokens := map[string]string{}
	for _, p := range principals() {
		if tokens[p.Name], err = signer.Mint(p.Principal, now.Add(tokenLife)); err != nil {
			return nil, fmt.Errorf("mint the token of %s: %w", p.Name, err)
		}
	}
	return tokens, nil
}

// mintRefreshed returns a second token of the first principal, as it would have
// after a refresh: another credential of the same identity.
func mintRefreshed(secret string, now time.Time) (map[string]string, error) {
	signer, err := auth.New(secret, time.Now)
	if err != nil {
		return nil, fmt.Errorf("mint the refreshed token of the profile: %w", err)
	}
	first := principals()[0]
	token, err := signer.Mint(first.Principal, now.Add(tokenLife+time.Hour))
	if err != nil {
		return nil, fmt.Errorf("mint the refreshed token of %s: %w", first.Name, err)
	}
	return map[string]string{first.Name: token}, nil
}

// mintExpired returns a token of the first principal that was valid until an hour
// ago: whoever holds it had access once.
func mintExpired(secret string, now time.Time) (string, error) {
	signer, err := auth.New(secret, time.Now)
	if err != nil {
		return "", fmt.Errorf("mint the expired token of the profile: %w", err)
	}
	token, err := signer.Mint(principals()[0].Principal, now.Add(-time.Hour))
	if err != nil {
		return "", fmt.Errorf("mint the expired token of the profile: %w", err)
	}
	return token, nil
}
