package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// claiming is a shop that can be controlled and has further routes.
type claiming struct {
	*controlled
	status  string            // what a status read names in place of what it was asked for
	answers map[string]Answer // by operation or variant
	sent    []string          // operations in order
	hangs   chan struct{}     // closed once a control hangs; nil: none does
}

func (c *claiming) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	c.mu.Lock()
	c.sent = append(c.sent, a.Operation+a.Variant)
	answer, ok := c.answers[a.Operation+a.Variant]
	c.mu.Unlock()
	switch {
	case ok:
		return Request{BodySHA256: "o"}, answer, nil
	case a.Operation == OpStatus && c.status != "":
		return Request{}, Answer{Status: 200, RequestID: c.status}, nil
	case a.Operation == OpStatus:
		return Request{}, c.find(a.Vars["requestId"]), nil
	}
	return c.shop.Send(ctx, a)
}

func (c *claiming) Pause(ctx context.Context, lease time.Duration) (string, error) {
	if c.hangs != nil {
		_, _ = c.controlled.Pause(ctx, lease)
		close(c.hangs)
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return c.controlled.Pause(ctx, lease)
}

func claimingTarget(fails map[string]error, caps ...Capability) (*claiming, *Target) {
	c, target := controlledTarget(fails)
	x := &claiming{controlled: c, answers: map[string]Answer{OpCheckout + "declined": {Status: 402}}}
	target.Sender, target.Control.Pause = x, x
	target.Control.Keys = map[Capability]string{CapProcessPause: "control.commands.pause", CapProcessKill: "control.http"}
	target.Info.Dialect.Declined = Refusal{Statuses: []int{402}}
	target.Info.Operations = []KeyedOperation{{Name: "cancel", Capability: CapSecondOperation, Refers: true}, {Name: "checkoutV2", Capability: CapSecondVersion}}
	target.Info.Capabilities = append(target.Info.Capabilities, caps...)
	return x, target
}

func allClaims() []Capability {
	return []Capability{CapStatus, CapDecline, CapSecondOperation, CapSecondVersion, CapFeatureFlag, CapClock, CapProcessPause, CapProcessKill, CapProcessControl}
}

func TestClaimsAreTriedBeforeTheRun(t *testing.T) {
	broken := errors.New("it hangs")
	back := fmt.Errorf("%w", ErrBackBefore)
	const controls = "flag on flag off clock 1h0m0s clock 0s pause resume kill start restart"
	for _, row := range []struct {
		name   string
		caps   []Capability
		change func(*claiming, *Target, *Scenario)
		fails  map[string]error
		told   string
		claims string // names, those that do not work with a bang
		says   string
		exit   int
	}{
		{"all work", allClaims(), nil, nil, controls,
			"status decline second-operation.cancel second-version.checkoutV2 feature-flag.redrive clock process-pause process-kill process-control", "", ExitGreen},
		{"nothing is claimed", nil, nil, nil, "", "", "", ExitGreen},
		{"what a scenario needs is tried there", []Capability{CapProcessControl, CapStatus, CapProcessPause}, func(_ *claiming, _ *Target, s *Scenario) {
			s.Needs = append(s.Needs, "process-control")
			s.Checks[0].Needs = Needs{"status"}
		}, nil, "pause resume", "process-pause", "", ExitGreen},
		{"a scenario that uses one flag and one operation shows nothing of the others", []Capability{CapFeatureFlag, CapSecondOperation}, func(_ *claiming, t *Target, s *Scenario) {
			s.Needs = append(s.Needs, "feature-flag", "second-operation")
			t.Info.Operations = append(t.Info.Operations, KeyedOperation{Name: "refund", Capability: CapSecondOperation, Refers: true})
		}, nil, "flag on flag off", "second-operation.cancel second-operation.refund feature-flag.redrive", "", ExitGreen},
		{"one of two alternatives is not known to be taken", []Capability{CapProcessPause}, func(_ *claiming, _ *Target, s *Scenario) { s.Needs = append(s.Needs, "process-pause|clock") }, nil,
			"pause resume", "process-pause", "", ExitGreen},
		{"a scenario that cannot run shows nothing", []Capability{CapProcessPause}, func(_ *claiming, _ *Target, s *Scenario) { s.Needs = append(s.Needs, "process-pause", "sink") }, nil,
			"pause resume", "process-pause", "", ExitInconclusive},
		{"a pause that does nothing", []Capability{CapProcessPause, CapProcessKill}, nil, map[string]error{"pause": broken, "resume": back}, "pause resume kill start",
			"process-pause! process-kill", "control.commands.pause: pause the target: it hangs; oncecheck doctor --send tries it again", ExitInconclusive},
		{"a pause that ends by itself", []Capability{CapProcessPause}, nil, map[string]error{"resume": back}, "pause resume", "process-pause!", "the target had come back before", ExitInconclusive},
		{"a kill that is not proven", []Capability{CapProcessKill}, nil, map[string]error{"kill": broken}, "kill start", "process-kill!", "control.http: kill the target: it hangs", ExitInconclusive},
		{"a restart that keeps a process", []Capability{CapProcessControl}, nil, map[string]error{"restart": broken}, "restart start", "process-control!", "control: restart the target: it hangs", ExitInconclusive},
		{"a clock that stands", []Capability{CapClock}, nil, map[string]error{"clock 1h0m0s": broken}, "clock 1h0m0s clock 0s", "clock!", "control.clock: move the target's clock: it hangs", ExitInconclusive},
		{"a flag that cannot be read", []Capability{CapFeatureFlag}, nil, map[string]error{"state": broken}, "", "feature-flag.redrive!", "control.flag.redrive: read the flag redrive: it hangs", ExitInconclusive},
		{"a flag that does not switch", []Capability{CapFeatureFlag}, nil, map[string]error{"flag on": broken}, "flag on flag off", "feature-flag.redrive!", "control.flag.redrive: switch the flag redrive on: it hangs", ExitInconclusive},
		{"a flag that is on", []Capability{CapFeatureFlag}, func(c *claiming, _ *Target, _ *Scenario) { c.flag = true }, nil, "flag off flag on", "feature-flag.redrive", "", ExitGreen},
		{"claimed and not offered", []Capability{CapProcessPause}, func(_ *claiming, t *Target, _ *Scenario) { t.Control.Pause = nil }, nil, "", "process-pause!", "the profile does not offer it", ExitInconclusive},
		{"a pause that never ends", []Capability{CapProcessPause, CapProcessKill}, func(c *claiming, _ *Target, _ *Scenario) { c.hangs = make(chan struct{}) }, nil, "pause resume kill start",
			"process-pause! process-kill", "it was given up after 10s", ExitInconclusive},
		{"a status that finds nothing", []Capability{CapStatus}, func(c *claiming, _ *Target, _ *Scenario) {
			c.answers[OpStatus] = Answer{Status: 404, Code: "NOT_FOUND"}
		}, nil, "",
			"status!", "status: a status read of a checkout that was made was answered status 404 NOT_FOUND, not with a success", ExitInconclusive},
		{"a status of another", []Capability{CapStatus}, func(c *claiming, _ *Target, _ *Scenario) { c.status = "o9" }, nil, "", "status!", `names request "o9"`, ExitInconclusive},
		{"a status that names nothing", []Capability{CapStatus}, func(c *claiming, _ *Target, _ *Scenario) { c.answers[OpStatus] = Answer{Status: 200} }, nil, "", "status!", `names request "", order ""`, ExitInconclusive},
		{"a decline that succeeds", []Capability{CapDecline}, func(c *claiming, _ *Target, _ *Scenario) { delete(c.answers, OpCheckout+"declined") }, nil, "", "decline!", "checkout.variants.declined: a checkout that is to be declined was answered status 201", ExitInconclusive},
		{"an operation that is not there", []Capability{CapSecondOperation, CapSecondVersion}, func(c *claiming, _ *Target, _ *Scenario) { c.answers["cancel"] = Answer{Status: 404} }, nil, "",
			"second-operation.cancel! second-version.checkoutV2", "operations.cancel: it was answered status 404", ExitInconclusive},
		{"an operation that leaves what is declared", []Capability{CapSecondOperation}, func(_ *claiming, t *Target, _ *Scenario) {
			t.Info.Operations[0].Effects = map[string]int{"order": 1}
		}, nil, "", "second-operation.cancel", "", ExitGreen},
		{"an operation that leaves something else", []Capability{CapSecondOperation}, func(_ *claiming, t *Target, _ *Scenario) {
			t.Info.Operations[0].Effects = map[string]int{"refund": 1}
		}, nil, "", "second-operation.cancel!", "a plain checkout and it left 2 order, wanted 1 order, 1 refund", ExitInconclusive},
		{"a version that is not there", []Capability{CapSecondVersion}, func(c *claiming, _ *Target, _ *Scenario) { c.answers["checkoutV2"] = Answer{Status: 404} }, nil, "",
			"second-version.checkoutV2!", "operations.checkoutV2: it was answered status 404", ExitInconclusive},
		{"a version that sells no cart twice", []Capability{CapSecondVersion}, func(c *claiming, t *Target, _ *Scenario) { t.Sender = sellsOnce{c, map[string]bool{}} }, nil, "",
			"second-version.checkoutV2", "", ExitGreen},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := claimingTarget(row.fails, row.caps...)
			x := oneOrder()
			if row.change != nil {
				row.change(c, target, &x)
			}
			e, dir := run(t, target, testCatalogue(x), everything)
			if got := strings.Join(c.told, " "); got != row.told {
				t.Errorf("the target was told %q, want %q", got, row.told)
			}
			var names []string
			said := ""
			for _, got := range e.Run.Claims {
				if name := got.Name; got.Works {
					names = append(names, name)
				} else {
					names = append(names, name+"!")
					said += got.Reason
				}
			}
			if want := strings.Fields(row.claims); !sameInOrder(names, want) {
				t.Errorf("tried %q, want %q", names, want)
			}
			if !strings.Contains(said, row.says) || row.says == "" && said != "" {
				t.Errorf("said %q, want %q", said, row.says)
			}
			if e.Run.Control.Outcome != Pass || e.Run.Exit != row.exit || e.Clauses[0].Verdict == Fail {
				t.Errorf("control %s, clause %s, exit %d, want %d", e.Run.Control.Reason, e.Clauses[0].Reason, e.Run.Exit, row.exit)
			}
			if len(e.Run.Unmet()) > 0 && e.Clauses[0].Verdict != Pass {
				t.Errorf("what does not need the claim was held back: %s", e.Clauses[0].Reason)
			}
			h, err := OpenHistory(HistoryFile(dir, ControlID))
			if err != nil || fmt.Sprint(JudgeClaims(h)) != fmt.Sprint(e.Run.Claims) {
				t.Errorf("judging again gives other claims: %v", err)
			}
		}))
	}
}

// sameInOrder compares names; what is asked side by side may come in any order.
func sameInOrder(got, want []string) bool {
	asking := func(list []string) (asked, rest []string) {
		for _, name := range list {
			if name, _, _ := strings.Cut(strings.TrimSuffix(name, "!"), "."); slices.Contains([]string{"status", "decline", "second-operation", "second-version"}, name) {
				asked = append(asked, name)
			}
		}
		slices.Sort(asked)
		return asked, slices.DeleteFunc(slices.Clone(list), func(name string) bool {
			return slices.ContainsFunc(asked, func(a string) bool { return strings.HasPrefix(name, a) })
		})
	}
	gotAsked, gotRest := asking(got)
	wantAsked, wantRest := asking(want)
	return slices.Equal(gotAsked, wantAsked) && slices.Equal(gotRest, wantRest)
}

// sellsOnce refuses to sell a cart under another key.
type sellsOnce struct {
	*claiming
	sold map[string]bool
}

func (s sellsOnce) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	cart := a.Vars["cart"].(string)
	if a.Operation == "checkoutV2" && s.sold[cart] {
		return Request{BodySHA256: "o"}, Answer{Status: 409}, nil
	}
	s.sold[cart] = true
	return s.claiming.Send(ctx, a)
}

// TestATargetThatIsNotPutBackIsNotBelieved: then nothing is run.
func TestATargetThatIsNotPutBackIsNotBelieved(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(map[string]error{"start": errors.New("no such program")}, CapProcessKill, CapProcessControl)
		e, _ := run(t, target, testCatalogue(oneOrder()), everything)
		if e.Run.Control.Outcome == Pass || !strings.Contains(e.Run.Control.Reason, "it is left killed") || e.Run.Exit != ExitInconclusive {
			t.Errorf("%s: %s, exit %d", e.Run.Control.Outcome, e.Run.Control.Reason, e.Run.Exit)
		}
		if got := strings.Join(c.told, " "); got != "kill start start" {
			t.Errorf("the target was told %q", got)
		}
		if n := len(c.sent); n != 3 {
			t.Errorf("%d requests, want those of the control alone", n)
		}
	})(t)
}

// TestTheLimitOfThePreflight: what could not be tried in time is not known to work.
func TestTheLimitOfThePreflight(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(nil, CapProcessKill, CapProcessControl)
		slow := &slowStart{controlled: c.controlled}
		target.Control.Kill = slow
		e, _ := run(t, target, testCatalogue(oneOrder()), everything)
		if got := fmt.Sprint(len(e.Run.Claims), e.Run.Claims[0].Works, e.Run.Claims[1].Works); got != "2 true false" || !strings.Contains(e.Run.Claims[1].Reason, "took longer than 30s") {
			t.Errorf("%+v", e.Run.Claims)
		}
		if got := strings.Join(c.told, " "); got != "kill start" || e.Run.Exit != ExitInconclusive {
			t.Errorf("the target was told %q, exit %d", got, e.Run.Exit)
		}
	})(t)
}

// slowStart takes its time to come back.
type slowStart struct{ *controlled }

func (s *slowStart) Start(ctx context.Context) (string, error) {
	select {
	case <-time.After(40 * time.Second):
		return s.controlled.Start(ctx)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// TestAnInterruptedTryIsPutBack: and it says nothing about the claim.
func TestAnInterruptedTryIsPutBack(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(nil, CapProcessPause, CapProcessKill)
		c.hangs = make(chan struct{})
		ctx, interrupt := context.WithCancel(t.Context())
		go func() {
			<-c.hangs
			interrupt()
		}()
		plan, err := NewPlan(RunInfo{ID: "run-1"}, target.Info, testCatalogue(oneOrder()), everything)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRunner(ctx, target, plan, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.told, " "); got != "pause resume" || len(r.Claims()) != 0 || r.Control().Outcome == Pass {
			t.Errorf("told %q, claims %v, control %s", got, r.Claims(), r.Control().Outcome)
		}
	})(t)
}

func TestJudgeClaims(t *testing.T) {
	mark := func(id, name, detail string) Event {
		return Event{Type: MarkEvent, Case: id, Mark: &Mark{Name: name, Detail: detail}}
	}
	for _, row := range []struct {
		name   string
		events []Event
		want   []Tried
	}{
		{"empty", nil, nil},
		{"works", []Event{mark("control/claim-clock", markClaimWorks, "it moved")}, []Tried{{"clock", true, "it moved"}}},
		{"does not work", []Event{mark("control/claim-feature-flag.a", markClaimWorkNot, "no"), mark("control/claim-clock", markClaimWorks, "yes")},
			[]Tried{{"feature-flag.a", false, "no"}, {"clock", true, "yes"}}},
		{"not tried", []Event{mark("control/claim-clock", MarkError, "no"), mark("control/first", markClaimWorks, "no"), mark("x/claim-clock", markClaimWorks, "no"),
			mark("control/principal-bob", markPrincipalWorks, "yes"), mark("control/claim-clock", markPrincipalWorks, "no")}, nil},
	} {
		if got := JudgeClaims(NewHistory(Header{}, row.events...)); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// TestWhatAClaimLeavesIsNotTheControls: the plain checkouts are counted, and what
// tries a claim is not.
func TestWhatAClaimLeavesIsNotTheControls(t *testing.T) {
	ask := &Request{Operation: OpCheckout, Keys: []string{"k"}, Amount: 5}
	ok := func(id, order string) Event {
		return Event{Type: OK, Case: id, Request: ask, Answer: &Answer{Status: 201, JSON: true, RequestID: "r" + order, OrderID: order}}
	}
	order := func(id, name string, amount int64) Event {
		return Event{Type: EffectEvent, Case: id, Effect: &Effect{Kind: "order", ID: name, Amount: amount}}
	}
	plain := func() []Event {
		return []Event{
			{Type: Invoke, Case: "control/first", Request: ask}, ok("control/first", "o1"), order("control/first", "o1", 5),
			{Type: Invoke, Case: "control/second", Request: ask}, ok("control/second", "o2"), order("control/second", "o2", 5),
		}
	}
	end := Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}
	claim := []Event{
		{Type: Invoke, Case: "control/claim-second-operation.cancel", Request: ask}, ok("control/claim-second-operation.cancel", "o3"),
		order("control/claim-second-operation.cancel", "another", 9),
		{Type: OK, Case: "control/claim-status", Request: &Request{Operation: OpStatus}, Answer: &Answer{Status: 404}},
		{Type: MarkEvent, Case: "control/claim-process-pause", Mark: &Mark{Name: MarkError, Detail: "pause the target: it hangs"}},
	}
	for name, events := range map[string][]Event{"without": plain(), "with": slices.Concat(plain(), claim)} {
		h := NewHistory(Header{Capabilities: []Capability{CapCheckout}}, append(events, end)...)
		if v := JudgeControl(h); v.Outcome != Pass {
			t.Errorf("%s a claim: %s", name, v.Reason)
		}
		if f := learn(h); !f.orderIDs || !slices.Equal(f.amountKinds, []string{"order"}) {
			t.Errorf("%s a claim the control shows %+v", name, f)
		}
	}
	a := aftermath{of: map[string]*reading{}, late: map[string][]Event{}}
	a.take("", order("control/claim-second-operation.cancel", "late", 1))
	a.take("", order("control/first", "late", 1))
	if len(a.late[ControlID]) != 1 {
		t.Errorf("late effects of the control: %v", a.late)
	}
}

// TestClaimsAlone: the doctor's way.
func TestClaimsAlone(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(map[string]error{"pause": errors.New("it hangs")}, allClaims()...)
		target.Probe = nil
		got, err := TryClaims(t.Context(), target, t.TempDir(), func(c Capability) bool { return c == CapStatus || c == CapDecline })
		if err != nil || len(got) != 7 || strings.Join(c.told, " ") != "flag on flag off clock 1h0m0s clock 0s pause resume kill start restart" {
			t.Errorf("%v, told %q, %v", got, c.told, err)
		}
		c, target = claimingTarget(map[string]error{"start": errors.New("no such program")}, CapProcessKill)
		got, err = TryClaims(t.Context(), target, t.TempDir(), func(Capability) bool { return false })
		if err == nil || len(got) != 1 || got[0].Works || len(c.told) == 0 {
			t.Errorf("%v, %v", got, err)
		}
	})(t)
}
