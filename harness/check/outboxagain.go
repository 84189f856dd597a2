package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// sentAgain returns the first entry that a relay will send, or has sent, once more
// since the replays began, as it was and as it is, and why that is so, or "".
func (o *outboxCase) sentAgain(begun int64) (was, is harness.Event, why string) {
	for i, e := range o.entries {
		if e.Seq < begun {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			was = o.entries[j]
			if was.Outbox.Position != e.Outbox.Position || was.Outbox.EventID != e.Outbox.EventID {
				continue
			}
			if why = resent(*was.Outbox, *e.Outbox, was.Seq < begun); why != "" {
				return was, e, why
			}
			break // the condition right before this one
		}
	}
	return was, is, ""
}

// resent says what of an entry became other than a relay at work makes it, or "".
// What was not there may be filled in. At rest says that it was seen so before the
// replays: what is delivered by then is not tried again.
func resent(was, is harness.OutboxEvent, atRest bool) string {
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"type", was.Type != "" && was.Type != is.Type},
		{"correlation id", was.CorrelationID != "" && was.CorrelationID != is.CorrelationID},
		{"sequence", was.Sequence != 0 && was.Sequence != is.Sequence},
		{"time", !was.OccurredAt.IsZero() && !was.OccurredAt.Equal(is.OccurredAt)},
	} {
		if f.changed {
			return "it has another " + f.name
		}
	}
	ended := inState(was, "DELIVERED", "DEAD_LETTER")
	switch a, b := was.AttemptCount, is.AttemptCount; {
	case ended && inState(is, "PENDING"):
		return "it was " + was.State + " and is " + is.State
	case a != nil && b != nil && *b < *a:
		return fmt.Sprintf("its attempts fell from %d to %d", *a, *b)
	case ended && atRest && a != nil && b != nil && *b > *a:
		return fmt.Sprintf("it was %s after %d attempts and has %d", was.State, *a, *b)
	}
	return ""
}

func inState(e harness.OutboxEvent, states ...string) bool {
	for _, s := range states {
		if strings.EqualFold(e.State, s) {
			return true
		}
	}
	return false
}
