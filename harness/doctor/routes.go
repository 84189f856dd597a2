package doctor

import (
	"cmp"
	"context"
	"net/http"

	"github.com/oncecheck/oncecheck/harness"
)

// keyless compares the answer to a checkout without key and body with what the
// dialect says of a missing key: the first thing that shows a dialect that was
// guessed wrong.
func (x *examination) keyless(ctx context.Context) {
	d, me := x.subject.Info.Dialect, x.first()
	if d.Missing.Execute || !x.let[me.Name] && x.known(me.Name) {
		return
	}
	a, err := x.request(ctx, harness.Attempt{Operation: OpBare, Principal: me.Name})
	const what = "a checkout without key and body"
	switch {
	case err != nil:
		x.add("dialect", Hint, "", "%s got no answer: %v", what, err)
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed:
		x.claimBroken(harness.CapCheckout, "checkout", "check checkout.method and checkout.path", what+" was answered "+shown(a)+": there is no such route")
	case refused(a):
	case a.Status < 300:
		x.add("dialect", Hint, "a key should be required: expect failures about missing keys", "%s was accepted: %s", what, shown(a))
	case len(d.Missing.Statuses) == 0:
	case d.Missing.Matches(a):
		x.add("dialect", OK, "", "%s refuses a missing key as it was refused: %s", d.Name, shown(a))
	default:
		x.add("dialect", Hint, "the body may have been looked at first; oncecheck init --url shows what the API answers", "%s expects %v %s for a missing key; %s was answered %s", d.Name, d.Missing.Statuses, d.Missing.Code, what, shown(a))
	}
}

func (x *examination) known(name string) bool {
	_, known := x.let[name]
	return known
}

// statusRoute says whether the status can be read, or whether it could if the
// profile declared it.
func (x *examination) statusRoute(ctx context.Context) {
	me := x.first().Name
	if !x.claimed(harness.CapStatus) {
		x.guess(ctx, me)
		return
	}
	if vars := x.madeIDs(); vars != nil {
		a, err := x.request(ctx, harness.Attempt{Operation: harness.OpStatus, Principal: me, Vars: vars})
		switch {
		case err != nil:
			x.claimBroken(harness.CapStatus, "status", "", "a status read of "+me+"'s own checkout got no answer: "+err.Error())
		case a.Status != http.StatusOK:
			x.claimBroken(harness.CapStatus, "status", "check status.path", me+"'s own checkout was answered "+shown(a))
		default:
			x.reads = append(x.reads, a)
			x.say(harness.CapStatus, Works, "")
			x.add("status", OK, "", "%s reads its own checkout", me)
		}
		return
	}
	switch a := x.seen[me].answer; {
	case x.seen[me].err != nil || refused(a):
		x.say(harness.CapStatus, NotTried, "nobody was let in")
	case a.Status == http.StatusNotFound:
		x.say(harness.CapStatus, NotTried, "an id that does not exist is not found; one that does was not tried")
		x.add("status", OK, "", "an id that does not exist is not found: %s", shown(a))
	default:
		x.claimBroken(harness.CapStatus, "status", "check status.path and status.method", "an id that does not exist was answered "+shown(a)+", wanted 404")
	}
}

// madeIDs returns what names the plain checkout that was made, nil without one.
// Where an answer names one id only it stands for both.
func (x *examination) madeIDs() map[string]any {
	if x.made == nil {
		return nil
	}
	return map[string]any{"requestId": cmp.Or(x.made.RequestID, x.made.OrderID), "orderId": cmp.Or(x.made.OrderID, x.made.RequestID)}
}

// responses tries what the profile itself says of where answers say what.
func (x *examination) responses() {
	for _, r := range x.subject.Info.Responses {
		if problem := r.Missing(x.plains, x.reads); problem != "" {
			x.add(r.Key, Broken, "correct the expression, or leave it out where the answers have no such member", "%s", problem)
		}
	}
}

// claimBroken reports that a claimed capability does not work.
func (x *examination) claimBroken(c harness.Capability, subject, next, detail string) {
	x.add(subject, Broken, next, "%s", detail)
	x.say(c, NotWork, detail)
}

// guess looks where a status route often lies. Without a checkout that exists it
// can only tell an answer that differs from that of a route that nobody has.
func (x *examination) guess(ctx context.Context, me string) {
	vars := map[string]any{}
	exists := x.made != nil
	if exists {
		vars = x.madeIDs()
	}
	next := `declare status: {path: "` + x.subject.CheckoutPath + `/{{requestId}}"}`
	a, err := x.request(ctx, harness.Attempt{Operation: OpGuess, Principal: me, Vars: vars})
	if err != nil {
		return
	}
	if exists {
		if a.Status == http.StatusOK && a.JSON {
			x.add("status", Hint, next, "is not declared, but GET %s/{id} shows the checkout that was made", x.subject.CheckoutPath)
		}
		return
	}
	nowhere, err := x.request(ctx, harness.Attempt{Operation: OpNowhere, Principal: me})
	if err != nil || a.Status != http.StatusNotFound && a.Status != http.StatusForbidden || a.Status == nowhere.Status && a.JSON == nowhere.JSON && a.Code == nowhere.Code {
		return
	}
	x.add("status", Hint, next+" if it does", "is not declared, but GET %s/{id} may show checkouts: it answers %s, a route that does not exist %s", x.subject.CheckoutPath, shown(a), shown(nowhere))
}
