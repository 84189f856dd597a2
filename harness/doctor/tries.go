package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// unguarded says what would stay changed if a run were killed.
func (x *examination) unguarded() {
	for _, key := range x.subject.Unguarded {
		x.add(key, Hint, "put {{leaseMs}} into its URL or body, and let the target put it back after that many milliseconds", "nothing puts it back if a run is killed: it is a request without {{leaseMs}}")
	}
}

// tries does what the preflight of a run does with the capabilities that no other
// step has tried: each control, each flag, each further operation, and what the
// target tells of its inside, once.
func (x *examination) tries(ctx context.Context) {
	elsewhere := func(c harness.Capability) bool { return c == harness.CapStatus || c == harness.CapDecline }
	if !x.anyOf(harness.CapProcessControl, harness.CapProcessKill, harness.CapProcessPause, harness.CapClock, harness.CapFeatureFlag, harness.CapStoreLink, harness.CapSecondOperation, harness.CapSecondVersion, harness.CapInstances, harness.CapMetrics, harness.CapLogs, harness.CapStorage, harness.CapStoredRecord, harness.CapWebhook, harness.CapOutbox) {
		return
	}
	whole, undo, err := x.subject.Open(ctx, Part{Kind: PartWhole})
	if err != nil {
		x.add("control", Untried, "mend what is broken first", "nothing was tried, since the target cannot be opened as a whole: %v", err)
		return
	}
	defer x.undo(ctx, undo)
	target := *whole
	target.Info = x.subject.Info
	if !x.claimed(harness.CapWebhook) { // which is about an entry of the ledger; nothing else is counted here
		target.Probe = nil
	}
	list, err := tryIn(ctx, &target, elsewhere)
	for _, t := range list {
		name, _, _ := strings.Cut(t.Name, ".")
		if t.Works {
			x.say(harness.Capability(name), Works, "")
			x.add(t.Name, OK, "", "%s", t.Reason)
		} else {
			x.claimBroken(harness.Capability(name), t.Name, "see what it does when it is done by hand", t.Reason)
		}
	}
	if err == nil && len(list) > 0 {
		_, err = x.request(ctx, x.harmless(""))
	}
	if err != nil {
		x.add("control", Broken, "look whether the target runs, and start it", "after it was tried: %v", err)
	}
}

func (x *examination) anyOf(list ...harness.Capability) bool {
	for _, c := range list {
		if x.claimed(c) {
			return true
		}
	}
	return false
}

// tryIn keeps the record of what is tried only as long as it is read.
func tryIn(ctx context.Context, t *harness.Target, elsewhere func(harness.Capability) bool) (list []harness.Tried, err error) {
	dir, err := os.MkdirTemp("", "oncecheck-doctor-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is tried: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return harness.TryClaims(ctx, t, dir, elsewhere)
}
