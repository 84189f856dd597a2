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
	"strings"
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
	err := r.each(func(r *Runner) error {
		if err := r.begin(ctx); err != nil {
			return err
		}
		elsewhere := plan.proves
		if r.on != "" {
			elsewhere = nil
		}
		if err := r.record(ctx, controlScenario(elsewhere)); err != nil {
			return fmt.Errorf("positive control: %w", err)
		}
		return r.believeControl()
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

// Scenario carries out one scenario and leaves its history in the run folder.
// What went wrong in the experiment is recorded there; the error is for what
// could not even be recorded. Without a positive control nothing is sent.
func (r *Runner) Scenario(ctx context.Context, s Scenario) error {
	return r.scenario(ctx, s, func() {})
}

// scenario is Scenario, and calls handBack as soon as it disturbs the target no
// more.
func (r *Runner) scenario(ctx context.Context, s Scenario, handBack func()) error {
	if r.scaled != nil && r.plan.scaleOf(s.ID) != 1 {
		return r.scaled.scenario(ctx, s, handBack)
	}
	if r.control.Outcome != Pass {
		return nil
	}
	if r.onTwin(s.ID) {
		return r.takeTwin(ctx, s)
	}
	if err := r.recordSharing(ctx, s, handBack); err != nil || !s.Timed || ctx.Err() != nil {
		return err
	}
	return r.repeatLagged(ctx, s)
}

func (r *Runner) record(ctx context.Context, s Scenario) error {
	return r.recordSharing(ctx, s, func() {})
}

func (r *Runner) recordSharing(ctx context.Context, s Scenario, handBack func()) error {
	id := s.ID
	if id == ControlID {
		id = controlID(r.on)
	}
	rec, err := NewRecorder(r.dir, r.header(id), r.state.clock, r.redact)
	if err != nil {
		return err
	}
	session := newSession(r.target, r.state, s.ID, rec)
	session.exclusive, session.repeated, session.limit = s.Exclusive, attempts(r.dir, s.ID) > 1, s.limit(r.target.Info.Policy)
	if s.ClientOnly {
		session.exclusive, session.clientOnly = false, true
		defer r.state.client.take(s.ID)()
	}
	lag := watchLag(s.Timed)
	if left := r.left(); len(left) > 0 { // it would be tried on a target that is not the one to be tested
		session.Note(nil, MarkLost, NotPutBack+strings.Join(left, ", "), nil)
	} else if err := drive(ctx, session.limit, func(ctx context.Context) error { return s.Drive(ctx, session) }); err != nil {
		session.Note(nil, MarkError, err.Error(), nil)
	}
	lag.end(rec)
	session.finish(ctx, handBack)
	return rec.Close()
}

// header returns what the history of an experiment begins with.
func (r *Runner) header(id string) Header {
	t := r.target.Info
	return Header{
		RunID: r.plan.Run.ID, Scenario: id, On: r.on, Seed: r.plan.Run.Seed, Started: r.state.clock.Base(),
		Lane: r.plan.Run.Lane, Scale: r.scale, Requirements: t.Requirements, Target: t.Name, Policy: t.Policy,
		Dialect: t.Dialect, Capabilities: t.Capabilities, Links: t.Links, PerSuccess: t.PerSuccess, Operations: t.Operations, Client: t.Client, Gateway: t.Gateway, Control: r.control,
		Maintenance: t.Maintenance, AmountKinds: r.facts.amountKinds, OrderIDs: r.facts.orderIDs, UnusedLinks: r.facts.unusedLinks,
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

// all carries the scenarios out, each when it has its turn.
func (r *Runner) all(ctx context.Context, planned []Scenario, o Options) error {
	progress := o.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	var mu sync.Mutex
	finished := 0
	one := func(s Scenario, handBack func()) error {
		if ctx.Err() != nil {
			return nil // left without a history: judged as interrupted
		}
		progress(Progress{Scenario: s.ID, Planned: len(planned)})
		started := time.Now()
		if err := r.scenario(ctx, s, handBack); err != nil {
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
	// On no target is anything disturbed by what happens on another. But where times are
	// divided little is left to be late, so that target waits until the machine is calmer.
	var here, scaled, twins []Scenario
	for _, s := range planned {
		switch {
		case r.scaled != nil && r.plan.scaleOf(s.ID) != 1:
			scaled = append(scaled, s)
		case r.onTwin(s.ID):
			twins = append(twins, s)
		default:
			here = append(here, s)
		}
	}
	calm := make(chan struct{})
	calmer := sync.OnceFunc(func() { close(calm) })
	shared := func(planned []Scenario) error {
		return newTurns(planned, r.target.Info.clientApart()).take(max(o.Jobs, 1), one, calmer)
	}
	return Parallel(3, func(i int) error {
		switch i {
		case 0:
			defer calmer()
			return shared(here)
		case 1:
			<-calm
			return shared(scaled)
		}
		byPatience(twins)
		return parallelLimit(len(r.twins), len(twins), func(i int) error { return one(twins[i], func() {}) })
	})
}

// judgeOne gives the progress line its verdict; the evidence is judged anew
// from the files at the end.
func (r *Runner) judgeOne(s Scenario) ScenarioResult {
	result, _, _ := judgeScenario(r.dir, s, r.plan, r.plan.Run, aftermath{provisional: true})
	return result
}
