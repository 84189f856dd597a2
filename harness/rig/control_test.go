package rig

import (
	"slices"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/control"
	"github.com/oncecheck/oncecheck/harness/toxiproxy"
)

// TestControlsOfAProfile: what is declared is offered, by whom it is declared.
func TestControlsOfAProfile(t *testing.T) {
	const clock = `clock: {set: [x, "{{offset}}"], now: [y]}`
	for name, row := range map[string]struct {
		control              string
		restart, kill, pause string // remote, command, or nobody
		clock                bool
		flags                int
		keys                 string // of restart, kill and pause
	}{
		"nothing":              {"", "nobody", "nobody", "nobody", false, 0, "  "},
		"a supervisor":         {`control: {http: "http://127.0.0.1:1"}`, "remote", "remote", "remote", false, 0, "control.http control.http control.http"},
		"a restart":            {`control: {commands: {restart: [x]}}`, "command", "nobody", "nobody", false, 0, "control.commands.restart  "},
		"all commands":         {`control: {commands: {kill: [x], start: [x], pause: [x], resume: [x]}}`, "command", "command", "command", false, 0, "control.commands.kill control.commands.kill control.commands.pause"},
		"a command goes first": {`control: {http: "http://127.0.0.1:1", commands: {pause: [x], resume: [x]}}`, "remote", "remote", "command", false, 0, "control.http control.http control.commands.pause"},
		"clock and flags":      {`control: {` + clock + `, flag: {a: {on: [x], off: [x], state: [x]}, b: {on: [x], off: [x], state: {http: {url: "http://127.0.0.1:1", member: .on}}}}}`, "nobody", "nobody", "nobody", true, 2, "  "},
	} {
		c := openControl(load(t, profileOf("http://127.0.0.1:1", row.control)), Options{})
		who := func(offered any) string {
			switch offered.(type) {
			case nil:
				return "nobody"
			case *control.Remote:
				return "remote"
			}
			return "command"
		}
		if who(c.Restart) != row.restart || who(c.Kill) != row.kill || who(c.Pause) != row.pause || (c.Clock != nil) != row.clock || len(c.Flags) != row.flags {
			t.Errorf("%s: %+v", name, c)
		}
		if keys := c.Keys[harness.CapProcessControl] + " " + c.Keys[harness.CapProcessKill] + " " + c.Keys[harness.CapProcessPause]; keys != row.keys {
			t.Errorf("%s: offered by %q, want %q", name, keys, row.keys)
		}
	}
}

// TestStoreLinkOfAProfile: a toxiproxy needs no supervisor, and takes its place
// where both are there.
func TestStoreLinkOfAProfile(t *testing.T) {
	const supervisor, proxy = `control: {http: "http://127.0.0.1:1"}`, `links: {store: {toxiproxy: "http://127.0.0.1:2", proxy: postgres}}`
	for name, row := range map[string]struct{ text, want string }{
		"nothing":                      {"", "nobody"},
		"a supervisor alone":           {supervisor, "nobody"},
		"a supervisor that drives it":  {supervisor + "\nlinks: {store: control}", "supervisor"},
		"a toxiproxy":                  {proxy, "toxiproxy"},
		"a toxiproxy and a supervisor": {supervisor + "\n" + proxy, "toxiproxy"},
	} {
		p := load(t, profileOf("http://127.0.0.1:1", row.text))
		got := "nobody"
		switch openControl(p, Options{}).Store.(type) {
		case *control.Store:
			got = "supervisor"
		case *toxiproxy.StoreLink:
			got = "toxiproxy"
		}
		if got != row.want {
			t.Errorf("%s: driven by %s, want %s", name, got, row.want)
		}
		info := p.Info()
		if offers := slices.Contains(info.Capabilities, harness.CapStoreLink); offers != (got != "nobody") {
			t.Errorf("%s: offered %v", name, offers)
		}
		if loses := slices.Contains(info.Capabilities, harness.CapStoreLoss); loses != (got == "supervisor") {
			t.Errorf("%s: loses answers %v", name, loses)
		}
	}
}
