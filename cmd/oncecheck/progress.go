package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/oncecheck/oncecheck/harness"
)

// progress tells how a run is getting on: one line for each scenario that ended
// and, on a terminal, a bar below them.
type progress struct {
	mu    sync.Mutex
	log   io.Writer
	bars  *mpb.Progress // nil where no terminal is
	bar   *mpb.Bar      // nil until the number of scenarios is known
	ended bool
}

func newProgress(log io.Writer) *progress {
	p := &progress{log: log}
	if colourful(log) {
		p.bars = mpb.New(mpb.WithOutput(log), mpb.WithWidth(40))
	}
	return p
}

// update may be called from several goroutines.
func (p *progress) update(u harness.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if p.bars != nil && p.bar == nil {
		p.bar = p.bars.New(int64(u.Planned), mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.CountersNoUnit("%d/%d scenarios")))
	}
	if !u.Done {
		return
	}
	p.line(fmt.Sprintf("%d/%d %s %s %.1fs", u.Finished, u.Planned, u.Verdict, u.Scenario, u.Took.Seconds()))
	if u.Verdict == harness.Fail || u.Verdict == harness.Inconclusive {
		p.line("      " + oneLine(u.Reason))
	}
	if p.bar != nil {
		p.bar.Increment()
	}
}

// line writes above the bar, if there is one.
func (p *progress) line(text string) {
	if p.bars != nil {
		_, _ = p.bars.Write([]byte(text + "\n")) // fails only if the bar has ended
		return
	}
	fmt.Fprintln(p.log, text)
}

// close takes the bar away. It may be called more than once.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(true) // an interrupted run never completes it
	}
	p.bars.Wait()
}

// controlled says loudly that nothing can be believed without the positive
// control, and what to look at.
func controlled(log io.Writer, v harness.Verdict, next []string) {
	if v.Outcome == harness.Pass {
		fmt.Fprintln(log, "positive control: "+oneLine(v.Reason))
		return
	}
	fmt.Fprintf(log, "\nPOSITIVE CONTROL FAILED: no scenario is run, and nothing is proven.\n  %s\n", oneLine(v.Reason))
	for _, line := range next {
		fmt.Fprintln(log, "check: "+oneLine(line))
	}
	fmt.Fprintln(log)
}

// hinted tells what is worth knowing and changes no verdict.
func hinted(log io.Writer, hints []harness.Hint) {
	for _, h := range hints {
		fmt.Fprintf(log, "hint: %s; %s\n", oneLine(h.Text), oneLine(h.Next))
	}
}

// unusable names the principals that the profile claims and that do not work.
func unusable(log io.Writer, principals []harness.Tried) {
	for _, p := range principals {
		if !p.Works {
			fmt.Fprintf(log, "PRINCIPAL %s DOES NOT WORK: %s; what needs it stays inconclusive\n", oneLine(p.Name), oneLine(p.Reason))
		}
	}
}

// unmet names the capabilities that the profile claims and that do not work.
func unmet(log io.Writer, claims []harness.Tried) {
	for _, c := range claims {
		if !c.Works {
			fmt.Fprintf(log, "CLAIM %s DOES NOT HOLD: %s; mend it, or leave it out of the profile\n", oneLine(c.Name), oneLine(c.Reason))
		}
	}
}

// notPutBack says what somebody has to mend by hand.
func notPutBack(log io.Writer, changes []string) {
	for _, what := range changes {
		fmt.Fprintf(log, "THE TARGET IS NOT AS IT WAS: %s; see to it by hand\n", oneLine(what))
	}
}
