package stack

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

func TestTokensNameTheirPrincipals(t *testing.T) {
	secret, now := strings.Repeat("s", 32), time.Now()
	tokens, err := mintTokens(secret, now)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := auth.New(secret, func() time.Time { return now.Add(tokenLife - time.Minute) })
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]auth.Principal{}
	for name, token := range tokens {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if seen[name], err = verifier.Authenticate(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	alice, bob, carol := seen["alice"], seen["bob"], seen["carol"]
	if alice.Subject != carol.Subject || alice.Tenant == carol.Tenant {
		t.Errorf("carol %+v is no namesake of alice %+v in another tenant", carol, alice)
	}
	if alice.Subject == bob.Subject || alice.Tenant != bob.Tenant {
		t.Errorf("bob %+v is no other customer of alice's tenant %+v", bob, alice)
	}
	if support := seen["support"]; !support.Has(auth.RoleSupport) || support.Tenant != alice.Tenant || alice.Has(auth.RoleSupport) {
		t.Errorf("support is %+v", support)
	}
	if auditor := seen["auditor"]; len(auditor.Roles) == 0 || auditor.Has(auth.RoleSupport) || auditor.Tenant != alice.Tenant {
		t.Errorf("the auditor is %+v", auditor)
	}
}
