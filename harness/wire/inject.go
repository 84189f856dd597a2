package wire

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Injector carries out faults on links.
type Injector struct {
	links map[string]*Link
}

var _ harness.Injector = (*Injector)(nil)

// NewInjector returns an injector for the links, by their names.
func NewInjector(links ...*Link) *Injector {
	i := &Injector{links: map[string]*Link{}}
	for _, l := range links {
		i.links[l.cfg.Name] = l
	}
	return i
}

// Name implements [harness.Injector].
func (i *Injector) Name() string { return "wire" }

// Accepts implements [harness.Injector]: it takes the cuts inside an exchange.
func (i *Injector) Accepts(f harness.Fault) bool {
	switch f.Cut.Point {
	case harness.CutBeforeForward, harness.CutAfterCommit, harness.CutStatus, harness.CutHeaders, harness.CutBody:
		return i.links[f.Link] != nil
	}
	return false
}

// Inject implements [harness.Injector].
func (i *Injector) Inject(ctx context.Context, f harness.Fault, caseID string) (harness.Injection, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("arm %s: %w", f, err)
	}
	if !i.Accepts(f) {
		return nil, fmt.Errorf("arm %s: wire cuts inside exchanges of the links %s; name one of them and such a cut",
			f, strings.Join(slices.Sorted(maps.Keys(i.links)), ", "))
	}
	// A fault made in code may be one that no text could say.
	if _, err := harness.ParseFault(f.String()); err != nil {
		return nil, fmt.Errorf("arm a fault: %w", err)
	}
	l := i.links[f.Link]
	if err := l.knows(f.Operation); err != nil {
		return nil, fmt.Errorf("arm %s: %w", f, err)
	}
	a := newArmed(caseID, f.Operation, f.Exchange, f.String())
	a.fault = f
	l.arm(a)
	return &injection{armed: a, link: l}, nil
}

// knows fails for an operation that no exchange can ever have.
func (l *Link) knows(operation string) error {
	names := make([]string, 0, len(l.cfg.Operations))
	for _, o := range l.cfg.Operations {
		if o.Name == operation {
			return nil
		}
		names = append(names, o.Name)
	}
	if operation == "" {
		return nil
	}
	return fmt.Errorf("link %s has no operation %q (it has: %s)", l.cfg.Name, operation, strings.Join(names, ", "))
}

// injection is an armed fault.
type injection struct {
	*armed
	link *Link
}

// Via implements [harness.Injection]: callers meet the fault on the usual way.
func (*injection) Via() string { return "" }

// Lift implements [harness.Injection].
func (i *injection) Lift(context.Context) error {
	i.link.disarm(i.armed)
	return nil
}
