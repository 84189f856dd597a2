package mutants

import (
	"net/http"
	"sync"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
)

func authMutants() []Mutant {
	return []Mutant{{
		Name:   "key-before-authentication",
		Breaks: "looks a key up before it asks who is calling, and takes the caller for whoever used it",
		Kills:  []string{"SRS-CHK-001.12"},
		Wrap: func(c *checkout.Config) {
			var users sync.Map // principals by key
			right := c.Authenticate
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				p, err := right(r)
				key := r.Header.Get(checkout.KeyHeader)
				if err == nil {
					users.Store(key, p)
				} else if user, used := users.Load(key); used && key != "" {
					return user.(auth.Principal), nil
				}
				return p, err
			}
		},
	}, {
		Name:   "claims-not-verified",
		Breaks: "reads who is calling from a token, and neither its signature nor its end",
		Kills:  []string{"SRS-CHK-001.12", "SRS-CHK-SEC.01"},
		Wrap:   admitting(claimed),
	}, {
		Name:   "status-without-credentials",
		Breaks: "lets whoever knows a request's id read it",
		Kills:  []string{"SRS-CHK-SEC.01"},
		Wrap: admitting(func(r *http.Request, err error) (auth.Principal, error) {
			if r.Method != http.MethodGet {
				return auth.Principal{}, err
			}
			return auth.Principal{Tenant: "t1", Subject: "anonymous", Roles: []string{auth.RoleSupport}}, nil
		}),
	}, {
		Name:   "guest-checkout",
		Breaks: "lets callers without credentials buy",
		Kills:  []string{"SRS-CHK-001.12", "SRS-CHK-SEC.01"},
		Wrap: admitting(func(r *http.Request, err error) (auth.Principal, error) {
			if r.Header.Get("Authorization") != "" {
				return auth.Principal{}, err
			}
			return auth.Principal{Tenant: "public", Subject: "guest"}, nil
		}),
	}}
}

// admitting lets some of those into the checkout who are refused.
func admitting(refused func(r *http.Request, err error) (auth.Principal, error)) func(*checkout.Config) {
	return wrapAuthenticate(func(r *http.Request, p auth.Principal, err error) (auth.Principal, error) {
		if err != nil {
			return refused(r, err)
		}
		return p, nil
	})
}
