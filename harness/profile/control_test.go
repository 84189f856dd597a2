package profile

import (
	"reflect"
	"slices"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestControlOfTheContract(t *testing.T) {
	p := parseFile(t, "testdata/good/contract.yaml")
	c := p.Control
	if got := c.Flag["sell"]; !slices.Equal(got.Off.Command, []string{"flagctl", "sell", "off"}) || !slices.Equal(got.State.Command, []string{"flagctl", "sell"}) {
		t.Errorf("the two ways to write a command differ: %+v", got)
	}
	if c.Commands.Instance[3] != "{{.State.Pid}}" {
		t.Errorf("a template of the command's own was touched: %q", c.Commands.Instance)
	}
	body, err := c.Flag["redrive"].On.HTTP.RenderBody(nil)
	if err != nil || string(body) != `{"value":true}` {
		t.Errorf("the body is %s, %v", body, err)
	}
	if p.Secrets()["consumer:signatureKey"] == "" {
		t.Error("the key of the header is no secret")
	}
}

func TestWhatControlOffers(t *testing.T) {
	one := []string{"x"}
	for _, row := range []struct {
		name                    string
		c                       Control
		restarts, kills, pauses bool
	}{
		{"nothing", Control{}, false, false, false},
		{"a supervisor", Control{HTTP: "http://127.0.0.1:1"}, true, true, true},
		{"restart", Control{Commands: &Commands{Restart: one}}, true, false, false},
		{"kill without a way back", Control{Commands: &Commands{Kill: one}}, false, false, false},
		{"kill and start", Control{Commands: &Commands{Kill: one, Start: one}}, true, true, false},
		{"kill and restart", Control{Commands: &Commands{Kill: one, Restart: one}}, true, true, false},
		{"pause without a way back", Control{Commands: &Commands{Pause: one}}, false, false, false},
		{"pause and resume", Control{Commands: &Commands{Pause: one, Resume: one}}, false, false, true},
	} {
		if r, k, p := row.c.restarts(), row.c.kills(), row.c.pauses(); r != row.restarts || k != row.kills || p != row.pauses {
			t.Errorf("%s: restarts %t, kills %t, pauses %t", row.name, r, k, p)
		}
	}
}

// TestWhatNothingPutsBack: a request can carry a lease; a command needs none.
func TestWhatNothingPutsBack(t *testing.T) {
	request := func(url string) *Step { return &Step{HTTP: &Request{URL: url}} }
	leased := &Step{HTTP: &Request{URL: "http://127.0.0.1:1", Body: &Template{object{{"for", "{{leaseMs}}"}}}}}
	command := &Step{Command: []string{"x", "{{offset}}"}}
	for _, row := range []struct {
		name string
		c    *Control
		want []string
	}{
		{"nothing", nil, nil},
		{"commands", &Control{Clock: &Clock{Set: command}, Flag: map[string]Flag{"a": {On: command, Off: command}}}, nil},
		{"leases", &Control{Clock: &Clock{Set: request("http://127.0.0.1:1/?{{ leaseMs }}")}, Flag: map[string]Flag{"a": {On: leased, Off: leased}}}, nil},
		{"none", &Control{Clock: &Clock{Set: request("http://127.0.0.1:1/?{{offset}}")}, Flag: map[string]Flag{"b": {On: leased, Off: request("http://127.0.0.1:1/off")}, "a": {On: request("http://127.0.0.1:1/on"), Off: command}}},
			[]string{"control.clock.set", "control.flag.a.on", "control.flag.b.off"}},
	} {
		if got := row.c.Unguarded(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestACommandThatIsToldTheTime(t *testing.T) {
	for _, row := range []struct {
		set  *Step
		want int
	}{
		{nil, 0}, {&Step{Command: []string{"x", "{{offset}}"}}, 0}, {&Step{Command: []string{"x", "{{unix}}"}}, 1}, {&Step{Command: []string{"x", "--to={{ time }}", "{{offset}}"}}, 1},
		{&Step{HTTP: &Request{URL: "http://127.0.0.1:1/?{{unix}}"}}, 0},
	} {
		if got := (&Control{Clock: &Clock{Set: row.set}}).ToldTime(); len(got) != row.want {
			t.Errorf("%+v: %q", row.set, got)
		}
	}
	if got := (*Control)(nil).ToldTime(); got != nil {
		t.Errorf("without a control: %q", got)
	}
}

func TestKeyedOperations(t *testing.T) {
	info := parse(t, `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1, header: {X-User: alice}}}
checkout: {path: /v1/checkout, version: v1, body: {cart: "{{cart}}"}}
effects: {command: [ledger], perSuccess: {charge: 1}}
operations:
  cancel: {method: POST, path: "/checkout/{{requestId}}/cancel", keyed: true, principal: alice, effects: {refund: 1}}
  refund: {method: POST, path: /refunds, body: {order: "{{orderId}}"}, keyed: true, version: v1}
  search: {path: /search}
  v2: {method: POST, path: /v2/checkout, version: v2, keyed: true, body: {cart: "{{cart}}"}}
`).Info()
	want := []harness.KeyedOperation{{Name: "cancel", Capability: "second-operation", Principal: "alice", Refers: true, Effects: map[string]int{"refund": 1}},
		{Name: "refund", Capability: "second-operation", Refers: true, Version: "v1"}, {Name: "v2", Capability: "second-version", Version: "v2", Effects: map[string]int{"charge": 1}}}
	if !reflect.DeepEqual(info.Operations, want) {
		t.Errorf("%+v, want %+v", info.Operations, want)
	}
}

func TestRenderBodyKeepsTypes(t *testing.T) {
	r := Request{Body: &Template{object{{"offset", "{{offset}}"}, {"text", "+{{offset}}s"}}}}
	body, err := r.RenderBody(map[string]any{"offset": int64(3600)})
	if err != nil || string(body) != `{"offset":3600,"text":"+3600s"}` {
		t.Errorf("%s, %v", body, err)
	}
	if _, err := r.RenderBody(nil); err == nil {
		t.Error("a name that nothing fills was accepted")
	}
	if body, err := (Request{}).RenderBody(nil); body != nil || err != nil {
		t.Errorf("no body became %q, %v", body, err)
	}
}
