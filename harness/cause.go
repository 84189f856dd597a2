package harness

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// causeKind says what the positive control failed of. It is told from events,
// never from the words of a reason.
type causeKind int

const (
	causeNone       causeKind = iota // it did not fail
	causeHistory                     // it was not carried out to its end, or not recorded
	causeProblem                     // a step could not be carried out
	causeAnswer                      // a checkout was answered otherwise than with a success that names something
	causeSameID                      // two checkouts were given one id
	causeUndeclared                  // nothing was declared that could be counted
	causeUnread                      // the probe was not read
	causeBefore                      // the probe shows effects of what was not sent yet
	causeNothing                     // the probe shows nothing of a success
	causeCount                       // the probe counts otherwise than declared
	causeHidden                      // the probe hides entries that are alike
	causeCalls                       // a plain call of the client under test did not come back as it should
	causeControl                     // a control was tried, and the target was not what it was afterwards
)

// counted returns what is behind a reading that is not the wanted one.
func counted(n int, perSuccess map[string]int, got map[string]int64) causeKind {
	switch {
	case n == 0:
		return causeBefore
	case len(perSuccess) == 0:
		return causeUndeclared
	case len(got) == 0:
		return causeNothing
	}
	return causeCount
}

// cause is why the positive control failed, with what tells the next step.
type cause struct {
	kind   causeKind
	offers []Capability
	links  bool     // we stand between the target and dependencies
	route  Route    // to the client under test
	broken []string // claims of controls that did not hold
	denied *Call    // the last one that a dependency refused; nil for none

	answer    *Answer // the last one that was no success, with its class and who asked
	class     Class
	principal string

	unanswered, again, unsent, interrupted, withheld bool
}

func (c cause) is(kind causeKind) cause {
	c.kind = kind
	return c
}

// see notes what happened to requests that brought no answer.
func (c *cause) see(e Event) {
	switch {
	case e.Type == CallEvent && e.Call.Fault == "" && e.Call.Status >= 400 && e.Call.Status < 500:
		c.denied = e.Call
	case (e.Type == Info || e.Type == Failure) && e.Request != nil && !e.Request.Final:
		c.unanswered, c.unsent, c.again = true, e.Type == Failure, e.Case == ControlID+"/"+controlAgain
	case e.Type == MarkEvent && e.Mark.Name == MarkInterrupted:
		c.interrupted = true
	case e.Type == MarkEvent && e.Mark.Name == MarkWithheld:
		c.withheld = true
	}
}

// tried notes the control that did not work: it comes before what it leaves.
func (c *cause) tried(e Event) {
	name, isClaim := strings.CutPrefix(e.Case, ControlID+"/"+claimCase)
	if !isClaim || e.Type != MarkEvent || e.Mark.Name != markClaimWorkNot {
		return
	}
	capability, _, _ := strings.Cut(name, ".")
	switch Capability(capability) {
	case CapProcessControl, CapProcessKill, CapProcessPause, CapClock, CapFeatureFlag, CapStoreLink, CapStoreLoss, CapCrashPoints:
		c.broken = append(c.broken, name)
	}
}

// problem is the kind of what could not be carried out.
func (c *cause) problem() causeKind {
	if len(c.broken) > 0 && !c.interrupted {
		return causeControl
	}
	return causeProblem
}

// answered notes an answer that was not the wanted one.
func (c *cause) answered(e Event, class Class) {
	c.answer, c.class, c.principal = e.Answer, class, e.Request.Principal
}

// ControlNext returns what to look at where the positive control failed, most
// likely first: it follows from what happened, so that nobody is sent to the
// ledger over a token that has expired. A control that passed needs nothing.
func ControlNext(h *History) []string {
	v, c := judgeControl(h)
	if v.Outcome == Pass {
		return nil
	}
	return c.next()
}

func (c cause) next() []string {
	const query = "effects: does the query return the entries of one checkout that was made by hand, each with its own id and with the cart as reference, or the correlation id, or the amount?"
	switch c.kind {
	case causeProblem:
		return c.nextOfProblem()
	case causeAnswer:
		return c.nextOfAnswer()
	case causeSameID:
		return []string{"response.requestId and response.orderId: do they point at what differs from one checkout to the next?",
			"checkout.header and checkout.body: is there a fixed key or id in them that makes two requests one?"}
	case causeUndeclared:
		return []string{"effects.perSuccess: which entries, of which kind, does one plain checkout leave in the ledger?"}
	case causeBefore:
		return []string{"effects: does the query honour {{since}}, and are reference and amount those of the entry, not constants?"}
	case causeNothing:
		return []string{query, "effects: is it the ledger of the system that answers at target.url, and is it written within seconds?"}
	case causeCount:
		return []string{"effects.perSuccess: which entries, of which kind, does one plain checkout leave in the ledger?", query}
	case causeCalls:
		return c.nextOfCalls()
	case causeControl:
		return []string{"the target: is it as it was? Put it back by hand first",
			"control: what the profile declares for " + strings.Join(c.broken, ", ") + ", done by hand and undone: does the target answer again, and within control.limit?"}
	case causeHidden:
		return []string{"effects: does the query merge entries (DISTINCT, GROUP BY, unique_by), or does the ledger keep one entry a cart? Duplicates would be hidden the same way"}
	}
	return c.ended()
}

// ended is the next step where the control did not come to its end.
func (c cause) ended() []string {
	if c.interrupted {
		return []string{"it was interrupted: run it again"}
	}
	return []string{"the run folder: is the disk full, or does something else write there? Then run it again"}
}

func (c cause) nextOfProblem() []string {
	byHand := "one plain checkout by hand with curl: is it answered, and within how many seconds?"
	switch {
	case c.interrupted:
		return c.ended()
	case c.withheld:
		return []string{"limits: they leave no room for two plain checkouts; raise limits.rate, limits.concurrency or limits.requests"}
	case c.again:
		return []string{"the cart of a checkout, bought again under a new key by hand: it may be refused, but it has to be answered"}
	case c.unsent:
		return []string{"target.url: is the target still running, and does it accept connections from here?"}
	case c.unanswered && c.links:
		return []string{byHand, "dependencies: is the target configured to call their listen addresses, and does what is behind them answer? What no dependency was there to answer shows in the target's log"}
	case c.unanswered:
		return []string{byHand, "the target's log: what was it waiting for?"}
	case slices.Contains(c.offers, CapEffects):
		return []string{"effects: can the ledger be read from here, with the credentials of the profile?", "effects: does somebody else write into the ledger all the time, or is the target still at work?"}
	}
	if !checksOut(c.offers) {
		return []string{"what the reason names: is the address free to listen on, is what was changed put back? Then run it again"}
	}
	return []string{"the target's log: what is it still doing after it has answered?"}
}

func (c cause) nextOfAnswer() []string {
	credentials := "principals." + c.principal + ".header: is the token right and not expired, and the variable set? oncecheck doctor shows who is let in"
	body := "checkout.body and checkout.header: does the API take the same request by hand with curl?"
	switch status := c.answer.Status; {
	case refusesCredentials(*c.answer):
		return []string{credentials}
	case status >= 300 && status < 400:
		return []string{"target.url and checkout.path: declare the URL that answers; does a sign-in page answer in its place?"}
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return []string{"target.url, checkout.path and checkout.method: is there such a route?"}
	case status == http.StatusTooManyRequests:
		return []string{"limits.rate: how many requests a second does the target take from one caller?"}
	case c.class == ClassPending:
		return []string{"the target's log: why is a plain checkout parked and not completed at once? " + c.behind()}
	case c.class == ClassDeclined:
		next := []string{"checkout.body: is the payment in it one that succeeds?"}
		if c.denied != nil {
			next = append(next, "dependencies: "+c.behind())
		}
		return next
	case c.class == ClassMismatch || c.class == ClassInProgress:
		return []string{"checkout.header and checkout.body: is there a fixed key or cart in them, so that a new checkout is taken for an old one?", "dialect: is this status what the API answers to a key that is in use?"}
	case c.class == ClassSuccess && !c.answer.JSON:
		return []string{"target.url and checkout.path: is it the API itself that answers, and not a page or a proxy before it? A success has to be one JSON object"}
	case c.class == ClassSuccess:
		return []string{"response.requestId and response.orderId: in which member does the answer name what was made?"}
	case status >= 500:
		return []string{"the target's log: why does a plain checkout fail? " + c.behind(), body}
	}
	return []string{body, fmt.Sprintf("dialect: what does the API mean by %s?", strings.TrimSpace(fmt.Sprint(c.answer.Status, " ", c.answer.Code)))}
}

func (c cause) nextOfCalls() []string {
	switch {
	case c.interrupted:
		return c.ended()
	case c.route == RouteGateway:
		return []string{"gateway.dependency: does the gateway call the address that we listen on, with the item of gateway.path in its own path?",
			"principals: is the default principal allowed to read from the gateway? Try gateway.path by hand with curl"}
	case c.route == RouteShim:
		return []string{"client.shim: does POST /v1/call make one call with the client, with the method and the URL that it is given, and hand back status, headers and the bytes of the body in base64?"}
	}
	return []string{"client, gateway: is one of them in the profile?"}
}

// behind names what else may be at fault when the target itself cannot go on.
func (c cause) behind() string {
	if d := c.denied; d != nil {
		return fmt.Sprintf("A dependency refused its call: %s answered with status %d. Is the call what that one takes?", strings.TrimSpace(d.Link+" "+d.Operation), d.Status)
	}
	if c.links {
		return "Do the dependencies behind our listen addresses answer?"
	}
	return "Do the systems behind it answer?"
}
