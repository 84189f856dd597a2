package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// AftermathID is the id under which the last reading of the ledger is recorded.
const AftermathID = "aftermath"

// MarkWatched counts the ms for which the ledger was watched after the last
// scenario had ended; the others were watched longer.
const MarkWatched = "watched"

// aftermathWatch is how long after the last scenario the wait for a quiet ledger
// begins: both together are the least that a scenario is watched.
const aftermathWatch = time.Second

// aftermathQuiet is how long the ledger has to stay quiet at the end of a run.
const aftermathQuiet = time.Second

// Aftermath reads the ledger once more after all scenarios, when late effects of
// the early ones have had the whole run to arrive, and records what no history
// holds. Judging adds these effects to the histories they belong to: a second
// charge that comes seconds later is still a second charge.
func (r *Runner) Aftermath(ctx context.Context) error {
	return r.each(func(r *Runner) error { return r.aftermath(ctx) })
}

func (r *Runner) aftermath(ctx context.Context) error {
	if r.target.Probe == nil && r.target.Journal == nil {
		return nil
	}
	if ctx.Err() != nil { // interrupted: what was finished before still deserves its last reading
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
	}
	t := r.target.Info
	rec, err := NewRecorder(r.dir, Header{RunID: r.plan.Run.ID, Scenario: r.aftermathID(), On: r.on, Seed: r.plan.Run.Seed,
		Started: r.state.clock.Base(), Target: t.Name, Control: r.control}, r.state.clock, r.redact)
	if err != nil {
		return err
	}
	watch(ctx, r.state.lastEnd().Add(aftermathWatch))
	r.recordLateEffects(ctx, rec)
	r.recordLateEvents(ctx, rec)
	for _, l := range r.state.endFollowing() {
		rec.Append(Event{Type: CallEvent, Case: l.caseID, Call: &l.call})
	}
	rec.Append(Event{Type: MarkEvent, Mark: &Mark{Name: MarkWatched, Count: map[string]int64{"ms": time.Since(r.state.lastEnd()).Milliseconds()}}})
	return rec.Close()
}

// recordLateEffects reads the ledger until it is quiet and records what no
// history holds and what belongs to no case.
func (r *Runner) recordLateEffects(ctx context.Context, rec *Recorder) {
	if r.target.Probe == nil {
		return
	}
	var effects []Effect
	err := quiet(ctx, aftermathQuiet, func(ctx context.Context) (int, int, error) {
		var err error
		effects, err = r.target.Probe.Effects(ctx, r.state.began)
		return len(effects), 0, err
	})
	if err != nil {
		rec.Append(Event{Type: MarkEvent, Mark: &Mark{Name: MarkUnsettled, Detail: "the ledger could not be read at the end of the run: " + err.Error()}})
		return
	}
	if gone := r.state.vanished(effects); gone > 0 {
		rec.Append(Event{Type: MarkEvent, Mark: &Mark{Name: MarkVanished, Detail: fmt.Sprintf("%d entries that the probe had shown are not shown any more, or not as they were, at the end of the run: a ledger only grows, so the probe cannot be believed", gone)}})
	}
	for _, e := range effects {
		switch id := r.state.attribute(e); {
		case id == "":
			rec.Append(Event{Type: EffectEvent, Effect: &e})
		case !r.state.holds(e):
			rec.Append(Event{Type: EffectEvent, Case: id, Effect: &e})
		}
	}
}

// watch waits until that time or until ctx ends.
func watch(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (r *runState) lastEnd() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lateness.ended
}

// aftermathID keeps the files of several processes that share a folder apart, and
// those of several targets.
func (r *Runner) aftermathID() string {
	id := AftermathID
	for _, part := range []string{r.joined, r.on} {
		if part != "" {
			id += "/" + part
		}
	}
	return id
}

// vanished counts entries that a history holds and the ledger has no more. They
// are told by all that they say: a ledger that was lost with the process that kept
// it begins anew with the same numbers.
func (r *runState) vanished(effects []Effect) int {
	shown := map[Effect]bool{}
	for _, e := range effects {
		shown[timeless(e)] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	gone := 0
	for e := range r.judged {
		if !shown[e] {
			gone++
		}
	}
	return gone
}

func (r *runState) hold(e Effect) {
	r.mu.Lock()
	r.judged[timeless(e)] = true
	r.mu.Unlock()
}

func (r *runState) holds(e Effect) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.judged[timeless(e)]
}

// aftermath is what the last readings of the ledgers add to a run.
type aftermath struct {
	provisional bool                // the run is still under way
	of          map[string]*reading // by target; one whose ledger was not read again is not in it
	late        map[string][]Event  // by scenario or series
	unclaimed   []Event
}

// reading is what the last reading of one target's ledger adds to all that was
// carried out there.
type reading struct {
	problem  string
	vanished string
	watched  int64   // ms
	strays   []Event // calls that belong to no case
}

// readAftermath collects the last readings of all processes of a run.
func readAftermath(dir string, run RunInfo) (aftermath, error) {
	a := aftermath{of: map[string]*reading{}, late: map[string][]Event{}}
	files, err := filepath.Glob(HistoryFile(dir, AftermathID+"*"))
	if err != nil {
		return a, err
	}
	for _, file := range files {
		h, err := OpenHistory(file)
		if err != nil {
			return a, err
		}
		if h.Header.RunID != run.ID {
			return a, fmt.Errorf("%s belongs to run %s", file, h.Header.RunID)
		}
		for e := range h.Events() {
			a.take(h.Header.On, e)
		}
		if h.Err() != nil {
			return a, h.Err()
		}
	}
	return a, nil
}

func (a *aftermath) take(on string, e Event) {
	if a.of[on] == nil {
		a.of[on] = &reading{}
	}
	of := a.of[on]
	switch {
	case e.Type == MarkEvent && e.Mark.Name == MarkUnsettled:
		of.problem = e.Mark.Detail
	case e.Type == EffectEvent && e.Case == "":
		a.unclaimed = append(a.unclaimed, e)
	case e.Type == MarkEvent && e.Mark.Name == MarkVanished:
		of.vanished = e.Mark.Detail
	case e.Type == MarkEvent && e.Mark.Name == MarkWatched:
		of.watched = e.Mark.Count["ms"]
	case e.Type == CallEvent && e.Case == "":
		of.strays = append(of.strays, e)
	case triedClaim(e.Case): // an operation may well have effects that take their time
	case e.Type == EffectEvent || e.Type == CallEvent || e.isOfOutbox():
		scenario := scenarioOf(e.Case)
		a.late[scenario] = append(a.late[scenario], e)
	}
}

// scenarioOf returns the scenario or the series to which a case belongs.
func scenarioOf(caseID string) string { return caseID[:max(strings.LastIndexByte(caseID, '/'), 0)] }

// openWithAftermath opens the history of a scenario or a series and adds what the
// ledger showed later. Without a last reading nothing that counts effects is
// believed.
func openWithAftermath(dir, id string, a aftermath) (*History, error) {
	h, err := OpenHistory(HistoryFile(dir, id))
	if err != nil {
		return nil, err
	}
	extra, of := a.late[id], a.of[h.Header.On]
	if h.Header.offers(CapOutbox) && !a.provisional && of == nil {
		extra = append(extra, outboxUnread("", errInterrupted))
	}
	if h.Header.offers(CapEffects) && !a.provisional {
		switch {
		case of == nil:
			extra = append(extra, Event{Type: MarkEvent, Mark: &Mark{Name: MarkUnsettled, Detail: "the ledger was not read again at the end of the run: the run was interrupted"}})
		case of.problem != "":
			extra = append(extra, Event{Type: MarkEvent, Mark: &Mark{Name: MarkUnsettled, Detail: of.problem}})
		default: // with these the effects are complete, however the scenario's own reading went
			extra = append(extra, Event{Type: MarkEvent, Mark: &Mark{Name: MarkSettled, Detail: "at the end of the run"}})
		}
	}
	if of == nil {
		of = &reading{}
	}
	if of.vanished != "" {
		extra = append(extra, Event{Type: MarkEvent, Mark: &Mark{Name: MarkVanished, Detail: of.vanished}})
	}
	h.append(extra, of.strays)
	return h, nil
}

// append lets the walk of the events end with further ones: those of the
// scenario's own cases, and the strays of its time.
func (h *History) append(extra, strays []Event) {
	each := h.each
	h.each = func(yield func(Event) bool) error {
		last, more := int64(0), true
		from, to := time.Duration(-1), time.Duration(0)
		err := each(func(e Event) bool {
			last, to = e.Seq, e.At
			if from < 0 {
				from = e.At
			}
			more = yield(e)
			return more
		})
		for _, e := range slices.Concat(extra, strays) {
			if err != nil || !more {
				return err
			}
			if e.Type == CallEvent && e.Case == "" && (e.Call.Started < from || e.Call.Started > to) {
				continue
			}
			last++
			e.Seq = last
			more = yield(e)
		}
		return err
	}
}

// complete reports whether the ledgers of all these targets were read again.
func (a aftermath) complete(targets []string) bool {
	return !slices.ContainsFunc(targets, func(on string) bool { return a.of[on] == nil || a.of[on].problem != "" })
}

// watched returns for how many ms every ledger was watched.
func (a aftermath) watched() int64 {
	least := int64(-1)
	for _, of := range a.of {
		if least < 0 || of.watched < least {
			least = of.watched
		}
	}
	return max(least, 0)
}

// orphans judges I6 over the whole run: every entry that the ledgers gained
// belongs to a case. Where others use the ledger that cannot be told.
func (j *joined) orphans(run RunInfo, plan Plan, a aftermath) {
	if !a.complete(plan.targets()) || run.Control.Outcome != Pass {
		return
	}
	v := CheckResult{Name: "every-effect-has-a-cause", Scenario: AftermathID, Verdict: Pass, Witness: []Witness{},
		Reason: "no ledger entry of the run's time is without a case"}
	switch n := len(a.unclaimed); {
	case plan.Target.SharedLedger:
		v.Verdict, v.Reason = NotVerified, "the profile says that others use this ledger (effects.shared: true)"
	case n > 0:
		v.Verdict = Inconclusive
		v.Reason = fmt.Sprintf("%d ledger entries of the run's time carry no reference, correlation id or amount of the run: effects without a cause, or somebody else uses this ledger (then say effects.shared: true)", n)
		for _, e := range a.unclaimed[:min(n, maxWitness)] {
			v.Witness = append(v.Witness, Witness{Seq: e.Seq, Text: e.String()})
		}
	}
	j.byInvariant["I6"] = append(j.byInvariant["I6"], judged{result: v})
	if late := a.late[ControlID]; len(late) > 0 {
		v := CheckResult{Name: "control-stays-exact", Scenario: AftermathID, Verdict: Fail, Witness: []Witness{},
			Expected: "two plain checkouts to keep the effects they had", Observed: fmt.Sprintf("%d ledger entries or calls of theirs that came later", len(late))}
		v.Reason = "expected " + v.Expected + ", observed " + v.Observed
		for _, e := range late[:min(len(late), maxWitness)] {
			v.Witness = append(v.Witness, Witness{Seq: e.Seq, Text: e.String()})
		}
		j.byInvariant["I1"] = append(j.byInvariant["I1"], judged{result: v})
	}
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
