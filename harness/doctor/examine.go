package doctor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// examination is one run of the doctor.
type examination struct {
	subject Subject
	options Options
	report  Report
	caller  *harness.Target // what sends
	states  map[harness.Capability]Claim
	seen    map[string]sight // by principal, "" without credentials
	made    *harness.Answer  // of the first customer's plain checkout, if it succeeded
	plains  []harness.Answer // of all plain checkouts that succeeded
	reads   []harness.Answer // of status reads of the first
	let     map[string]bool  // principals that were let in (true) or refused (false)
	sent    int
	links   *links // nil while nobody watches them
	run     string // marks what this examination sends
}

// sight is what a principal's harmless request brought.
type sight struct {
	answer harness.Answer
	err    error
}

// Examine looks at everything that the profile declares. The error is a
// cancelled context's; whatever else goes wrong is a line of the report.
func Examine(ctx context.Context, s Subject, catalogue harness.Catalogue, o Options) (Report, error) {
	x := &examination{subject: s, options: o, states: map[harness.Capability]Claim{}, seen: map[string]sight{}, let: map[string]bool{}, run: runMark()}
	x.report = Report{Target: s.Info.Name, URL: s.URL, Findings: []Finding{}, Capabilities: []Claim{}, Costs: []Cost{}}
	x.profile()
	if undo := x.reach(ctx); undo != nil {
		x.look(ctx)
		x.undo(ctx, undo)
	}
	if ctx.Err() != nil {
		return x.report, fmt.Errorf("examine %s: %w%s", s.Info.Name, context.Cause(ctx), x.left())
	}
	x.policy()
	x.claims()
	x.report.Costs = costs(catalogue, s, x.broken())
	x.report.exit()
	return x.report, nil
}

// left says what an interruption must not hide: that the target is not as it was.
func (x *examination) left() string {
	for _, f := range x.report.Findings {
		if f.Status == Broken && strings.Contains(f.Detail, harness.NotPutBack) {
			return "; " + f.Detail + ": " + f.Next
		}
	}
	return ""
}

// look goes through all that needs the target. Each step says what it found; the
// first one ends it where nothing answers as an API would.
func (x *examination) look(ctx context.Context) {
	if !x.answers(ctx) {
		return
	}
	x.principals()
	x.distinct()
	x.keyless(ctx)
	x.effects(ctx)
	x.dependencies(ctx)
	x.client(ctx)
	x.gateway(ctx)
	if x.options.Send {
		x.checkouts(ctx)
	}
	x.statusRoute(ctx)
	x.responses()
	x.unguarded()
	x.toldTime()
	if x.options.Send {
		x.tries(ctx)
	} else {
		x.control(ctx)
	}
}

// undo closes what was opened, also after an interruption.
func (x *examination) undo(ctx context.Context, undo func(context.Context) error) {
	if err := undo(context.WithoutCancel(ctx)); err != nil {
		x.add("reach", Hint, "", "leaving the target as it was: %v", err)
	}
}

func runMark() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "doctor-" + hex.EncodeToString(b[:])
}

func (x *examination) add(subject string, s Status, next, format string, args ...any) {
	x.report.Findings = append(x.report.Findings, Finding{Subject: subject, Status: s, Detail: fmt.Sprintf(format, args...), Next: next})
}

// say notes what is known of a capability; what does not work is never taken
// back.
func (x *examination) say(c harness.Capability, s State, reason string) {
	if x.states[c].State != NotWork {
		x.states[c] = Claim{Name: c, State: s, Reason: reason}
	}
}

func (x *examination) claimed(c harness.Capability) bool {
	for _, have := range x.subject.Info.Capabilities {
		if have == c {
			return true
		}
	}
	return false
}

func (x *examination) profile() {
	i := x.subject.Info
	var names []string
	for _, p := range i.Principals {
		names = append(names, p.Name)
	}
	x.add("profile", OK, "", "valid: dialect %s, requirements %s, principals %s", i.Dialect.Name, i.Requirements, strings.Join(names, " "))
}

// request sends one attempt under names that nobody else uses.
func (x *examination) request(ctx context.Context, a harness.Attempt) (harness.Answer, error) {
	x.sent++
	id := fmt.Sprintf("%s-%d", x.run, x.sent)
	given := a.Vars
	a.Vars = map[string]any{}
	for name, value := range map[string]any{"cart": "cart-" + id, "reference": "cart-" + id, "amount": x.amount(), "correlationId": "corr-" + id, "requestId": newID(), "orderId": newID()} {
		a.Vars[name] = value
	}
	maps.Copy(a.Vars, given)
	a.CaseID, a.RunID, a.CorrelationID, a.Number = x.run, x.run, "corr-"+id, x.sent
	if a.Keys == nil {
		a.Keys = []string{}
	}
	x.links.follow(id, a.Vars)
	ctx, cancel := context.WithTimeoutCause(ctx, requestLimit, fmt.Errorf("no answer within %s", requestLimit))
	defer cancel()
	_, answer, err := x.caller.Sender.Send(ctx, a)
	return answer, err
}

// requestLimit is beyond the 30 s that a checkout may take.
const requestLimit = 35 * time.Second

// amount is unique in the examination, so that a ledger that keeps only amounts
// can be read, too.
func (x *examination) amount() int64 { return 70_000 + time.Now().Unix()%10_000*10 + int64(x.sent) }

// newID is an id that nobody has, in the form of a UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// shown is an answer in a few words.
func shown(a harness.Answer) string { return strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, a.Code)) }
