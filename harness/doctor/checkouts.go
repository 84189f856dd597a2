package doctor

import (
	"context"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// checkouts opens the target as a run does, with its dependencies on our
// addresses, makes one plain checkout as each customer, counts the effects of
// the first, and lets one payment be declined.
func (x *examination) checkouts(ctx context.Context) {
	whole, undo, err := x.subject.Open(ctx, Part{Kind: PartWhole})
	if err != nil {
		x.add("checkout", Untried, "mend what is broken first", "nothing was sent, since the target cannot be opened as a whole: %v", err)
		return
	}
	defer x.undo(ctx, undo)
	defer func(before *harness.Target) { x.caller = before }(x.caller)
	x.caller = whole
	x.watch(whole)
	for i, p := range x.customers() {
		if i == 0 {
			x.firstPlain(ctx, p.Name, whole.Probe)
		} else {
			x.plain(ctx, p.Name)
		}
		if ctx.Err() != nil {
			return
		}
	}
	x.calledAsDeclared()
	x.oneID()
	x.decline(ctx)
}

// oneID tells that orders cannot be told apart by the answers, if that is so in
// all of them.
func (x *examination) oneID() {
	if len(x.plains) == 0 || slices.ContainsFunc(x.plains, func(a harness.Answer) bool { return !harness.SameIDs(a) }) {
		return
	}
	hint := harness.SameIDsHint("every answer to a plain checkout")
	x.add(hint.About, Hint, hint.Next, "%s", hint.Text)
}

// firstPlain is the checkout of who acts where a scenario does not say: where it
// fails nothing can be proven at all.
func (x *examination) firstPlain(ctx context.Context, name string, probe harness.Probe) {
	var book *ledger
	if probe != nil {
		var err error
		if book, err = openLedger(ctx, probe); err != nil {
			x.claimBroken(harness.CapEffects, "effects", "", err.Error())
		}
	}
	answer, vars, problem := x.plain(ctx, name)
	if problem != "" {
		x.say(harness.CapCheckout, NotWork, problem)
		return
	}
	x.made = &answer
	x.say(harness.CapCheckout, Works, "")
	if book != nil {
		x.count(ctx, book, vars)
	}
}

func (x *examination) customers() []harness.Principal {
	return slices.DeleteFunc(slices.Clone(x.subject.Info.Principals), func(p harness.Principal) bool { return len(p.Roles) > 0 })
}

// keyed sends a checkout under a fresh key and returns the values by which its
// effects are known.
func (x *examination) keyed(ctx context.Context, principal, variant string) (harness.Answer, map[string]any, error) {
	vars := map[string]any{"cart": "cart-" + newID(), "amount": x.amount()}
	vars["reference"] = vars["cart"]
	a, err := x.request(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: principal, Variant: variant, Vars: vars,
		Keys: []string{x.subject.Info.Dialect.KeyLine(newID())}})
	return a, vars, err
}

// plain makes a plain checkout and says what was wrong with it, or "".
func (x *examination) plain(ctx context.Context, name string) (a harness.Answer, vars map[string]any, problem string) {
	a, vars, err := x.keyed(ctx, name, "")
	next := "check checkout.body and checkout.header against what the API wants"
	switch {
	case err != nil:
		problem, next = "got no answer: "+err.Error(), "look into the target's log"
	case refused(a):
		problem, next = "is refused: "+shown(a), "check principals."+name+".header"
	case x.subject.Info.Dialect.Classify(a) != harness.ClassSuccess:
		problem = "was answered " + shown(a) + ", not with a success"
	case !a.JSON || a.RequestID+a.OrderID == "":
		problem, next = "was answered "+shown(a)+", which names neither request nor order in JSON", "an answer needs a requestId or an orderId"
	}
	x.let[name] = problem == ""
	if problem != "" {
		x.add("checkout of "+name, Broken, next, "%s", problem)
		return a, vars, problem
	}
	x.plains = append(x.plains, a)
	x.add("checkout of "+name, OK, "", "succeeds: %s, request %q, order %q", shown(a), a.RequestID, a.OrderID)
	return a, vars, ""
}

// count compares what the ledger gained with effects.perSuccess.
func (x *examination) count(ctx context.Context, book *ledger, vars map[string]any) {
	amount, _ := vars["amount"].(int64)
	owned := func(e harness.Effect) bool {
		return e.Reference == vars["cart"] || e.Reference == "" && e.Amount == amount
	}
	got, err := book.gained(ctx, owned)
	want := x.subject.Info.PerSuccess
	const next = "check effects.perSuccess, the query, and that each entry keeps the cart as reference or the amount"
	switch {
	case err != nil:
		x.claimBroken(harness.CapEffects, "effects", next, "reading the ledger after a checkout: "+err.Error())
	case !maps.Equal(got, want):
		x.claimBroken(harness.CapEffects, "effects", next, "one plain checkout left "+kinds(got)+", wanted "+kinds(want))
	default:
		x.say(harness.CapEffects, Works, "")
		x.add("effects", OK, "", "one plain checkout left %s, as declared", kinds(got))
	}
}

func kinds(count map[string]int) string {
	if len(count) == 0 {
		return "nothing that belongs to it"
	}
	return perSuccess(harness.TargetInfo{PerSuccess: count})
}

// decline sends the variant that has to fail for good.
func (x *examination) decline(ctx context.Context) {
	if !x.claimed(harness.CapDecline) {
		return
	}
	a, _, err := x.keyed(ctx, x.first().Name, "declined")
	d := x.subject.Info.Dialect
	const next = "check checkout.variants.declined: it has to make the payment fail for good; and dialect.declined"
	switch {
	case err != nil:
		x.claimBroken(harness.CapDecline, "declined", next, "a checkout that is to be declined got no answer: "+err.Error())
	case d.Classify(a) == harness.ClassDeclined, len(d.Declined.Statuses) == 0 && a.Status >= 400 && a.Status < 500:
		x.say(harness.CapDecline, Works, "")
		x.add("declined", OK, "", "the variant is declined: %s", shown(a))
	default:
		x.claimBroken(harness.CapDecline, "declined", next, "the variant was answered "+shown(a)+", not as declined")
	}
}
