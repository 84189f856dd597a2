package harness

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Session is what a scenario drives: it owns the recorder, the cases and the
// faults of one experiment, and records all that happens.
type Session struct {
	target *Target
	run    *runState
	id     string
	rec    *Recorder
	rand   *rand.Rand
	since  int64 // ledger position when the session began

	exclusive  bool          // no other scenario uses the target meanwhile
	clientOnly bool          // no other scenario uses the client meanwhile; the target they may
	limit      time.Duration // of the scenario or series
	sparse     bool          // it makes calls without number: only what is judged is recorded of them

	mu       sync.Mutex
	cases    []*Case
	faults   []*Injected
	faultsOf map[*Case][]*Injected // the same, by case
	peers    []*Dependency         // the scripted ones
	changes  []*change             // to the target itself, in order
	asked    map[string]string     // cases by the correlation ids of calls that brought their own
	named    map[string]string     // cases by the request ids that they were answered
	orders   map[string]string     // order ids by the request ids that they were answered with
	here     presence              // of the target, as far as the scenario decides it
	lastOp   int
	over     bool            // the history is closed
	told     int             // calls that the links told of
	hungUp   map[string]int  // exchanges on the client link whose callers left, by case
	gone     bool            // the target was found unreachable
	spoiled  bool            // the run's limits kept it from what it needs
	helpless map[string]bool // principals it wanted that do not work
	repeated bool            // its scenario was carried out before in this run
	claim    *Case           // for which controls are tried; nil in a scenario
	seen     []string        // what proved them
	plain    []Answer        // of the positive control's plain checkouts, if both succeeded
	logs     *LogReading     // of the positive control, from before its plain checkouts
	outbox   *outboxReading
	pending  map[attemptKey]*pendingAttempt
	order    []attemptKey
	leftOpen map[*Case]string // why nobody asks further for an outcome
}

// runState is what the sessions of one run share.
type runState struct {
	id       string
	on       string // which of the run's targets
	seed     uint64
	clock    Clock
	mu       sync.Mutex
	began    int64             // ledger position before the run
	cursor   int64             // highest ledger Seq read so far
	amount   int64             // last unique amount handed out
	owner    map[string]string // case by reference, correlation id and amount
	outbox   outboxOwners
	judged   map[Effect]bool // ledger entries that a history holds, but for their times
	lateness lateness
	left     []string // changes that could not be undone
	client   holder
	// unusable says why a principal does not work, by name. It is written before
	// the first scenario begins.
	unusable map[string]string
}

func (r *runState) leave(what string) {
	r.mu.Lock()
	r.left = append(r.left, what)
	r.mu.Unlock()
}

func (r *runState) own(c *Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owner[c.Cart], r.owner[c.CorrelationID], r.owner[strconv.FormatInt(c.Amount, 10)] = c.ID, c.ID, c.ID
}

func newSession(t *Target, run *runState, scenario string, rec *Recorder) *Session {
	h := fnv.New64a()
	_, _ = h.Write([]byte(scenario))
	return &Session{
		target: t, run: run, id: scenario, rec: rec,
		rand:  rand.New(rand.NewPCG(run.seed, h.Sum64())),
		since: run.ledgerCursor(), limit: scenarioLimit, outbox: run.outbox.reading(),
		faultsOf: map[*Case][]*Injected{}, asked: map[string]string{}, named: map[string]string{}, orders: map[string]string{}, pending: map[attemptKey]*pendingAttempt{}, helpless: map[string]bool{}, hungUp: map[string]int{},
	}
}

// Target returns what the profile declares.
func (s *Session) Target() TargetInfo { return s.target.Info }

// Rand returns the scenario's stream of random choices, a function of the run's
// seed and the scenario's id. It is not safe for concurrent use.
func (s *Session) Rand() *rand.Rand { return s.rand }

// Note records a milestone that a check or a reader may want. A detail is one
// line: errors that were joined stand on lines of their own.
func (s *Session) Note(c *Case, name, detail string, count map[string]int64) {
	detail = strings.ReplaceAll(detail, "\n", "; ")
	s.rec.Append(Event{Type: MarkEvent, Case: caseID(c), Mark: &Mark{Name: name, Detail: detail, Count: count}})
}

// Case is one experiment of a scenario: a key and a cart that nobody else uses,
// and the values by which exchanges and effects are attributed to it.
type Case struct {
	ID            string
	Label         string // within the scenario: "payment-after-commit"
	Key           string // a fresh UUID, sent as the dialect writes keys; a scenario may send others
	Cart          string
	CorrelationID string
	Amount        int64 // unique in the run, minor units

	mu       sync.Mutex
	attempts int
	inFlight int
	webhooks int
}

func caseID(c *Case) string {
	if c == nil {
		return ""
	}
	return c.ID
}

// Case opens a case. Labels must be unique within the scenario.
func (s *Session) Case(label string) *Case {
	s.run.mu.Lock()
	s.run.amount += 10 // room for bodies that differ in the amount
	amount := s.run.amount
	s.run.mu.Unlock()
	c := &Case{
		ID: s.id + "/" + label, Label: label, Amount: amount,
		Key:           s.unique("key", label),
		Cart:          "cart-" + s.unique("cart", label),
		CorrelationID: "corr-" + s.unique("correlation", label),
	}
	s.mu.Lock()
	s.cases = append(s.cases, c)
	s.mu.Unlock()
	s.run.own(c)
	if s.target.Journal != nil {
		values := []string{c.ID, c.Cart, c.CorrelationID, fmt.Sprint(c.Amount)}
		s.run.keepFollowing(s.target.Journal.Follow(c.ID, values, func(call Call) { s.sawCall(c, call) }))
	}
	return c
}

// Key returns another key that is unique to the run, for scenarios that need
// more than one in a case. It is a UUID.
func (s *Session) Key(label string) string { return s.unique("key", label) }

// unique derives a UUID from the run, the scenario and the label: the same run
// id repeats it, another run never meets it, whatever the seed. Nor does the
// scenario carried out once more: the target still holds what the first one left.
func (s *Session) unique(kind, label string) string {
	text := s.run.id + "\x00" + s.id + "\x00" + kind + "\x00" + label
	if s.run.on != "" {
		text += "\x00" + s.run.on
	}
	if s.repeated {
		text += "\x00repeated"
	}
	return uuidOf(text)
}

// Result is what one attempt brought.
type Result struct {
	Op     string
	Seq    int64   // of the completing event
	Sent   Request // as it went out; its body is not redacted
	Answer Answer
	Err    error // nil if a complete answer arrived
	Class  Class // of the answer, ClassUnknown with an error

	waited time.Duration // for the run's limits, before it was sent
}

// Send sends one attempt for the case and records it. The case's key, cart,
// amount and correlation id are used unless the attempt brings its own; to send
// no key, set Keys to an empty, non-nil slice.
func (s *Session) Send(ctx context.Context, c *Case, a Attempt) Result {
	return s.send(ctx, c, a, false)
}

func (s *Session) send(ctx context.Context, c *Case, a Attempt, final bool) Result {
	asked, beside := time.Now(), c.busy()
	admitted, release, err := s.admit(ctx, 1, beside)
	if err != nil {
		return s.attempt(ctx, c, a, final, err)
	}
	defer release()
	waited := time.Since(asked)
	beside = !final && (beside || c.busy())
	r := s.attempt(admitted, c, a, final, nil)
	r.waited = waited
	s.delayed(ctx, c, waited, beside, r.Err)
	return r
}

// attempt sends an attempt that the run's limits let through, and records it.
// One that they held back is recorded as never sent.
func (s *Session) attempt(ctx context.Context, c *Case, a Attempt, final bool, held error) Result {
	c.enter()
	defer c.leave()
	s.fill(c, &a)
	s.ownsEvents(c, a.CorrelationID)
	s.mu.Lock()
	s.lastOp++
	op := fmt.Sprintf("op-%d", s.lastOp)
	s.mu.Unlock()
	if a.Named != "" {
		op = a.Named
	}

	// The invoke is recorded before anything is sent: a history must never show
	// an answer to a question it does not contain.
	intent := Request{Operation: a.Operation, Principal: a.Principal, Keys: a.Keys, Variant: a.Variant,
		Reference: c.Cart, Amount: c.Amount, CorrelationID: a.CorrelationID, Attempt: a.Number, Final: final,
		Unset: a.Unset, Spelling: a.Spelling, Refreshed: a.Refreshed, Instance: a.Instance, KeyName: a.KeyName,
		Headers: slices.Sorted(maps.Keys(a.Header))}
	if p, ok := s.target.Info.Principal(a.Principal); ok {
		intent.Tenant = p.Tenant
	}
	if !a.Due.IsZero() {
		intent.Due = s.run.clock.Since(a.Due)
	}
	invoke := s.rec.Append(Event{Type: Invoke, Case: c.ID, Op: op, Request: &intent})
	started, before := time.Now(), s.presence()
	limited, cancel := context.WithTimeoutCause(ctx, s.patience(), fmt.Errorf("no answer within %s", s.patience()))
	defer cancel()
	if held == nil {
		held = s.mayCall(c, "")
	}
	if held == nil {
		held = s.usable(c, a.Principal)
	}
	sent, answer, err := Request{}, Answer{}, held
	if held == nil {
		sent, answer, err = s.target.Sender.Send(limited, a)
	}
	took := time.Since(started)

	sent.Operation, sent.Principal, sent.Tenant, sent.Keys = intent.Operation, intent.Principal, intent.Tenant, intent.Keys
	sent.Variant, sent.Reference, sent.Amount = intent.Variant, intent.Reference, intent.Amount
	sent.KeyName, sent.Headers = intent.KeyName, intent.Headers
	sent.Unset, sent.Spelling, sent.Refreshed, sent.Due = intent.Unset, intent.Spelling, intent.Refreshed, intent.Due
	sent.Instance = intent.Instance
	sent.CorrelationID, sent.Attempt, sent.Final = intent.CorrelationID, intent.Attempt, final
	r := Result{Op: op, Sent: sent, Answer: answer, Err: err}
	done := Event{Case: c.ID, Op: op, Request: &sent}
	switch {
	case err == nil:
		done.Type, done.Answer = OK, s.kept(answer)
		r.Class = s.classify(c, a, sent, answer)
		s.names(c, a, answer)
	case errors.Is(err, ErrNotSent):
		done.Type, done.Error = Failure, err.Error()
		switch {
		case errors.Is(err, errUnusable), errors.Is(err, errApart): // recorded already, and no fault of the target's
		case errors.Is(err, ErrWithheld):
			if !errors.Is(err, context.Canceled) { // whoever cancels does not blame the limits
				s.withheld(c, err.Error())
			}
		case errors.Is(err, ErrUnfilled):
			s.Note(c, MarkError, err.Error(), nil)
		case !outOfTime(ctx): // a caller out of time says nothing about the target
			s.lost(before, err)
		}
	default:
		done.Type, done.Error = Info, err.Error()
	}
	r.Seq = s.rec.Append(done)
	s.observeAtCaller(c, a, r, took)
	s.track(c, a, sent, r, invoke)
	return r
}

// patience is how long a caller waits for one answer: the target's own deadline
// and some more, so that the target has every chance to give its answer.
func (s *Session) patience() time.Duration {
	return s.target.Info.Policy.Checkout.Deadline.Std() + 5*time.Second
}

// The operations that every profile may declare; others go by the names in it.
const (
	OpCheckout = "checkout"
	OpStatus   = "status"
)

// Together sends n attempts that a barrier releases at once: every caller has
// its own connection and has sent all of its request but the last byte before
// any of them sends the rest. Results are in order of i. It fails if fewer than
// all callers reached the barrier. Where the run's limits do not allow n
// requests at once it fails before anything is sent.
func (s *Session) Together(ctx context.Context, c *Case, n int, attempt func(i int) Attempt) ([]Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]Result, n)
	// All callers are let through together and before any of them connects: one
	// that waited behind the others could never reach the barrier.
	ctx, free, err := s.admit(ctx, n, c.busy())
	if err != nil {
		for i := range results {
			results[i].Err = err
		}
		if !errors.Is(err, context.Canceled) {
			s.withheld(c, err.Error())
		}
		return results, fmt.Errorf("barrier of %d callers: %w", n, err)
	}
	defer free()
	if s.target.Meet != nil && n > 1 {
		s.target.Meet(c.ID, n)
	}
	release := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(n)
	early := make(chan int, n)
	for i := range n {
		a := attempt(i)
		var once sync.Once
		a.Ready = func() { once.Do(ready.Done) }
		a.Release = release
		done.Go(func() {
			results[i] = s.attempt(ctx, c, a, false, nil)
			once.Do(func() { early <- i; ready.Done() })
		})
	}
	ready.Wait()
	missing := len(early)
	if missing == 0 {
		s.Note(c, MarkBarrier, fmt.Sprintf("%d callers released together", n), map[string]int64{"callers": int64(n)})
	}
	close(release)
	done.Wait()
	if missing > 0 {
		return results, fmt.Errorf("barrier: %d of %d callers could not get ready, first error: %w", missing, n, results[<-early].Err)
	}
	return results, nil
}
