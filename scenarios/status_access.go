package scenarios

import (
	"context"
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// statusAccess are the scenarios about who may read a checkout.
func statusAccess() []harness.Scenario {
	return []harness.Scenario{statusSupport(), statusNeighbour(), statusAnonymous(), statusSupportForeign(), statusOtherRole(), statusClaimedRole()}
}

func statusSupport() harness.Scenario {
	return harness.Scenario{
		ID:    "status/support-reads",
		Title: "support staff of the tenant read the checkouts of its customers, and are told what the owners are told",
		Needs: harness.Needs{"checkout", "status", "support-role"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			agent, err := support(s)
			if err != nil {
				return err
			}
			owners := []string{s.DefaultPrincipal()}
			if second, err := neighbour(s); err == nil {
				owners = append(owners, second)
			}
			for _, owner := range owners {
				if err := ownedAndRead(ctx, s, s.Case("of-"+owner), owner, agent); err != nil {
					return err
				}
			}
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.02", "support-reads-like-the-owner", check.ReadsLikeOwner(check.Labelled("of-")))},
	}
}

// ownedAndRead has the owner make a checkout and read it, and then the others.
func ownedAndRead(ctx context.Context, s *harness.Session, c *harness.Case, owner string, others ...string) error {
	id, err := finished(ctx, s, c, owner)
	if err != nil {
		return err
	}
	for _, reader := range append([]string{owner}, others...) {
		read(ctx, s, c, reader, id)
	}
	return nil
}

func statusNeighbour() harness.Scenario {
	return harness.Scenario{
		ID:    "status/other-customer",
		Title: "another customer of the tenant is refused, and told nothing of the checkout",
		Needs: harness.Needs{"checkout", "status", "second-principal"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			other, err := neighbour(s)
			if err != nil {
				return err
			}
			me := s.DefaultPrincipal()
			if err := ownedAndRead(ctx, s, s.Case("of-"+me), me, other); err != nil {
				return err
			}
			return ownedAndRead(ctx, s, s.Case("of-"+other), other, me)
		},
		Checks: append(errorsTold(), answers("SRS-CHK-003.09", "other-customer-refused", check.Literally(check.NonOwnerSpelling, check.OthersRefused(check.Labelled("of-"))))),
	}
}

// anonymousIDs is how many ids that do not exist each kind of caller asks for.
const anonymousIDs = 3

func statusAnonymous() harness.Scenario {
	return harness.Scenario{
		ID:    "status/anonymous",
		Title: "callers without credentials, with expired ones, with ones that somebody else signed and with malformed ones are refused, and do not learn which ids exist",
		Needs: harness.Needs{"checkout", "status"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			owned := s.Case("owned")
			id, err := finished(ctx, s, owned, s.DefaultPrincipal())
			if err != nil {
				return err
			}
			read(ctx, s, owned, s.DefaultPrincipal(), id) // a route that finds nothing refuses nobody
			for kind, caller := range strangers(s) {
				c := s.Case("caller-" + kind)
				read(ctx, s, c, caller, id)
				for range anonymousIDs {
					read(ctx, s, c, caller, lookalike(s, id))
				}
			}
			return nil
		},
		Checks: append(errorsTold(), answers("SRS-CHK-003.10", "anonymous-refused-alike", check.AnonymousRefused("caller-", noCredentials, harness.CredentialExpired, harness.CredentialForeign))),
	}
}

// foreignReads is how often support asks for an id of each kind.
const foreignReads = 20

func statusSupportForeign() harness.Scenario {
	return harness.Scenario{
		ID:    "status/support-foreign-tenant",
		Title: "support staff cannot tell an id of another tenant from one that does not exist",
		Needs: harness.Needs{"checkout", "status", "support-role", "second-tenant"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			agent, err := support(s)
			if err != nil {
				return err
			}
			stranger, err := foreigner(s)
			if err != nil {
				return err
			}
			owned := s.Case("owned")
			id, err := finished(ctx, s, owned, stranger)
			if err != nil {
				return err
			}
			read(ctx, s, owned, stranger, id) // a route that finds nothing hides nothing
			foreign, random := s.Case("foreign"), s.Case("random")
			for range foreignReads {
				read(ctx, s, random, agent, lookalike(s, id))
				read(ctx, s, foreign, agent, id)
			}
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.14", "foreign-tenant-hidden-from-support", check.OwnershipHidden("foreign", "random", foreignReads))},
	}
}

func statusOtherRole() harness.Scenario {
	return harness.Scenario{
		ID:    "status/other-role",
		Title: "somebody of the tenant with another role than support is refused",
		Needs: harness.Needs{"checkout", "status", "second-principal", "other-role"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me, _ := s.Target().Principal(s.DefaultPrincipal())
			i := slices.IndexFunc(s.Target().Principals, func(p harness.Principal) bool {
				return p.Tenant == me.Tenant && len(p.Roles) > 0 && !slices.Contains(p.Roles, "support")
			})
			if i < 0 {
				return fmt.Errorf("the profile has no principal with a role but support in tenant %s", me.Tenant)
			}
			return ownedAndRead(ctx, s, s.Case("of-"+me.Name), me.Name, s.Target().Principals[i].Name)
		},
		Checks: []harness.Check{answers("SRS-CHK-003.15", "other-role-refused", check.Literally(check.NonOwnerSpelling, check.OthersRefused(check.Labelled("of-"))))},
	}
}

// claimedRoles are the spellings in which services take a role from the request
// that should take it from credentials alone.
func claimedRoles() []map[string]string {
	var all []map[string]string
	for _, name := range []string{"X-Role", "X-Roles", "X-User-Role", "X-User-Roles", "X-Auth-Roles", "X-Forwarded-Roles", "X-Forwarded-Groups", "X-Support", "Role", "Roles"} {
		value := "support"
		if name == "X-Support" {
			value = "true"
		}
		all = append(all, map[string]string{name: value})
	}
	return all
}

func statusClaimedRole() harness.Scenario {
	return harness.Scenario{
		ID:    "status/claimed-role",
		Title: "another customer who claims the role support in a header or a query is refused",
		Needs: harness.Needs{"checkout", "status", "second-principal"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			other, err := neighbour(s)
			if err != nil {
				return err
			}
			me := s.DefaultPrincipal()
			c := s.Case("of-" + me)
			id, err := finished(ctx, s, c, me)
			if err != nil {
				return err
			}
			read(ctx, s, c, me, id)
			asked := harness.Attempt{Operation: harness.OpStatus, Principal: other, Vars: map[string]any{"requestId": id}}
			for _, header := range claimedRoles() {
				asked.Header = header
				s.Send(ctx, c, asked)
			}
			asked.Header, asked.Query = nil, "role=support"
			s.Send(ctx, c, asked)
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.15", "claimed-role-refused", check.Literally(check.NonOwnerSpelling, check.OthersRefused(check.Labelled("of-"))))},
	}
}
