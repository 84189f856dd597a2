package door

import (
	"context"
	"errors"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// openFurther opens the targets beside the first, if there are any.
func (r *Run) openFurther(ctx context.Context, o Options) (err error) {
	if o.Scaled != "" {
		if r.scaled, err = o.further(ctx, o.Scaled); err != nil {
			return err
		}
		r.rig.Target.Scaled = r.scaled.Target
	}
	for _, path := range o.Twins {
		twin, err := o.further(ctx, path)
		if err != nil {
			return err
		}
		r.twins, r.rig.Target.Twins = append(r.twins, twin), append(r.rig.Target.Twins, twin.Target)
	}
	return nil
}

func (o Options) further(ctx context.Context, path string) (*rig.Rig, error) {
	p, err := profile.Load(path)
	if err != nil {
		return nil, err
	}
	opened, err := o.open(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("open the target of %s: %w", path, err)
	}
	return opened, nil
}

func (r *Run) declaredByTwins() []harness.TargetInfo {
	var declared []harness.TargetInfo
	for _, t := range r.twins {
		declared = append(declared, t.Target.Info)
	}
	return declared
}

// Twinned reports whether what disturbs a target is tried apart from the rest, so
// that it need not wait for it.
func (r *Run) Twinned() bool { return len(r.twins) > 0 }

// giveBack gives all targets back.
func (r *Run) giveBack(ctx context.Context) error {
	var errs []error
	for _, opened := range append(r.twins, r.scaled, r.rig) {
		if opened != nil {
			errs = append(errs, opened.Close(context.WithoutCancel(ctx)))
		}
	}
	return errors.Join(errs...)
}
