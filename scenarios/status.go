package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func statusOwner() harness.Scenario {
	return harness.Scenario{
		ID:    "status/owner-reads",
		Title: "the owner of a checkout reads it",
		Needs: harness.Needs{"checkout", "status"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			c := s.Case("own")
			me := s.DefaultPrincipal()
			id, err := finished(ctx, s, c, me)
			if err != nil {
				return err
			}
			read(ctx, s, c, me, id)
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.01", "owner-reads-own-request", check.OwnerReads(check.All()))},
	}
}

// finished makes a checkout and returns its request id.
func finished(ctx context.Context, s *harness.Session, c *harness.Case, principal string) (string, error) {
	r := s.Send(ctx, c, harness.Attempt{Principal: principal})
	if r.Err != nil {
		return "", fmt.Errorf("the checkout whose status is to be read got no answer: %w", r.Err)
	}
	if r.Answer.RequestID == "" {
		return "", fmt.Errorf("the checkout whose status is to be read was answered %d without a request id", r.Answer.Status)
	}
	return r.Answer.RequestID, nil
}

// read reads the status of a request.
func read(ctx context.Context, s *harness.Session, c *harness.Case, principal, id string) harness.Result {
	return s.Send(ctx, c, harness.Attempt{Operation: harness.OpStatus, Principal: principal, Vars: map[string]any{"requestId": id}})
}

// lookalike returns an id that nobody has: every letter and digit of a real one
// replaced by another of its kind. Short ids are made longer, since every short
// one may exist.
func lookalike(s *harness.Session, id string) string {
	for len(id) > 0 && len(id) < 16 {
		id += id
	}
	return strings.Map(func(r rune) rune {
		for _, class := range []string{"0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"} {
			if strings.ContainsRune(class, r) {
				return rune(class[s.Rand().IntN(len(class))])
			}
		}
		return r
	}, id)
}

func statusUnknown() harness.Scenario {
	return harness.Scenario{
		ID:     "status/unknown-id",
		Title:  "an id that does not exist is not found, well formed or not",
		Needs:  harness.Needs{"checkout", "status"},
		Drive:  func(ctx context.Context, s *harness.Session) error { return readUnknown(ctx, s, s.DefaultPrincipal()) },
		Checks: []harness.Check{answers("SRS-CHK-003.07", "unknown-id-not-found", check.UnknownIsNotFound(check.Labelled("unknown")))},
	}
}

func statusUnknownSupport() harness.Scenario {
	return harness.Scenario{
		ID:    "status/unknown-id-support",
		Title: "an id that does not exist is not found for the support role either",
		Needs: harness.Needs{"checkout", "status", "support-role"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			agent, err := support(s)
			if err != nil {
				return err
			}
			return readUnknown(ctx, s, agent)
		},
		Checks: []harness.Check{supplement(answers("SRS-CHK-003.07", "unknown-id-not-found-for-support", check.UnknownIsNotFound(check.Labelled("unknown"))))},
	}
}

func readUnknown(ctx context.Context, s *harness.Session, reader string) error {
	known := s.Case("known")
	id, err := finished(ctx, s, known, s.DefaultPrincipal())
	if err != nil {
		return err
	}
	read(ctx, s, known, s.DefaultPrincipal(), id) // a route that finds nothing proves nothing
	c := s.Case("unknown")
	for _, unknown := range []string{lookalike(s, id), lookalike(s, id), "0", "not an id", "ключ", "%", "a/b", strings.Repeat("x", 300)} {
		read(ctx, s, c, reader, unknown)
	}
	return nil
}

// readers ask side by side, so that a slow status route is no reason to give up.
const readers = 8

// interleaved is how many ids of each kind a stranger asks for.
const interleaved = 200

func statusForeign() harness.Scenario {
	hidden := check.AmongNamesakes(check.OwnershipHidden("foreign", "random", interleaved))
	return harness.Scenario{
		ID:    "status/foreign-tenant",
		Title: "a stranger cannot tell an id of another tenant from one that does not exist",
		Needs: harness.Needs{"checkout", "status", "second-tenant"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			stranger, err := foreigner(s)
			if err != nil {
				return err
			}
			owned := s.Case("owned")
			id, err := finished(ctx, s, owned, s.DefaultPrincipal())
			if err != nil {
				return err
			}
			read(ctx, s, owned, s.DefaultPrincipal(), id) // a route that finds nothing hides nothing
			foreign, random := s.Case("foreign"), s.Case("random")
			unknown := make([]string, interleaved)
			for i := range unknown {
				unknown[i] = lookalike(s, id)
			}
			return harness.Parallel(readers, func(reader int) error {
				for i := reader; i < interleaved; i += readers {
					read(ctx, s, random, stranger, unknown[i])
					read(ctx, s, foreign, stranger, id)
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-003.08", "ownership-hidden", hidden),
			answers("SRS-CHK-SEC.02", "ownership-hidden-from-other-tenants", hidden),
		},
	}
}
