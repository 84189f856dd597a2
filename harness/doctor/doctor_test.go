package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// target is a checkout in memory.
type target struct {
	answer  map[string]harness.Answer // by "principal operation", then by "operation"
	dead    bool
	ledger  []harness.Effect
	twice   bool
	oneID   map[string]bool // principals whose answers name request and order alike
	unread  error
	restart error

	mu    sync.Mutex
	keyed int
}

func (s *target) Send(_ context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return harness.Request{}, harness.Answer{}, errors.New("the connection was closed")
	}
	if len(a.Keys) > 0 {
		s.keyed++
	}
	for _, name := range []string{a.Principal + " " + a.Operation + " " + a.Variant, a.Principal + " " + a.Operation, a.Operation} {
		if got, ok := s.answer[name]; ok {
			if got.Status == 201 {
				for range map[bool]int{false: 1, true: 2}[s.twice] {
					s.ledger = append(s.ledger, harness.Effect{Seq: int64(len(s.ledger) + 1), Kind: "order", Reference: fmt.Sprint(a.Vars["cart"])})
				}
				got.RequestID = fmt.Sprintf("r%d", s.keyed)
				if s.oneID[a.Principal] {
					got.OrderID = got.RequestID
				}
			}
			return harness.Request{}, got, nil
		}
	}
	return harness.Request{}, harness.Answer{Status: 404, JSON: true, Code: "NOT_FOUND", Header: dated(0)}, nil
}

func (s *target) Effects(_ context.Context, since int64) ([]harness.Effect, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]harness.Effect(nil), s.ledger[since:]...), s.unread
}

func (s *target) Restart(context.Context) (string, error) { return "it died and came back", s.restart }
func (s *target) Start(context.Context) (string, error)   { return "", harness.ErrBackBefore }

func dated(ahead time.Duration) map[string][]string {
	return map[string][]string{"Date": {time.Now().Add(ahead).UTC().Format(http.TimeFormat)}, "Content-Type": {"application/json"}}
}

func refusal(status int, code string) harness.Answer {
	return harness.Answer{Status: status, Code: code, JSON: true, Header: dated(0)}
}

// good is a target that does all that is claimed.
func good() *target {
	return &target{answer: map[string]harness.Answer{
		" status": refusal(401, "UNAUTHENTICATED"), " " + OpBare: refusal(401, "UNAUTHENTICATED"),
		OpBare: refusal(400, "VALIDATION_ERROR"), OpNowhere: {Status: 404}, OpGuess: {Status: 404},
		harness.OpCheckout: {Status: 201, JSON: true, OrderID: "o", Header: dated(0)}, "alice checkout declined": refusal(402, "DECLINED"),
	}}
}

func subjectOf(s *target, capabilities ...harness.Capability) Subject {
	caps := append([]harness.Capability{harness.CapCheckout}, capabilities...)
	return Subject{
		URL: "http://127.0.0.1:1", CheckoutPath: "/checkout",
		Info: harness.TargetInfo{Name: "shop", Requirements: "srs", Policy: harness.RequiredPolicy(), Capabilities: caps, PerSuccess: map[string]int{"order": 1},
			Principals: []harness.Principal{{Name: "alice", Tenant: "t1"}, {Name: "bob", Tenant: "t1"}},
			Dialect: harness.Dialect{Name: "srs", Missing: harness.MissingKey{Refusal: harness.Refusal{Statuses: []int{400}, Code: "VALIDATION_ERROR"}},
				Declined: harness.Refusal{Statuses: []int{402}}}},
		Headers: map[string]map[string]string{"alice": {"Authorization": "a"}, "bob": {"Authorization": "b"}},
		Known:   known(),
		Open: func(context.Context, Part) (*harness.Target, func(context.Context) error, error) {
			return &harness.Target{Sender: s, Probe: s, Control: harness.Controls{Restart: s}}, func(context.Context) error { return nil }, nil
		},
	}
}

func known() []Capability {
	return []Capability{
		{harness.CapCheckout, "checkout", "check out", true}, {harness.CapDecline, "checkout.variants.declined", "decline", true},
		{harness.CapStatus, "status", "read", true}, {harness.CapSecondPrincipal, "principals", "act as two", true}, {harness.CapSecondTenant, "principals", "act in two", true},
		{harness.CapEffects, "effects", "count", true}, {harness.CapDependencies, "dependencies", "stand between", true},
		{harness.CapProcessControl, "control", "restart", true}, {"sink", "sink", "take events", false},
	}
}

func severalInstances(s *Subject) {
	s.Info.Instances = 2
	s.Known = append(s.Known, Capability{harness.CapInstances, "target.instances", "call several", true})
}

func catalogue() harness.Catalogue {
	judge := func(*harness.History) harness.Verdict { return harness.Verdict{} }
	return harness.Catalogue{
		Clauses: []harness.Clause{{ID: "A.1", Needs: harness.Needs{"checkout"}}, {ID: "A.2", Needs: harness.Needs{"checkout", "status"}},
			{ID: "A.3", Needs: harness.Needs{"status", "sink"}}, {ID: "A.4", Needs: harness.Needs{"effects|dependencies"}}, {ID: "A.5", Needs: harness.Needs{"checkout"}}},
		Scenarios: []harness.Scenario{{ID: "x/y", Needs: harness.Needs{"checkout", "decline"}, Checks: []harness.Check{
			{Clause: "A.2", Supplement: true, Judge: judge}, {Clause: "A.5", Judge: judge, Gates: harness.Gates{Effects: true}}}}},
	}
}

func TestExamine(t *testing.T) {
	second := []harness.Capability{harness.CapSecondPrincipal}
	for _, row := range []struct {
		name   string
		caps   []harness.Capability
		change func(*target, *Subject)
		send   bool
		exit   int
		says   []string
	}{
		{"a good one, nothing sent", second, nil, false, 0,
			[]string{"✓ no credentials", "✓ principal bob", "is let in: a checkout without key and body was answered 400", "✓ dialect", "second-principal  works", "checkout          not tried"}},
		{"a good one", append(second, harness.CapEffects, harness.CapDecline, harness.CapProcessControl), nil, true, 0,
			[]string{"✓ checkout of bob", "one plain checkout left 1 order, as declared", "the variant is declined: 402", "✓ process-control", "it died and came back", "All that the profile claims works."}},
		{"nothing to reach", nil, func(_ *target, s *Subject) {
			s.Open = func(context.Context, Part) (*harness.Target, func(context.Context) error, error) {
				return nil, nil, errors.New("its certificate is signed by nobody")
			}
		}, false, 2, []string{"✗ reach", "its certificate is signed by nobody", "cannot be examined"}},
		{"no answer", nil, func(t *target, _ *Subject) { t.dead = true }, false, 2, []string{"✗ http", "it gives no answer"}},
		{"a page", nil, func(t *target, _ *Subject) {
			page := harness.Answer{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}}
			t.answer = map[string]harness.Answer{"": page, OpBare: page, " " + OpBare: page}
		}, false, 3, []string{`as "text/html", not as a JSON object`, "checkout          does not work"}},
		{"a token is refused", second, func(t *target, _ *Subject) { t.answer["bob "+OpBare] = refusal(401, "UNAUTHENTICATED") }, false, 3,
			[]string{"✗ principal bob", "check principals.bob.header", "second-principal  does not work  bob is not let in"}},
		{"forbidden as everybody is", second, func(t *target, _ *Subject) {
			t.answer[" "+OpBare], t.answer["bob "+OpBare] = refusal(403, "NO"), refusal(403, "NO")
		}, false, 3, []string{"✗ principal bob"}},
		{"an open API cannot tell", second, func(t *target, _ *Subject) { t.answer[" "+OpBare] = refusal(400, "VALIDATION_ERROR") }, false, 0,
			[]string{"· no credentials", "– principal bob", "second-principal  not tried"}},
		{"an open API tells with checkouts", second, func(t *target, _ *Subject) {
			t.answer[" "+OpBare], t.answer["bob checkout"] = refusal(400, "VALIDATION_ERROR"), refusal(401, "NO")
		}, true, 3, []string{"✗ checkout of bob", "second-principal  does not work"}},
		{"one identity twice", second, func(_ *target, s *Subject) { s.Headers["bob"] = s.Headers["alice"] }, false, 3,
			[]string{"alice and bob send the same credentials", "second-principal  does not work"}},
		{"a wrong path", nil, func(t *target, _ *Subject) { t.answer[OpBare] = refusal(404, "") }, false, 3, []string{"✗ checkout", "there is no such route"}},
		{"another dialect", nil, func(t *target, _ *Subject) { t.answer[OpBare] = refusal(422, "KEY") }, false, 0, []string{"· dialect", "srs expects [400] VALIDATION_ERROR"}},
		{"a status that finds everything", []harness.Capability{harness.CapStatus}, func(t *target, _ *Subject) {
			t.answer["status"] = harness.Answer{Status: 200, JSON: true, Header: dated(0)}
		}, false, 3, []string{"✗ status", "wanted 404"}},
		{"a status that finds nothing", []harness.Capability{harness.CapStatus}, func(t *target, _ *Subject) { t.answer["status"] = refusal(404, "NOT_FOUND") }, true, 3,
			[]string{"✗ status", "alice's own checkout was answered 404"}},
		{"a status nobody declared", nil, func(t *target, _ *Subject) {
			t.answer[OpGuess] = harness.Answer{Status: 404, JSON: true, Code: "NOT_FOUND"}
		}, false, 0,
			[]string{"· status", `declare status: {path: "/checkout/{{requestId}}"} if it does`}},
		{"a status nobody declared, seen", nil, func(t *target, _ *Subject) { t.answer[OpGuess] = harness.Answer{Status: 200, JSON: true} }, true, 0,
			[]string{"shows the checkout that was made"}},
		{"a ledger that cannot be read", []harness.Capability{harness.CapEffects}, func(t *target, _ *Subject) { t.unread = errors.New("no such table") }, false, 3,
			[]string{"✗ effects", "no such table", "effects           does not work"}},
		{"a ledger that counts otherwise", []harness.Capability{harness.CapEffects}, func(t *target, _ *Subject) { t.twice = true }, true, 3,
			[]string{"one plain checkout left 2 order, wanted 1 order"}},
		{"our own ledger", []harness.Capability{harness.CapEffects}, func(_ *target, s *Subject) { s.FakeLedger = true }, false, 0, []string{"– effects", "our own provider fake"}},
		{"a variant that succeeds", []harness.Capability{harness.CapDecline}, func(t *target, _ *Subject) { delete(t.answer, "alice checkout declined") }, true, 3,
			[]string{"✗ declined", "answered 201, not as declined"}},
		{"a body that is not accepted", nil, func(t *target, _ *Subject) { t.answer["checkout"] = refusal(422, "BODY") }, true, 3,
			[]string{"✗ checkout of alice", "check checkout.body", "checkout          does not work"}},
		{"one id for request and order", second, func(t *target, _ *Subject) { t.oneID = map[string]bool{"alice": true, "bob": true} }, true, 0,
			[]string{"· response.orderId", "invariant I2 (all success answers for a key name the same order) compares only that one id"}},
		{"a restart that fails", []harness.Capability{harness.CapProcessControl}, func(t *target, _ *Subject) { t.restart = errors.New("it never died") }, true, 3,
			[]string{"✗ process-control", "control: restart the target: it never died", "process-control   does not work"}},
		{"further operations and flags", []harness.Capability{harness.CapSecondOperation, harness.CapFeatureFlag}, func(_ *target, s *Subject) {
			s.Info.Operations = []harness.KeyedOperation{{Name: "cancel", Capability: harness.CapSecondOperation}}
			s.Unguarded, s.ToldTime = []string{"control.flag.redrive.on"}, []string{"control.clock.set"}
		}, true, 3, []string{"✗ second-operation.cancel", "operations.cancel: it was answered status 404 NOT_FOUND", "· control.flag.redrive.on", "put {{leaseMs}} into its URL or body", "· control.clock.set", "let the command take {{offset}}"}},
		{"further instances and nothing else", []harness.Capability{harness.CapInstances}, func(_ *target, s *Subject) { severalInstances(s) }, true, 0,
			[]string{"✓ instances", "instance 2 knows what the first was told", "instances         works"}},
		{"a further instance where no order is named", []harness.Capability{harness.CapInstances}, func(t *target, s *Subject) {
			severalInstances(s)
			t.answer[harness.OpCheckout] = harness.Answer{Status: 201, JSON: true, Header: dated(0)}
		}, true, 3, []string{"✗ instances", "declare response.orderId", "instances         does not work"}},
		{"commands that were not run", []harness.Capability{harness.CapProcessControl}, func(_ *target, s *Subject) { s.ControlWays = []string{"systemctl"} }, false, 0,
			[]string{"– control", "by systemctl: nothing was run"}},
		{"a clock that is off", nil, func(t *target, _ *Subject) {
			a := refusal(401, "")
			a.Header = dated(time.Hour)
			t.answer[" "+OpBare] = a
		}, false, 0, []string{"· clock", "ahead of ours"}},
		{"looser numbers", nil, func(_ *target, s *Subject) {
			s.Info.Policy.Checkout.Deadline, s.Info.Policy.Checkout.Retention = harness.Duration(40*time.Second), harness.Duration(time.Hour)
		}, false, 0, []string{"checkout.deadline 40s (required: at most 30s); checkout.retention 1h0m0s (required: at least 24h0m0s)"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			shop := good()
			s := subjectOf(shop, row.caps...)
			if row.change != nil {
				row.change(shop, &s)
			}
			r, err := Examine(t.Context(), s, catalogue(), Options{Send: row.send})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := r.WriteText(&out, func(s string) string { return s }); err != nil {
				t.Fatal(err)
			}
			if r.Exit != row.exit {
				t.Errorf("exit %d, want %d", r.Exit, row.exit)
			}
			for _, part := range row.says {
				if !strings.Contains(out.String(), part) {
					t.Errorf("the report does not say %q", part)
				}
			}
			if !row.send && shop.keyed > 0 {
				t.Errorf("%d requests with a key were sent, although none was to be", shop.keyed)
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

// TestDependenciesAreTriedOneByOne: one that is broken hides no other, and what
// was opened is closed.
func TestDependenciesAreTriedOneByOne(t *testing.T) {
	shop, open := good(), 0
	s := subjectOf(shop, harness.CapDependencies)
	s.Dependencies = []Dependency{{"inventory", "x is free"}, {"orders", "y is free"}, {"payment", "z is free"}}
	s.Open = func(_ context.Context, p Part) (*harness.Target, func(context.Context) error, error) {
		if p.Name == "inventory" {
			return nil, nil, errors.New("the address is taken")
		}
		open++
		return &harness.Target{Sender: shop}, func(context.Context) error {
			open--
			if p.Name == "orders" {
				return errors.New("the lease had ended")
			}
			return nil
		}, nil
	}
	r, err := Examine(t.Context(), s, catalogue(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Finding{}
	for _, f := range r.Findings {
		got[f.Subject] = f
	}
	if open != 0 || r.Exit != 3 || got["dependency payment"].Status != OK || got["dependency inventory"].Status != Broken ||
		got["dependency orders"].Status != Broken || !strings.Contains(got["dependency orders"].Detail, "the lease had ended") {
		t.Errorf("%d left open, exit %d: %+v", open, r.Exit, r.Findings)
	}
}

func TestASupervisorIsAskedForItsHealth(t *testing.T) {
	for status, want := range map[int]Status{200: OK, 404: OK, 500: Broken} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		s := subjectOf(good(), harness.CapProcessControl)
		s.ControlURL = server.URL
		r, err := Examine(t.Context(), s, catalogue(), Options{})
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Subject == "control" && f.Status != want {
				t.Errorf("%d: %+v", status, f)
			}
		}
	}
}

func TestCosts(t *testing.T) {
	s := subjectOf(good(), harness.CapEffects, harness.CapStatus)
	got := fmt.Sprint(brief(costs(catalogue(), s, nil)))
	if want := "[decline:A.5/A.5 sink:A.3/]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// What is claimed and does not work costs as much as what is missing.
	got = fmt.Sprint(brief(costs(catalogue(), s, []harness.Capability{harness.CapStatus, harness.CapEffects})))
	if want := "[decline:A.5/A.5 effects:A.5/A.5 status:A.2 A.3/A.2 effects|dependencies:A.4/ sink:A.3/]"; !sameWords(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func brief(costs []Cost) []string {
	var list []string
	for _, c := range costs {
		list = append(list, fmt.Sprintf("%s:%s/%s", c.Capability, strings.Trim(fmt.Sprint(c.Clauses), "[]"), strings.Trim(fmt.Sprint(c.Judged), "[]")))
	}
	return list
}

func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(strings.Trim(a, "[]")) {
		count[w]++
	}
	for _, w := range strings.Fields(strings.Trim(b, "[]")) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestOneIDIsToldOnlyIfAllAnswersShowIt: one answer that differs is enough.
func TestOneIDIsToldOnlyIfAllAnswersShowIt(t *testing.T) {
	for _, row := range []struct {
		oneID map[string]bool
		send  bool
		want  bool
	}{
		{map[string]bool{"alice": true, "bob": true}, true, true},
		{map[string]bool{"alice": true}, true, false},
		{nil, true, false},
		{map[string]bool{"alice": true, "bob": true}, false, false},
	} {
		shop := good()
		shop.oneID = row.oneID
		r, err := Examine(t.Context(), subjectOf(shop), catalogue(), Options{Send: row.send})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Subject == "response.orderId" && f.Status == Hint })
		if told != row.want || r.Exit != 0 {
			t.Errorf("%+v: told %t, exit %d", row, told, r.Exit)
		}
	}
}
