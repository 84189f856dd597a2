package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Options say how a run is carried out.
type Options struct {
	Dir      string         // run folder; must not hold an earlier run
	Jobs     int            // scenarios side by side, at least 1
	Progress func(Progress) // may be nil; called from several goroutines
}

// Progress tells that a scenario began or ended.
type Progress struct {
	Scenario string
	Done     bool
	Verdict  Outcome // of the scenario, once done
	Reason   string
	Took     time.Duration
	Finished int // scenarios done so far
	Planned  int
}

// NewRunID returns an id that sorts by time and is unique.
func NewRunID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

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
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	control := controlScenario(plan.proves)
	if err := r.record(ctx, control); err != nil {
		return nil, fmt.Errorf("positive control: %w", err)
	}
	h, err := OpenHistory(HistoryFile(dir, ControlID))
	if err != nil {
		return nil, fmt.Errorf("positive control: %w", err)
	}
	r.believe(h)
	return r, nil
}

// JoinRunner returns a runner for a folder whose plan and control another
// process made.
func JoinRunner(ctx context.Context, target *Target, dir string) (*Runner, error) {
	plan, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	h, err := OpenHistory(HistoryFile(dir, ControlID))
	if err != nil {
		return nil, fmt.Errorf("positive control: %w", err)
	}
	r := newRunner(target, plan, dir)
	r.believe(h)
	r.joined = fmt.Sprint("process-", os.Getpid())
	return r, r.begin(ctx)
}

// begin notes where the ledger stands: what is older is none of the run's.
func (r *Runner) begin(ctx context.Context) error {
	r.listen()
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
	clock := target.Clock
	if clock.Base().IsZero() {
		clock = NewClock()
	}
	return &Runner{
		target: target, plan: plan, dir: dir, redact: NewRedactor(withCanaries(target.Secrets, plan.Run.ID)),
		state: &runState{id: plan.Run.ID, seed: plan.Run.Seed, clock: clock, amount: firstAmount(plan.Run.ID),
			owner: map[string]string{}, judged: map[int64]bool{}},
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
	r.state.mu.Lock()
	defer r.state.mu.Unlock()
	return slices.Clone(r.state.left)
}

// Plan returns the plan of the run.
func (r *Runner) Plan() Plan { return r.plan }

// Scenario carries out one scenario and leaves its history in the run folder.
// What went wrong in the experiment is recorded there; the error is for what
// could not even be recorded. Without a positive control nothing is sent.
func (r *Runner) Scenario(ctx context.Context, s Scenario) error {
	if r.control.Outcome != Pass {
		return nil
	}
	if err := r.record(ctx, s); err != nil || !s.Timed || ctx.Err() != nil {
		return err
	}
	return r.repeatLagged(ctx, s)
}

func (r *Runner) record(ctx context.Context, s Scenario) error {
	rec, err := NewRecorder(r.dir, r.header(s.ID), r.state.clock, r.redact)
	if err != nil {
		return err
	}
	session := newSession(r.target, r.state, s.ID, rec)
	session.exclusive, session.repeated = s.Exclusive, attempts(r.dir, s.ID) > 1
	lag := watchLag(s.Timed)
	if err := drive(ctx, session.limit, func(ctx context.Context) error { return s.Drive(ctx, session) }); err != nil {
		session.Note(nil, MarkError, err.Error(), nil)
	}
	lag.end(rec)
	session.finish(ctx)
	return rec.Close()
}

// header returns what the history of an experiment begins with.
func (r *Runner) header(id string) Header {
	t := r.target.Info
	return Header{
		RunID: r.plan.Run.ID, Scenario: id, Seed: r.plan.Run.Seed, Started: r.state.clock.Base(),
		Lane: r.plan.Run.Lane, Scale: 1, Requirements: t.Requirements, Target: t.Name, Policy: t.Policy,
		Dialect: t.Dialect, Capabilities: t.Capabilities, Links: t.Links, PerSuccess: t.PerSuccess, Client: t.Client, Gateway: t.Gateway, Control: r.control,
		AmountKinds: r.facts.amountKinds, OrderIDs: r.facts.orderIDs, UnusedLinks: r.facts.unusedLinks,
	}
}

// scenarioLimit bounds one scenario; none of them waits for a minute.
const scenarioLimit = 90 * time.Second

func drive(ctx context.Context, limit time.Duration, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("the scenario exceeded "+limit.String()))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the scenario panicked: %v", p)
		}
	}()
	return do(ctx)
}

// Run carries out every planned scenario, jobs at a time, and judges what was
// written. A cancelled context ends the run early; the evidence then says so.
func Run(ctx context.Context, r *Runner, catalogue Catalogue, o Options) (Evidence, error) {
	var planned []Scenario
	for _, p := range r.plan.Scenarios {
		if s, ok := catalogue.Scenario(p.ID); ok && p.Runs() {
			planned = append(planned, s)
		}
	}
	if r.control.Outcome == Pass {
		if err := r.all(ctx, planned, o); err != nil {
			return Evidence{}, err
		}
		if err := r.measureAll(ctx, catalogue, o); err != nil {
			return Evidence{}, err
		}
		if err := r.Aftermath(ctx); err != nil {
			return Evidence{}, err
		}
	}
	return JudgeRun(r.dir, r.plan, catalogue, time.Now())
}

// all runs the scenarios that share the target side by side, then one by one
// those that disturb it for everybody.
func (r *Runner) all(ctx context.Context, planned []Scenario, o Options) error {
	progress := o.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	var mu sync.Mutex
	finished := 0
	one := func(s Scenario) error {
		if ctx.Err() != nil {
			return nil // left without a history: judged as interrupted
		}
		progress(Progress{Scenario: s.ID, Planned: len(planned)})
		started := time.Now()
		if err := r.Scenario(ctx, s); err != nil {
			return err
		}
		result := r.judgeOne(s)
		mu.Lock()
		finished++
		n := finished
		mu.Unlock()
		progress(Progress{Scenario: s.ID, Done: true, Verdict: result.Verdict, Reason: result.Reason, Took: time.Since(started), Finished: n, Planned: len(planned)})
		return nil
	}
	var shared, alone []Scenario
	for _, s := range planned {
		if s.Exclusive {
			alone = append(alone, s)
		} else {
			shared = append(shared, s)
		}
	}
	if err := parallelLimit(max(o.Jobs, 1), len(shared), func(i int) error { return one(shared[i]) }); err != nil {
		return err
	}
	for _, s := range alone {
		if err := one(s); err != nil {
			return err
		}
	}
	return nil
}

// judgeOne gives the progress line its verdict; the evidence is judged anew
// from the files at the end.
func (r *Runner) judgeOne(s Scenario) ScenarioResult {
	result, _ := judgeScenario(r.dir, s, r.plan.Run, aftermath{provisional: true})
	return result
}

// parallelLimit is Parallel with at most limit at a time, started in order.
func parallelLimit(limit, n int, do func(i int) error) error {
	slots := make(chan struct{}, limit)
	return Parallel(n, func(i int) error {
		slots <- struct{}{}
		defer func() { <-slots }()
		return do(i)
	})
}
