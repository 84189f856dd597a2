package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Runner carries out scenarios of one plan against one target. Several
// processes may share a run folder; each then has a Runner of its own.
type Runner struct {
	target  *Target
	plan    Plan
	dir     string
	redact  *Redactor
	state   *runState
	control Verdict
	facts   facts
	// principals and claims are those that were tried with the positive control.
	principals, claims []Tried
	next               []string // what to look at where the control failed
	hints              []Hint
	joined             string // set where another process leads the run
	scale              float64
	on                 string // which of the run's targets; the first has no name
	// scaled carries out what takes too long on the target; nil without a second one.
	scaled *Runner
	twins  []*Runner    // carry out what disturbs a target
	free   chan *Runner // those of them that do nothing
}

// NewRunner prepares the run folder, writes the plan, and makes the positive
// control. An error means that the run could not begin; a control that fails is
// no error: [Runner.Control] tells, and no scenario will be believed.
func NewRunner(ctx context.Context, target *Target, plan Plan, dir string) (*Runner, error) {
	if err := os.MkdirAll(filepath.Join(dir, "history"), 0o755); err != nil {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	if _, err := os.Stat(PlanFile(dir)); err == nil {
		return nil, fmt.Errorf("run folder %s already holds a run: choose another --out, nothing is overwritten", dir)
	}
	if err := plan.Write(dir); err != nil {
		return nil, err
	}
	r := newRunner(target, plan, dir)
	err := r.each(func(on *Runner) error {
		if err := on.begin(ctx); err != nil {
			return err
		}
		if err := on.record(ctx, controlScenario(r.preflightOn(on))); err != nil {
			return fmt.Errorf("positive control: %w", err)
		}
		return on.believeControl()
	})
	if err != nil {
		return nil, err
	}
	r.admitTwins()
	return r, nil
}

// JoinRunner returns a runner for a folder whose plan and control another
// process made.
func JoinRunner(ctx context.Context, target *Target, dir string) (*Runner, error) {
	plan, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	r := newRunner(target, plan, dir)
	err = r.each(func(r *Runner) error {
		if err := r.believeControl(); err != nil {
			return err
		}
		r.joined = fmt.Sprint("process-", os.Getpid())
		return r.begin(ctx)
	})
	r.admitTwins()
	return r, err
}

// begin notes where the ledger stands: what is older is none of the run's.
func (r *Runner) begin(ctx context.Context) error {
	r.listen()
	r.beginOutbox(ctx)
	if r.target.Probe == nil {
		return nil
	}
	effects, err := r.target.Probe.Effects(ctx, 0)
	if err != nil {
		return fmt.Errorf("read the effects before the run: %w", err)
	}
	for _, e := range effects {
		r.state.cursor = max(r.state.cursor, e.Seq)
	}
	r.state.began = r.state.cursor
	return nil
}

func newRunner(target *Target, plan Plan, dir string) *Runner {
	r := oneRunner(target, plan, dir, "")
	if target.Scaled != nil && plan.Scaled != nil {
		r.scaled = oneRunner(target.Scaled, plan, dir, onScaled)
		r.scaled.scale = plan.Scaled.Scale
	}
	for i, name := range plan.Twins[:min(len(plan.Twins), len(target.Twins))] {
		r.twins = append(r.twins, oneRunner(target.Twins[i], plan, dir, name))
	}
	for i, t := range r.targets() {
		t.state.amount += int64(i) * apartBy
	}
	return r
}

func oneRunner(target *Target, plan Plan, dir, on string) *Runner {
	clock := target.Clock
	if clock.Base().IsZero() {
		clock = NewClock()
	}
	return &Runner{
		target: target, plan: plan, dir: dir, scale: 1, on: on, redact: NewRedactor(withCanaries(target.Secrets, plan.Run.ID)),
		state: &runState{id: plan.Run.ID, on: on, seed: plan.Run.Seed, clock: clock, amount: firstAmount(plan.Run.ID),
			owner: map[string]string{}, judged: map[Effect]bool{}},
	}
}

// listen keeps the calls that belong to no case.
func (r *Runner) listen() {
	if r.target.Journal == nil {
		return
	}
	r.state.keepFollowing(r.target.Journal.Strays(func(call Call) {
		if call.Link != LinkClient {
			r.state.late("", call)
		}
	}))
}

// firstAmount spreads the unique amounts of different runs, so that a ledger
// that keeps only amounts can still tell them apart.
func firstAmount(runID string) int64 {
	sum := int64(0)
	for _, b := range []byte(runID) {
		sum = (sum*131 + int64(b)) % 900_000
	}
	return 100_000 + sum*100
}

// believeControl believes what the positive control left.
func (r *Runner) believeControl() error {
	h, err := OpenHistory(HistoryFile(r.dir, controlID(r.on)))
	if err != nil {
		return fmt.Errorf("positive control: %w", err)
	}
	r.believe(h)
	return nil
}

// believe takes over what the history of the positive control shows.
func (r *Runner) believe(h *History) {
	r.control, r.facts = JudgeControl(h), learn(h)
	r.principals, r.claims = JudgePrincipals(h), JudgeClaims(h)
	r.next, r.hints = ControlNext(h), Hints(h)
	r.state.unusable = unusablePrincipals(h)
}

// Principals returns what became of the principals that were tried.
func (r *Runner) Principals() []Tried { return r.principals }

// Claims returns what became of the capabilities that were tried.
func (r *Runner) Claims() []Tried { return r.claims }

// Control returns the verdict of the positive control.
func (r *Runner) Control() Verdict { return r.control }

// ControlNext returns what to look at where the positive control failed.
func (r *Runner) ControlNext() []string { return r.next }

// Hints returns what the positive control showed beside its verdict.
func (r *Runner) Hints() []Hint { return r.hints }

// Left returns the changes to the target that could not be put back, and why:
// somebody has to do it by hand.
func (r *Runner) Left() []string {
	var left []string
	for _, t := range r.targets() {
		left = append(left, t.left()...)
	}
	return left
}

func (r *Runner) left() []string {
	r.state.mu.Lock()
	defer r.state.mu.Unlock()
	return slices.Clone(r.state.left)
}

// Plan returns the plan of the run.
func (r *Runner) Plan() Plan { return r.plan }
