package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// timeline is a story whose events happen at times in seconds, of a target with
// the required policy.
type timeline struct {
	*story
	ops map[string]string // by case, the request under way
}

func newTimeline() *timeline {
	s := newStory()
	s.header.Policy, s.header.Scale, s.header.Requirements = harness.RequiredPolicy(), 1, "srs"
	s.header.Links = []harness.LinkInfo{
		{Name: "bank", Optional: true, Operations: []harness.OperationInfo{{Name: "transfer", Effect: "charge", Keyless: true}}},
		{Name: "inventory", Operations: []harness.OperationInfo{{Name: "reserve", Effect: "reservation"}}},
		{Name: "orders", Operations: []harness.OperationInfo{{Name: "create", Effect: "order"}}},
		{Name: "payment", Operations: []harness.OperationInfo{{Name: "charge", Effect: "charge"}, {Name: "query", Query: true}}},
	}
	return &timeline{story: s, ops: map[string]string{}}
}

// scaled divides the policy of the target, as we do where it would take too long.
func (t *timeline) scaled(by float64) *timeline {
	t.header.Policy, t.header.Scale = t.header.Policy.Scaled(by), by
	return t
}

func (t *timeline) last(at float64) *timeline {
	e := &t.events[len(t.events)-1]
	e.At = time.Duration(at * float64(time.Second))
	if e.Call != nil {
		e.Call.Started = e.At
	}
	return t
}

func (t *timeline) plans(c string, faults ...string) *timeline {
	for _, f := range faults {
		t.plan(c, f)
		t.last(0)
	}
	return t
}

func (t *timeline) asks(at float64, c string) *timeline {
	t.ops[c] = t.invoke(c, keyK)
	return t.last(at)
}

func (t *timeline) told(at float64, c string, a harness.Answer) *timeline {
	t.answer(t.ops[c], a)
	return t.last(at)
}

func (t *timeline) cut(at float64, c string) *timeline {
	t.lose(t.ops[c])
	return t.last(at)
}

func (t *timeline) calls(at float64, c, link, operation string, call harness.Call) *timeline {
	call.Link, call.Operation = link, operation
	if call.Method == "" {
		call.Method = "POST"
	}
	t.call(c, call)
	return t.last(at)
}

// paid is a payment that was made and not answered.
func (t *timeline) paid(at float64, c string) *timeline {
	return t.calls(at, c, "payment", "charge", harness.Call{Key: "p", Fault: "payment/charge#3:after-commit:stall", Upstream: 201})
}

func (t *timeline) reads(at float64, c, state string) *timeline {
	t.send(c, statusRead, harness.Answer{Status: 200, RequestID: "r1", State: state, JSON: true})
	t.last(at)
	return t
}

func (t *timeline) marked(at float64, c, name string) *timeline {
	t.mark(c, name)
	return t.last(at)
}

var (
	pendingR1     = harness.Answer{Status: 202, RequestID: "r1", State: "PENDING", JSON: true}
	unavailableR1 = harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE", RequestID: "r1", JSON: true}
)

// keepsBusy plans what keeps a checkout of three calls and a query busy for 34 s.
func (t *timeline) keepsBusy(c string) *timeline {
	faults := []string{"payment/charge#1:delay(4s,503)", "payment/charge#*:after-commit:stall"}
	for _, op := range []string{"inventory/reserve", "orders/create", "payment/query"} {
		faults = append(faults, op+"#1:delay(4s,503)", op+"#2:delay(4.5s)")
	}
	return t.plans(c, faults...)
}

func TestTimelineTimes(t *testing.T) {
	s := newTimeline().asks(1, "a").told(2.5, "a", created)
	if got := s.events[1].At - s.events[0].At; got != 1500*time.Millisecond {
		t.Fatalf("the request took %s", got)
	}
}
