package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func storing(t *testing.T, storage string) *Profile {
	t.Helper()
	p, err := Parse("profile.yaml", []byte(strings.Join([]string{
		`target: {name: x, url: "http://127.0.0.1:1"}`,
		`principals: {alice: {tenant: t1, header: {Authorization: "Bearer x"}}, auditor: {tenant: t1, roles: [auditor], header: {Authorization: "Bearer y"}}}`,
		`checkout: {path: /checkout, body: {cartId: "{{cart}}"}}`,
		`observe: {storage: ` + storage + `}`,
	}, "\n")), environment)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStorage: files alone let the store be searched; a record takes a way of its
// own, whose credentials are secret, and no files.
func TestStorage(t *testing.T) {
	for storage, want := range map[string][]harness.Capability{
		`{files: [shop.db*]}`: {harness.CapStorage},
		`{record: {command: [./record.sh, "{{requestId}}"]}}`:                                                              {harness.CapStoredRecord},
		`{files: [shop.db*], record: {command: [./record.sh, "{{requestId}}"]}}`:                                           {harness.CapStorage, harness.CapStoredRecord},
		`{files: [shop.db*], record: {sql: {dsn: "sqlite:shop.db", query: "select * from r where id = {{ requestId }}"}}}`: {harness.CapStorage, harness.CapStoredRecord},
	} {
		offered := storing(t, storage).Info().Capabilities
		for _, c := range []harness.Capability{harness.CapStorage, harness.CapStoredRecord} {
			if slices.Contains(offered, c) != slices.Contains(want, c) {
				t.Errorf("%s offers %v", storage, offered)
			}
		}
	}
	secrets := storing(t, `{files: [a], record: {http: {url: "http://127.0.0.1:2/{{requestId}}", header: {Authorization: "Bearer hidden-record-token"}}}}`).Secrets()
	if secrets["storage"] != "hidden-record-token" {
		t.Errorf("the credentials of a record are no secret: %d secrets", len(secrets))
	}
	if got := storing(t, `{files: [a], record: {sql: {dsn: "postgres://u:p@h/n", query: "select {{requestId}}"}}}`).Secrets()["storage:dsn"]; got == "" {
		t.Error("the address of the database is no secret")
	}
}

// TestOtherRole: who has a role is no second customer, and another role than
// support's is one that has to be refused.
func TestOtherRole(t *testing.T) {
	p := storing(t, `{files: [a]}`)
	if !p.otherRole() || p.secondPrincipal() || p.supportRole() {
		t.Errorf("an auditor: other role %v, second principal %v, support %v", p.otherRole(), p.secondPrincipal(), p.supportRole())
	}
}
