package toxiproxy

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// toxic is what toxiproxy is told. It always acts on the answers, and on all of
// them: toxiproxy's own randomness cannot be seeded.
type toxic struct {
	kind  string // toxiproxy's name of it
	field string // its only attribute
	delay time.Duration
	reset bool
}

// toxicOf translates a fault, or says why it cannot be carried out.
func toxicOf(f harness.Fault) (toxic, error) {
	var t toxic
	switch f.Action.Name {
	case harness.ActLatency:
		t = toxic{kind: "latency", field: "latency"}
	case harness.ActReset:
		t = toxic{kind: "reset_peer", field: "timeout", reset: true}
	default:
		return t, fmt.Errorf("toxiproxy has latency(d) and reset[(d)] here, not %s", f.Action)
	}
	t.delay = f.Action.Delay.Std()
	switch {
	case f.Operation != "" || f.Exchange != 0:
		return t, fmt.Errorf("a toxic acts on connections and knows no operation and no index: write %s:tcp:%s", f.Link, f.Action)
	case t.delay%time.Millisecond != 0:
		return t, fmt.Errorf("toxiproxy counts whole milliseconds, not %s", t.delay)
	}
	return t, nil
}

func (t toxic) attributes() map[string]any {
	return map[string]any{t.field: t.delay.Milliseconds()}
}
