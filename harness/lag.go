package harness

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// MarkLag counts, in ms, how late the harness itself ran at worst during a
// scenario that measures time, and how often that was beyond the tolerance.
const MarkLag = "lag"

// TimeTolerance is how far a measured time may be from what was asked without
// anybody being blamed: what a busy machine adds between two processes.
const TimeTolerance = 150 * time.Millisecond

// lagTick is how often the harness looks whether it still gets its turn.
const lagTick = 20 * time.Millisecond

// lagMonitor measures how late a goroutine of ours gets its turn. Where ours
// does not, the client's may not have either, and its times tell nothing.
type lagMonitor struct {
	stop chan struct{}
	done sync.WaitGroup
	// worst and beyond are read once the goroutine has ended.
	worst  time.Duration
	beyond int64
}

// watchLag starts a monitor, or returns nil where no times are measured.
func watchLag(timed bool) *lagMonitor {
	if !timed {
		return nil
	}
	m := &lagMonitor{stop: make(chan struct{})}
	m.done.Go(func() {
		ticker := time.NewTicker(lagTick)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-m.stop:
				return
			case <-ticker.C:
			}
			now := time.Now()
			late := now.Sub(last) - lagTick
			last = now
			m.worst = max(m.worst, late)
			if late > TimeTolerance {
				m.beyond++
			}
		}
	})
	return m
}

// end stops the monitor and records what it saw.
func (m *lagMonitor) end(rec *Recorder) {
	if m == nil {
		return
	}
	close(m.stop)
	m.done.Wait()
	rec.Append(Event{Type: MarkEvent, Mark: &Mark{Name: MarkLag, Count: map[string]int64{"worstMs": m.worst.Milliseconds(), "beyond": m.beyond}}})
}

// repeatLagged carries a scenario out once more if the harness itself lagged in
// it, or the machine hid a time that was to be measured, and nothing failed: both
// leave what compares times undecided, and a failure that stands beside it must not
// be tried again until it is gone. Both attempts stay in the run folder, and the
// evidence counts them.
func (r *Runner) repeatLagged(ctx context.Context, s Scenario) error {
	file := HistoryFile(r.dir, s.ID)
	h, err := OpenHistory(file)
	if err != nil {
		return fmt.Errorf("look for lag in %s: %w", s.ID, err)
	}
	p := collect(h)
	if p.lagged() == "" && !tooBusy(s, h) || r.judgeOne(s).Verdict == Fail {
		return nil
	}
	if err := os.Rename(file, laggedFile(r.dir, s.ID)); err != nil {
		return fmt.Errorf("keep the first attempt of %s: %w", s.ID, err)
	}
	return r.record(ctx, s)
}

// tooBusy reports whether the machine hid what a check was to measure.
func tooBusy(s Scenario, h *History) bool {
	return slices.ContainsFunc(s.Checks, func(c Check) bool {
		return c.Gates.Timing && len(c.missing(h.Header.Capabilities)) == 0 && judgeSafely(c, h).Busy
	})
}

// laggedFile returns where the first attempt of a scenario is kept if there was
// a second.
func laggedFile(dir, scenario string) string { return HistoryFile(dir, scenario+".lagged") }

// attempts returns how often a scenario was carried out.
func attempts(dir, scenario string) int {
	if _, err := os.Stat(laggedFile(dir, scenario)); err == nil {
		return 2
	}
	return 1
}

// lagged says that times of this experiment cannot be believed, or "".
func (p *proof) lagged() string {
	switch {
	case p.lag == nil:
		return "nobody watched whether the harness got its turn"
	case p.lag["beyond"] > 0:
		return fmt.Sprintf("the harness itself was up to %d ms late (tolerance %s), so its times tell nothing: use a machine with less to do", p.lag["worstMs"], TimeTolerance)
	}
	return ""
}
