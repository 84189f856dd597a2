package rig

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// TestOpenOutbox: each way that a profile may declare is opened, and closed again.
func TestOpenOutbox(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho '{\"position\":2,\"eventId\":\"e-1\",\"correlationId\":\"after '$1'\"}'\n"
	if err := os.WriteFile(filepath.Join(dir, "outbox.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for way, works := range map[string]bool{
		`{command: [./outbox.sh, "{{since}}"]}`:                                               true,
		`{sql: {dsn: "sqlite:shop.db", query: "select n as position, event_id from outbox"}}`: true,
		`{sql: {dsn: "mysql:x", query: "select 1"}}`:                                          false,
		`{http: {url: "http://127.0.0.1:1/outbox?since={{since}}", jq: ".entries[]"}}`:        true,
		`{http: {url: "http://127.0.0.1:1/outbox", jq: ".["}}`:                                false,
	} {
		p, err := profile.Parse(filepath.Join(dir, "profile.yaml"), []byte(strings.Join([]string{
			`target: {name: x, url: "http://127.0.0.1:1"}`, `principals: {alice: {tenant: t1, header: {Authorization: "Bearer x"}}}`,
			`checkout: {path: /checkout, body: {cartId: "{{cart}}"}}`, `observe: {outbox: ` + way + `}`}, "\n")), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		r := &Rig{Target: &harness.Target{}}
		err = r.openOutbox(p, &tls.Config{MinVersion: tls.VersionTLS12})
		if (err == nil) != works || (r.Target.Observe.Outbox != nil) != works {
			t.Errorf("%s: %v", way, err)
		}
		if strings.Contains(way, "command") {
			events, err := r.Target.Observe.Outbox.Events(t.Context(), 1)
			if err != nil || len(events) != 1 || events[0].EventID != "e-1" || events[0].CorrelationID != "after 1" {
				t.Errorf("%+v, %v", events, err)
			}
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
