package mutants

import (
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

func accessMutants() []Mutant {
	return []Mutant{{
		Name:   "anonymous-is-served",
		Breaks: "lets a caller without credentials in",
		Kills:  []string{"SRS-RES-001.81", "SRS-RES-001.93"},
		Gateway: authenticating(func(r *http.Request, err error) (auth.Principal, error) {
			if r.Header.Get("Authorization") == "" {
				return auth.Principal{Tenant: "public", Subject: "anonymous"}, nil
			}
			return auth.Principal{}, err
		}),
	}, {
		Name:    "token-not-verified",
		Breaks:  "reads who is calling from a token, and neither its signature nor its end",
		Kills:   []string{"SRS-RES-001.81", "SRS-RES-001.93"},
		Needs:   []string{needFallbackSeed},
		Gateway: authenticating(claimed),
	}}
}

// claimed takes the caller for whoever his token names, and looks at neither its
// signature nor its end.
func claimed(r *http.Request, err error) (auth.Principal, error) {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	claims := jwt.MapClaims{}
	if _, _, wrong := jwt.NewParser().ParseUnverified(token, claims); wrong != nil {
		return auth.Principal{}, err
	}
	tenant, _ := claims["tenant"].(string)
	subject, _ := claims["sub"].(string)
	return auth.Principal{Tenant: tenant, Subject: subject}, nil
}

// authenticating lets some of those in who are refused.
func authenticating(refused func(r *http.Request, err error) (auth.Principal, error)) func(*gateway.Config) {
	return func(c *gateway.Config) {
		right := c.Authenticate
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			p, err := right(r)
			if err != nil {
				return refused(r, err)
			}
			return p, nil
		}
	}
}
