package harness

import (
	"context"
	"slices"
)

// preflight tries, with the positive control of a target, what else has to hold
// there. Known is the request id of an existing checkout.
type preflight func(ctx context.Context, s *Session, known string) error

// preflightOn returns what is tried on one of the targets of the run, nil for
// nothing. What the profile claims is tried once. All of it is tried on the first
// target, but what acts on processes: it takes the longest, and nothing can be tried
// beside it. So where there are twins, each of them tries a share of that meanwhile.
func (r *Runner) preflightOn(on *Runner) preflight {
	if on == r {
		elsewhere := func(c Capability) bool { return r.plan.proves(c) || triedOnTwin(c, len(r.twins)) >= 0 }
		return func(ctx context.Context, s *Session, known string) error { return s.preflight(ctx, known, elsewhere) }
	}
	share := slices.Index(r.twins, on)
	if share < 0 {
		return nil
	}
	return func(ctx context.Context, s *Session, _ string) error {
		limited, cancel := context.WithTimeoutCause(ctx, preflightLimit, errPreflightLimit)
		defer cancel()
		return s.tryControls(limited, s.processClaims(func(c Capability) bool {
			return s.target.Info.offers(c) && !r.plan.proves(c) && triedOnTwin(c, len(r.twins)) == share
		}))
	}
}

// triedOnTwin returns which of so many twins tries a capability, or -1.
func triedOnTwin(c Capability, twins int) int {
	i := slices.Index([]Capability{CapProcessPause, CapProcessKill, CapProcessControl}, c)
	if i < 0 || twins == 0 {
		return -1
	}
	return i % twins
}

// claimsOnTwins returns what the positive controls of the twins show about the
// capabilities that were tried there.
func (p Plan) claimsOnTwins(dir string) []Tried {
	var list []Tried
	for _, name := range p.Twins {
		if h, err := OpenHistory(HistoryFile(dir, controlID(name))); err == nil {
			list = append(list, judgeControls(h)...)
		}
	}
	return list
}
