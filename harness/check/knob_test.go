package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// in turns knobs of a story's dialect.
func in(turn func(*harness.Dialect), s *story) *story {
	turn(&s.header.Dialect)
	return s
}

// keyless and the like turn one knob each.
func keyless(d *harness.Dialect)     { d.Missing = harness.MissingKey{Execute: true} }
func firstLine(d *harness.Dialect)   { d.DuplicateHeader = "first" }
func quoted(d *harness.Dialect)      { d.KeySyntax = "structured" }
func waits(d *harness.Dialect)       { d.InProgress = harness.InProgress{Mode: "wait"} }
func successOnly(d *harness.Dialect) { d.Store = "2xx" }
func current(d *harness.Dialect)     { d.ReplayBody = "current" }
func marks409(d *harness.Dialect) {
	d.Mismatch.Refusal, d.InProgress.Refusal = harness.Refusal{Statuses: []int{409}}, harness.Refusal{Statuses: []int{409}}
}
func keepsErrors(d *harness.Dialect) { d.Store, d.RetryableFailure = "all", "replay" }
func busyFirst(d *harness.Dialect)   { d.Precedence = "in-progress" }
func account(d *harness.Dialect)     { d.Scope = []string{"tenant"} }
func marker(d *harness.Dialect)      { d.ReplayMarker = "Idempotent-Replayed" }
func unnamed(d *harness.Dialect) {
	d.Missing, d.Malformed, d.Declined, d.KeyMax = harness.MissingKey{}, harness.Refusal{}, harness.Refusal{}, 0
}

func TestMissingKnob(t *testing.T) {
	ran := func() *story { return newStory().send("a", harness.Request{}, created).success("a") }
	judgeAll(t, MissingKey(All()),
		judged{"executes", in(keyless, ran()), harness.NotApplicable},
		judged{"does not say", in(unnamed, ran()), harness.NotApplicable},
	)
	judgeAll(t, Unless(KeyOptional, NoEffect(All())),
		judged{"an effect without a key is meant", in(keyless, ran()), harness.NotApplicable},
		judged{"an effect without a key is not meant", ran(), harness.Fail},
	)
	// I1 and I3 are judged in either dialect.
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"a keyless success has its effects", in(keyless, ran()), harness.Pass},
		judged{"a blank key is none: two requests", in(keyless, newStory().send("a", keys(""), created).send("a", keys(""), created).success("a").success("a")), harness.Pass},
		judged{"a blank key is one, where keys are required", newStory().send("a", keys(""), created).send("a", keys(""), created).success("a").success("a"), harness.Fail},
	)
}

func TestMalformedKnobs(t *testing.T) {
	judgeAll(t, Malformed(All()),
		judged{"no status is named", in(unnamed, newStory().send("a", keys("k\x01"), created)), harness.NotApplicable},
		judged{"the status of the dialect", in(func(d *harness.Dialect) { d.Malformed.Statuses = []int{418} }, newStory().send("a", keys("k\x01"), harness.Answer{Status: 418})), harness.Pass},
		judged{"another one", in(func(d *harness.Dialect) { d.Malformed.Statuses = []int{418} }, newStory().send("a", keys("k\x01"), invalid)), harness.Fail},
		judged{"of two lines the first counts", in(firstLine, newStory().send("a", keys("k", "k"), created)), harness.Inconclusive},
		judged{"of two lines the first is malformed", in(firstLine, newStory().send("a", keys("k\x01", "k"), created)), harness.Fail},
		judged{"a blank line is no key", in(keyless, newStory().send("a", keys(" "), created)), harness.Inconclusive},
		judged{"a structured key is fine", in(quoted, newStory().send("a", keys(`"k"`), created)), harness.Inconclusive},
		judged{"a raw key is malformed there", in(quoted, newStory().send("a", keys("k"), created)), harness.Fail},
		judged{"and refused", in(quoted, newStory().send("a", keys("k"), invalid)), harness.Pass},
		judged{"an empty string is too short", in(quoted, newStory().send("a", keys(`""`), created)), harness.Fail},
		judged{"128 characters and their quotes are fine", in(quoted, newStory().send("a", keys(`"`+strings.Repeat("x", 128)+`"`), created)), harness.Inconclusive},
		judged{"129 are not", in(quoted, newStory().send("a", keys(`"`+strings.Repeat("x", 129)+`"`), created)), harness.Fail},
		judged{"nothing is too long", in(func(d *harness.Dialect) { d.KeyMax = 0 }, newStory().send("a", keys(strings.Repeat("x", 4000)), created)), harness.Inconclusive},
	)
	judgeAll(t, GoodKeyExecutes(All()),
		judged{"a quoted key executes", in(quoted, newStory().send("a", keys("k"), invalid).send("a", keys(`"k"`), created)), harness.Pass},
		judged{"the first of two lines executes", in(firstLine, newStory().send("a", keys("k", "l"), created)), harness.Pass},
		judged{"no status is named", in(unnamed, newStory().send("a", keyK, created)), harness.NotApplicable},
	)
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"two lines and the first of them are one key", in(firstLine, newStory().send("a", keys("k", "l"), created).send("a", keyK, created).success("a")), harness.Pass},
		judged{"two lines are another key", newStory().send("a", keys("k", "l"), created).send("a", keyK, created).success("a"), harness.Fail},
	)
}

func TestKeyLengthKnobs(t *testing.T) {
	for _, row := range []struct {
		name     string
		turn     func(*harness.Dialect)
		excluded Exclusion
		out      bool
	}{
		{"bounds of the requirements", func(*harness.Dialect) {}, BoundsUnproven, false},
		{"no longest key", func(d *harness.Dialect) { d.KeyMax = 0 }, BoundsUnproven, true},
		{"a used key would not show", func(d *harness.Dialect) { d.Mismatch.Mode = "replay" }, BoundsUnproven, true},
		{"nobody used so long a key", func(d *harness.Dialect) { d.Mismatch.Mode, d.KeyMin = "replay", 36 }, BoundsUnproven, false},
		{"overlong keys", func(*harness.Dialect) {}, OverlongUnnamed, false},
		{"overlong keys without a bound", func(d *harness.Dialect) { d.KeyMax = 0 }, OverlongUnnamed, true},
		{"overlong keys without a status", unnamed, OverlongUnnamed, true},
	} {
		d := newStory().header.Dialect
		row.turn(&d)
		if got := row.excluded(d); (got != "") != row.out {
			t.Errorf("%s: %q", row.name, got)
		}
	}
	judgeAll(t, ExecutesAndReplays(All()),
		judged{"another body, the same order", in(current, repeated(created, harness.Answer{Status: 201, OrderID: "o1", BodySHA256: "later"})), harness.Pass},
		judged{"another order", in(current, repeated(created, harness.Answer{Status: 201, OrderID: "o2"})), harness.Fail},
		judged{"in use before the run, told by status alone", in(marks409, newStory().send("a-1", keyK, busy).send("a-2", keys("l"), created).send("a-2", keys("l"), created)), harness.Pass},
	)
}

func TestMismatchKnobs(t *testing.T) {
	first := func() *story { return newStory().send("a", keyK, created) }
	// held sends another body while the first request is held, and again after it.
	held := func(meanwhile *harness.Answer, later harness.Answer) *story {
		s := newStory()
		op := s.invoke("a", keyK)
		s.mark("a", MarkHeld)
		if other := s.invoke("a", keyKOther); meanwhile != nil {
			s.answer(other, *meanwhile)
		} else {
			s.lose(other)
		}
		return s.mark("a", MarkReleased).answer(op, created).send("a", keyKOther, later)
	}
	both := func(d *harness.Dialect) { waits(d); busyFirst(d) }
	judgeAll(t, MismatchRefused(All()),
		judged{"replay", in(func(d *harness.Dialect) { d.Mismatch = harness.Mismatch{Mode: "replay"} }, first().send("a", keyKOther, created)), harness.NotApplicable},
		judged{"execute", in(func(d *harness.Dialect) { d.Mismatch = harness.Mismatch{Mode: "execute"} }, first().send("a", keyKOther, created)), harness.NotApplicable},
		judged{"bodies are not compared", in(func(d *harness.Dialect) { d.Fingerprint = "none" }, first().send("a", keyKOther, created)), harness.NotApplicable},
		judged{"another status set", in(func(d *harness.Dialect) { d.Mismatch.Refusal = harness.Refusal{Statuses: []int{400, 422}} }, first().send("a", keyKOther, harness.Answer{Status: 422})), harness.Pass},
		judged{"the status without its code", first().send("a", keyKOther, harness.Answer{Status: 409}), harness.Fail},
		judged{"one 409 for both", in(marks409, first().send("a", keyKOther, harness.Answer{Status: 409})), harness.Pass},
		judged{"the mismatch comes first", held(&busy, conflict), harness.Fail},
		judged{"in progress comes first", in(busyFirst, held(&busy, conflict)), harness.Pass},
		judged{"in progress first, and then executed", in(busyFirst, held(&busy, created)), harness.Fail},
		judged{"in progress first, executed at once", in(busyFirst, held(&created, conflict)), harness.Fail},
		judged{"in progress for ever", in(busyFirst, held(&busy, busy)), harness.Fail},
		judged{"it waits like everybody", in(both, held(nil, conflict)), harness.Pass},
		judged{"it waits and is executed", in(both, held(nil, created)), harness.Fail},
		judged{"it must not wait", held(nil, conflict), harness.Inconclusive},
	)
	// Whatever the dialect says, a key that has two effects breaks I1 and I2.
	execute := func(d *harness.Dialect) { d.Mismatch = harness.Mismatch{Mode: "execute"} }
	twice := func() *story {
		return in(execute, first().success("a").send("a", keyKOther, harness.Answer{Status: 201, OrderID: "o2"}).success("a"))
	}
	judgeAll(t, AtMostOnce(All()), judged{"executed twice", twice(), harness.Fail})
	judgeAll(t, SameOrderID(All(), 1), judged{"two orders", twice(), harness.Fail})
}

func TestInProgressKnobs(t *testing.T) {
	other := created
	other.OrderID = "o2"
	judgeAll(t, LosersConverge(All()),
		judged{"everybody waited", in(waits, repeated(created, created, created)), harness.Pass},
		judged{"one waited for another order", in(waits, repeated(created, other)), harness.Fail},
		judged{"nobody else came", in(waits, repeated(created)), harness.Inconclusive},
		judged{"one case without anybody else", in(waits, repeated(created, created).send("b", keyK, created)), harness.Inconclusive},
		judged{"one gave up and never came back", in(waits, func() *story {
			s := repeated(created, created)
			return s.lose(s.invoke("a", keyK))
		}()), harness.Fail},
		judged{"waiting is not told where duplicates are refused", repeated(created, created), harness.Inconclusive},
		judged{"the current body will do", in(current, repeated(busy, created).send("a", keyKFinal, harness.Answer{Status: 201, OrderID: "o1", BodySHA256: "later"})), harness.Pass},
	)
	judgeAll(t, InProgressRefused(All()), judged{"it is not known", in(func(d *harness.Dialect) { d.InProgress.Mode = "any" }, repeated(created)), harness.NotApplicable})
}

func TestStoreKnob(t *testing.T) {
	down := harness.Answer{Status: 500}
	for _, store := range []string{"all", "terminal", "non5xx"} {
		keeps := func(d *harness.Dialect) { d.Store = store }
		judgeAll(t, SameStatusReplayed(All(), 1),
			judged{store + ": a decline is kept", in(keeps, repeated(declined, created)), harness.Fail},
			judged{store + ": a server error is not", in(keeps, repeated(down, created, created)), harness.Pass},
		)
	}
	judgeAll(t, SameStatusReplayed(All(), 1),
		judged{"2xx: a decline is not kept", in(successOnly, repeated(declined, created, created)), harness.Pass},
		judged{"2xx: a success is", in(successOnly, repeated(created, declined)), harness.Fail},
		judged{"all: a server error is kept", in(keepsErrors, repeated(down, down)), harness.Pass},
		judged{"all: a kept server error does not become a success", in(keepsErrors, repeated(down, created)), harness.Fail},
	)
	judgeAll(t, Unless(DeclineNotStored, SameStatusReplayed(All(), 1)), judged{"2xx: nothing is said of declines", in(successOnly, repeated(declined, created)), harness.NotApplicable})
	judgeAll(t, Declined(All()), judged{"no decline is named", in(unnamed, repeated(harness.Answer{Status: 400})), harness.NotApplicable})
	judgeAll(t, BecomesTerminal(All()),
		judged{"a server error is open", repeated(down), harness.Inconclusive},
		judged{"a kept server error ends the key", in(keepsErrors, repeated(down)), harness.Pass},
	)
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"a kept failure that charged is an orphan", in(keepsErrors, repeated(down).effect("a", "charge")), harness.Fail},
	)
}

func TestReplayKnobs(t *testing.T) {
	later := harness.Answer{Status: 201, OrderID: "o1", BodySHA256: "later"}
	replay := created
	replay.Header = map[string][]string{"Idempotent-Replayed": {"true"}}
	denies := created
	denies.Header = map[string][]string{"idempotent-replayed": {"false"}}
	judgeAll(t, OriginalResponseReplayed(All(), 1),
		judged{"the current body", in(current, repeated(created, later)), harness.NotApplicable},
		judged{"a marked replay", in(marker, repeated(created, replay)), harness.Pass},
		judged{"an unmarked replay", in(marker, repeated(created, created)), harness.Fail},
		judged{"a replay that denies it", in(marker, repeated(created, denies)), harness.Fail},
		judged{"no marker is asked for", repeated(created, created), harness.Pass},
		judged{"refused as another body, which it is not", repeated(created, conflict), harness.Fail},
	)
	judgeAll(t, SameOrderID(All(), 1),
		judged{"the order stays whatever the body", in(current, repeated(created, harness.Answer{Status: 201, OrderID: "o2"})), harness.Fail},
	)
}

func TestScopeKnob(t *testing.T) {
	bob := harness.Request{Keys: []string{"k"}, Principal: "bob", Tenant: "t1"}
	carol := harness.Request{Keys: []string{"k"}, Principal: "carol", Tenant: "t2"}
	alice := harness.Request{Keys: []string{"k"}, Tenant: "t1"}
	own := harness.Answer{Status: 201, OrderID: "o2", RequestID: "r2"}
	judgeAll(t, ScopesIndependent(All(), 2),
		judged{"an account shares its order", in(account, newStory().send("a", alice, created).send("a", bob, created)), harness.Pass},
		judged{"an account may as well not", in(account, newStory().send("a", alice, created).send("a", bob, own)), harness.Pass},
		judged{"nobody of it gets two", in(account, newStory().send("a", alice, created).send("a", bob, own).send("a", bob, created)), harness.Fail},
		judged{"nor is anybody refused", in(account, newStory().send("a", alice, created).send("a", bob, conflict)), harness.Fail},
		judged{"no dialect mixes tenants", in(func(d *harness.Dialect) { d.Scope = nil }, newStory().send("a", alice, created).send("a", carol, created)), harness.Fail},
		judged{"tenants apart", in(account, newStory().send("a", alice, created).send("a", carol, own)), harness.Pass},
	)
	judgeAll(t, Unless(NotScopedBy("principal"), ScopesIndependent(All(), 2)),
		judged{"an account", in(account, newStory().send("a", alice, created).send("a", bob, created)), harness.NotApplicable},
		judged{"scoped by principal", newStory().send("a", alice, created).send("a", bob, created), harness.Fail},
	)
	judgeAll(t, EffectsMatchSuccesses(All()),
		judged{"one set of effects for an account", in(account, newStory().send("a", alice, created).send("a", bob, created).success("a")), harness.Pass},
	)
}

func TestProviderKeysOfQuotedKeys(t *testing.T) {
	client := harness.Request{Keys: []string{`"client-key"`}}
	judgeAll(t, ProviderKeys(All()),
		judged{"the caller's key without its quotes", in(quoted, newStory().send("a", client, created).charge("a", "charge:client-key", before, 0).charge("a", "charge:client-key", "", 201).charge("b", "p2", "", 201)), harness.Fail},
	)
}
