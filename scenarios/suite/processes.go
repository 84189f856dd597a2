package suite

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// oneProcess refuses to share a target that belongs to one process as long as a
// run lasts, and says what there is of it that only one can have.
func oneProcess(path string, processes int) error {
	p, err := profile.Load(path)
	if err != nil || processes <= 1 {
		return err
	}
	if why := unshared(p); why != nil {
		return fmt.Errorf("%d processes cannot share the target of %s: %w; run without -p, or with -procs=1", processes, path, why)
	}
	return nil
}

// unshared returns what keeps several processes from one target, or nil.
func unshared(p *profile.Profile) error {
	for _, name := range slices.Sorted(maps.Keys(p.Dependencies)) {
		switch d := p.Dependencies[name]; {
		case d.Fake != "":
			return fmt.Errorf("only one of them can listen on %s (dependencies.%s), and what our fake did there only that one knows", d.Listen, name)
		case d.Listen != "":
			return fmt.Errorf("only one of them can listen on %s (dependencies.%s)", d.Listen, name)
		}
	}
	switch {
	case p.Gateway != nil && p.Gateway.Dependency.Listen != "":
		return fmt.Errorf("only one of them can listen on %s (gateway.dependency)", p.Gateway.Dependency.Listen)
	case p.Gateway != nil:
		return errors.New("its gateway can call only one of them")
	case p.Client != nil:
		return errors.New("the sockets and the authority that its client trusts belong to one run")
	case p.Sink != nil:
		return fmt.Errorf("only one of them can listen on %s (sink)", p.Sink.Listen)
	case len(p.Dependencies) > 0 || p.Effects != nil:
		return errors.New("its dependencies and its ledger belong to one run")
	case p.Info().Limits != harness.Limits{}:
		return errors.New("each would take the whole load that its limits allow")
	}
	return nil
}
