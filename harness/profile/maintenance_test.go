package profile

import (
	"strings"
	"testing"
	"time"
)

func TestMaintenance(t *testing.T) {
	parse := func(window string) (*Profile, error) {
		text := `
target: {name: shop, url: "http://127.0.0.1:1", maintenance: [` + window + `]}
principals: {alice: {tenant: t1, header: {Authorization: Bearer one}}}
checkout: {path: /checkout}
`
		return Parse("profile.yaml", []byte(text), func(string) (string, bool) { return "", false })
	}
	p, err := parse(`{from: "2026-11-30T02:00:00Z", to: "2026-11-30T04:00:00+01:00", why: upgrade}`)
	if err != nil {
		t.Fatal(err)
	}
	windows := p.Info().Maintenance
	if len(windows) != 1 || windows[0].To.Sub(windows[0].From) != time.Hour || windows[0].Why != "upgrade" {
		t.Errorf("windows: %+v", windows)
	}
	if !windows[0].Covers(windows[0].From) || windows[0].Covers(windows[0].To) {
		t.Error("a window begins with its first moment and ends before its last")
	}
	for says, window := range map[string]string{
		"RFC 3339":               `{from: tonight, to: tomorrow, why: upgrade}`,
		"has to end after":       `{from: "2026-11-30T02:00:00Z", to: "2026-11-30T02:00:00Z", why: upgrade}`,
		"within seven days":      `{from: "2026-11-01T02:00:00Z", to: "2026-11-30T02:00:00Z", why: upgrade}`,
		"listed with its reason": `{from: "2026-11-30T02:00:00Z", to: "2026-11-30T03:00:00Z"}`,
	} {
		if _, err := parse(window); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", window, err, says)
		}
	}
}
