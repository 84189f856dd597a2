package observe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Knob is something that was learned.
type Knob struct {
	Key   string // of the profile
	Value string // as YAML
	Seen  string // in which answer
}

// Gap is something that was not learned.
type Gap struct {
	Key string
	Why string
	Do  string // what to fill in by hand
}

// Findings are what the observation brought.
type Findings struct {
	Options Options
	Base    string // preset that the profile begins with
	Knobs   []Knob // of the dialect, those in which the base is wrong
	Agreed  []Knob // of the dialect, those that were seen to be as in the base
	Further []Knob // of the rest of the profile
	Gaps    []Gap
	Sent    int
}

// errSpent ends a step that would send too much.
var errSpent = errors.New("the " + strconv.Itoa(MaxRequests) + " requests that are sent at most were used up")

// observer is one observation.
type observer struct {
	o      Options
	target *harness.Target
	undo   func(context.Context) error
	header string // other name of the key's header than the base's, if any
	status []string
	base   harness.Dialect // in which keys are written
	run    string
	sent   int
	// replayed is the checkout that was made and repeated.
	replayed cart
	saw      saw
	gaps     []Gap
}

// saw holds the answers that the dialect is learned from; nil was not seen.
type saw struct {
	first, replay            *harness.Answer
	mismatch, missing        *harness.Answer
	malformed                []harness.Answer // refusals only
	longest, shortestRefused int              // lengths of keys
	duplicate                *harness.Answer
	loser                    *harness.Answer
	statusPath               string
	stranger, strangersKey   *harness.Answer
	requestPath, orderPath   string
}

// Observe sends its requests and returns what they show. An error means that not
// even one plain checkout was possible, so that nothing can be learned.
func Observe(ctx context.Context, o Options) (Findings, error) {
	x := &observer{o: o, base: o.Presets[0], run: "init-" + newID()[:8]}
	for _, d := range o.Presets {
		if d.Name == o.Dialect {
			x.base = d
		}
	}
	if err := x.open(ctx); err != nil {
		return Findings{}, err
	}
	defer func() { _ = x.undo(context.WithoutCancel(ctx)) }() // nothing of the target was changed by opening it
	if err := x.plain(ctx); err != nil {
		return Findings{}, err
	}
	for _, step := range []func(context.Context) error{
		x.mismatched, x.keyless, x.malformed, x.doubled, x.statusRoute, x.stranger, x.together, x.lengths,
	} {
		if err := step(ctx); err != nil && !errors.Is(err, errSpent) {
			return Findings{}, err
		}
		if ctx.Err() != nil {
			return Findings{}, fmt.Errorf("observe %s: %w", o.URL, context.Cause(ctx))
		}
	}
	return x.findings(), nil
}

// open opens the target with what is known so far.
func (x *observer) open(ctx context.Context) error {
	if x.undo != nil {
		if err := x.undo(ctx); err != nil {
			return fmt.Errorf("observe %s: close what was opened: %w", x.o.URL, err)
		}
		x.undo = nil
	}
	target, undo, err := x.o.Open(ctx, x.provisional())
	if err != nil {
		x.undo = func(context.Context) error { return nil }
		return err
	}
	x.target, x.undo = target, undo
	return nil
}

// send sends one request, unless too much was sent already.
func (x *observer) send(ctx context.Context, a harness.Attempt) (harness.Answer, error) {
	if x.sent >= MaxRequests {
		return harness.Answer{}, errSpent
	}
	x.sent++
	a.RunID, a.CaseID, a.Number = x.run, x.run, x.sent
	a.CorrelationID = fmt.Sprintf("corr-%s-%d", x.run, x.sent)
	if a.Keys == nil {
		a.Keys = []string{}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, requestLimit, fmt.Errorf("no answer within %s", requestLimit))
	defer cancel()
	_, answer, err := x.target.Sender.Send(ctx, a)
	return answer, err
}

// requestLimit is beyond the 30 s that a checkout may take.
const requestLimit = 35 * time.Second

// cart is a checkout that can be sent more than once.
type cart struct {
	key  string
	vars map[string]any
}

func (x *observer) cart() cart {
	return cart{key: newID(), vars: x.vars("cart-"+newID(), 40_000+10*int64(x.sent)+time.Now().Unix()%1000*1000)}
}

func (x *observer) vars(reference string, amount int64) map[string]any {
	return map[string]any{"cart": reference, "reference": reference, "amount": amount, "correlationId": "corr-" + x.run}
}

// checkout sends the cart under its key as the identity.
func (x *observer) checkout(ctx context.Context, c cart, who int) (harness.Answer, error) {
	return x.send(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(who), Keys: []string{x.base.KeyLine(c.key)}, Vars: c.vars})
}

func (x *observer) name(who int) string {
	if who < len(x.o.Identities) {
		return x.o.Identities[who].Name
	}
	return "alice" // without credentials
}

func (x *observer) gap(key, why, do string) { x.gaps = append(x.gaps, Gap{Key: key, Why: why, Do: do}) }

// newID is a fresh key or reference in the form of a UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
