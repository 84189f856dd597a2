package profile

import (
	"slices"
	"testing"
)

func TestControlOfTheContract(t *testing.T) {
	p := parseFile(t, "testdata/good/contract.yaml")
	c := p.Control
	if got := c.Flag["redrive"]; !slices.Equal(got.Off.Command, []string{"flagctl", "redrive", "off"}) || !slices.Equal(got.State.Command, []string{"flagctl", "redrive"}) {
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
