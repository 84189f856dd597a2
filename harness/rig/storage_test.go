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

// TestOpenStorage: what the profile names relative to itself is found there, and
// what is closed again is what was opened.
func TestOpenStorage(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"shop.db": "cart-1", "record.sh": "#!/bin/sh\necho '{\"requestId\":\"'$1'\"}'\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for way, works := range map[string]bool{
		"": true, `, record: {command: [./record.sh, "{{requestId}}"]}`: true,
		`, record: {http: {url: "http://127.0.0.1:1/{{requestId}}", jq: ".["}}`:               false,
		`, record: {sql: {dsn: "mysql:x", query: "select {{requestId}}"}}`:                    false,
		`, record: {sql: {dsn: "sqlite:shop.db", query: "select 1 where {{requestId}} = 1"}}`: true,
	} {
		p, err := profile.Parse(filepath.Join(dir, "profile.yaml"), []byte(strings.Join([]string{
			`target: {name: x, url: "http://127.0.0.1:1"}`, `principals: {alice: {tenant: t1, header: {Authorization: "Bearer x"}}}`,
			`checkout: {path: /checkout, body: {cartId: "{{cart}}"}}`, `observe: {storage: {files: ["*.db"]` + way + `}}`}, "\n")), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		r := &Rig{Target: &harness.Target{}}
		err = r.openStorage(p, &tls.Config{MinVersion: tls.VersionTLS12})
		if (err == nil) != works {
			t.Errorf("%s: %v", way, err)
		}
		if err != nil {
			continue
		}
		files, err := r.Target.Observe.Storage.Search(t.Context(), map[string]string{"control": "cart-1"})
		if err != nil || len(files) != 1 || files[0].Found["control"] != 1 {
			t.Errorf("%s: %+v, %v", way, files, err)
		}
		if strings.Contains(way, "command") {
			if record, err := r.Target.Observe.Records.Record(t.Context(), "r-1"); err != nil || record.RequestID != "r-1" {
				t.Errorf("%+v, %v", record, err)
			}
		}
		if (r.Target.Observe.Records != nil) != (way != "") {
			t.Errorf("%q: records are read: %v", way, r.Target.Observe.Records != nil)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
