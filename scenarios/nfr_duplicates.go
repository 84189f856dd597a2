package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
	"github.com/oncecheck/oncecheck/harness/stats"
)

const (
	// duplicatesN is how many experiments with duplicates the requirement names.
	duplicatesN = 10_000
	// duplicatesAtOnce are under way at once: many of them only wait for a
	// dependency that is silent.
	duplicatesAtOnce = 96
	// duplicatesLimit bounds the series, several times over.
	duplicatesLimit = 25 * time.Minute
	// restarts is over how many restarts the experiments that meet one are spread.
	restarts = 5
	// duplicateRate is what none of 10,000 supports: a rate below 0.03 %.
	duplicateRate = 3e-4
)

// hardship is what an experiment with duplicates has to stand, with its share of
// all of them in per cent.
type hardship struct {
	name  string
	share int
	drive func(context.Context, *duplicating, *harness.Case, experiment) error
}

func hardships() []hardship {
	return []hardship{
		{"none", 50, undisturbed},
		{"request-lost", 10, requestLost},
		{"answer-lost", 10, answerLost},
		{"downstream", 20, downstreamFails},
		{"instances", 5, acrossInstances},
		{check.AcrossRestart, 5, nil}, // driven by the batch
	}
}

func nfrDuplicates() harness.NFR {
	var mix []string
	for _, x := range hardships() {
		mix = append(mix, fmt.Sprintf("%s: %d %% of the experiments", x.name, x.share))
	}
	p := planned("0 duplicate orders, charges or reservations in 10,000 experiments with duplicates", duplicateRate, duplicatesAtOnce, mix...)
	p.N, p.Allowed = duplicatesN, stats.Allowed(duplicatesN, duplicateRate, stats.Confidence)
	return harness.NFR{
		ID: "NFR-CHK-003", Clause: "NFR-CHK-003", Property: "no-duplicate-effect",
		Title:         "of each key 2 to 20 requests overlap at the target while callers, dependencies, instances or the whole target fail; the ledger shows each effect once",
		Needs:         harness.Needs{"checkout", "effects", "dependencies", string(harness.CapInstances), "process-control"},
		Preregistered: p,
		Limit:         duplicatesLimit,
		Drive:         driveDuplicates,
		Judge:         check.NothingDuplicated,
	}
}

// duplicating is a series of experiments with duplicates.
type duplicating struct {
	*harness.Series
	me  string
	ops []operation
}

// experiment is one of them, as it was drawn.
type experiment struct {
	of     hardship
	number int
	sends  int
	op     int // of a dependency
	fails  int // how that fails
}

// driveDuplicates draws the order of the experiments first. Those that a restart
// meets come last, in batches: a restart is one for all that is under way.
func driveDuplicates(ctx context.Context, s *harness.Series) error {
	d := &duplicating{Series: s, me: s.DefaultPrincipal(), ops: effecting(s.Session)}
	if len(d.ops) == 0 {
		return errNothingEffecting
	}
	steady, restarted := d.draw()
	work := make(chan experiment)
	go func() {
		defer close(work)
		for _, e := range steady {
			select {
			case work <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	if err := harness.Parallel(s.Planned.Concurrency, func(int) error {
		for e := range work {
			if err := d.carryOut(ctx, e); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for batch := range restarts {
		from, to := batch*len(restarted)/restarts, (batch+1)*len(restarted)/restarts
		if err := d.acrossRestart(ctx, restarted[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// draw fixes what each experiment is. Most keys are sent a few times, some often.
func (d *duplicating) draw() (steady, restarted []experiment) {
	var all []experiment
	for _, x := range hardships() {
		for range d.Planned.N * x.share / 100 {
			all = append(all, experiment{of: x})
		}
	}
	d.Rand().Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range all {
		e := &all[i]
		e.number, e.sends = i+1, 2+d.Rand().IntN(3)
		if d.Rand().IntN(20) == 0 {
			e.sends = 5 + d.Rand().IntN(16)
		}
		e.op, e.fails = d.Rand().IntN(len(d.ops)), d.Rand().IntN(len(failures()))
		if e.of.drive == nil {
			restarted = append(restarted, *e)
		} else {
			steady = append(steady, *e)
		}
	}
	return steady, restarted
}

// carryOut makes one experiment, and repeats its request until the answer is
// final.
func (d *duplicating) carryOut(ctx context.Context, e experiment) error {
	c := d.open(e)
	if err := e.of.drive(ctx, d, c, e); err != nil {
		return fmt.Errorf("experiment %s: %w", c.Label, err)
	}
	return d.conclude(ctx, c)
}

func (d *duplicating) open(e experiment) *harness.Case {
	return d.Case(fmt.Sprintf("%s-%05d", e.of.name, e.number))
}

// conclude repeats the request until its answer is final. One that does not
// become so is found in the history.
func (d *duplicating) conclude(ctx context.Context, c *harness.Case) error {
	ctx, cancel := context.WithTimeout(ctx, d.Target().Policy.Checkout.Deadline.Std())
	defer cancel()
	d.Converge(ctx, c, harness.Attempt{Principal: d.me})
	return nil
}
