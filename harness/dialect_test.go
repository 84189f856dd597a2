package harness

import (
	"errors"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"
	"pgregory.net/rapid"
)

func TestClassify(t *testing.T) {
	conflict, busy := Refusal{Statuses: []int{409}, Code: "CONFLICT"}, Refusal{Statuses: []int{409}, Code: "BUSY"}
	told := Dialect{Mismatch: Mismatch{Refusal: conflict}, InProgress: InProgress{Refusal: busy},
		Declined: Refusal{Statuses: []int{200, 402}, Code: "declined"}, Pending: Refusal{Statuses: []int{200, 202}, Code: "pending"}}
	keeps := told
	keeps.RetryableFailure, keeps.StoreDown = "replay", Refusal{Statuses: []int{503}}
	alike := Dialect{Mismatch: Mismatch{Refusal: Refusal{Statuses: []int{409, 422}}}, InProgress: InProgress{Refusal: Refusal{Statuses: []int{409}}}}
	for _, row := range []struct {
		name    string
		dialect Dialect
		answer  Answer
		want    Class
		ends    bool
	}{
		{"mismatch by its code", told, Answer{Status: 409, Code: "CONFLICT"}, ClassMismatch, true},
		{"in progress by its code", told, Answer{Status: 409, Code: "BUSY"}, ClassInProgress, false},
		{"a conflict of another kind", told, Answer{Status: 409}, ClassRefused, true},
		{"success", told, Answer{Status: 200, Code: "ok"}, ClassSuccess, true},
		{"a decline with 200", told, Answer{Status: 200, Code: "declined"}, ClassDeclined, true},
		{"a decline with 402", told, Answer{Status: 402, Code: "declined"}, ClassDeclined, true},
		{"pending with 200", told, Answer{Status: 200, Code: "pending"}, ClassPending, false},
		{"throttled", told, Answer{Status: 429}, ClassUnavailable, false},
		{"a server error", told, Answer{Status: 500}, ClassUnavailable, false},
		{"a server error that is kept", keeps, Answer{Status: 500}, ClassFailed, true},
		{"throttled, where errors are kept", keeps, Answer{Status: 429}, ClassUnavailable, false},
		{"the store is down, where errors are kept", keeps, Answer{Status: 503}, ClassUnavailable, false},
		{"either of two: not over yet", alike, Answer{Status: 409}, ClassInProgress, false},
		{"mismatch by its status", alike, Answer{Status: 422}, ClassMismatch, true},
		{"a redirect", told, Answer{Status: 302}, ClassUnknown, false},
		{"nothing declared", Dialect{}, Answer{Status: 409}, ClassRefused, true},
	} {
		if got := row.dialect.Classify(row.answer); got != row.want || got.Terminal() != row.ends {
			t.Errorf("%s: %q, terminal %v; want %q, %v", row.name, got, got.Terminal(), row.want, row.ends)
		}
	}
}

func TestScopeOf(t *testing.T) {
	alice := Request{Tenant: "t1", Principal: "alice", Operation: "checkout", Keys: []string{"k"}}
	change := func(f func(*Request)) Request { r := alice; f(&r); return r }
	bob := change(func(r *Request) { r.Principal = "bob" })
	carol := change(func(r *Request) { r.Tenant, r.Principal = "t2", "carol" })
	cancel := change(func(r *Request) { r.Operation = "cancel" })
	twice := change(func(r *Request) { r.Keys = []string{"k", "l"} })
	for _, row := range []struct {
		name    string
		dialect Dialect
		other   Request
		same    bool
	}{
		{"principals apart", Dialect{Scope: []string{"tenant", "principal"}}, bob, false},
		{"principals of one account", Dialect{Scope: []string{"tenant"}}, bob, true},
		{"tenants are never one", Dialect{}, carol, false},
		{"operations apart", Dialect{Scope: []string{"operation"}}, cancel, false},
		{"versions are operations", Dialect{Scope: []string{"version"}}, cancel, false},
		{"one key for all operations", Dialect{Scope: []string{"tenant"}}, cancel, true},
		{"two lines are another key", Dialect{DuplicateHeader: "reject"}, twice, false},
		{"the first line counts", Dialect{DuplicateHeader: "first"}, twice, true},
	} {
		if got := row.dialect.ScopeOf(alice) == row.dialect.ScopeOf(row.other); got != row.same {
			t.Errorf("%s: same scope %v, want %v", row.name, got, row.same)
		}
	}
	optional := Dialect{Missing: MissingKey{Execute: true}}
	for line, want := range map[string]bool{"": true, "  ": true, "k": false} {
		if got := optional.Keyless(Request{Keys: []string{line}}); got != want {
			t.Errorf("%q without a key: %v", line, got)
		}
	}
	if (Dialect{}).Keyless(Request{Keys: []string{""}}) || !(Dialect{}).Keyless(Request{}) {
		t.Error("where a key is required, an empty one is a malformed key")
	}
}

func TestKeyLines(t *testing.T) {
	for _, row := range []struct{ syntax, line, key string }{
		{"raw", "k", "k"}, {"raw", `"k"`, `"k"`}, {"raw", "a b", "a b"},
		{"structured", `"k"`, "k"}, {"structured", ` "k" `, "k"}, {"structured", `"a\"b\\"`, `a"b\`}, {"structured", `""`, ""},
		{"either", "k", "k"}, {"either", `"k"`, "k"},
	} {
		if got, ok := (Dialect{KeySyntax: row.syntax}).KeyOf(row.line); !ok || got != row.key {
			t.Errorf("%s %s: %q %v", row.syntax, row.line, got, ok)
		}
	}
	for syntax, lines := range map[string][]string{
		"raw":        {" k", "k ", "k\x01", "k\x7f", "\xe9", "ключ"},
		"structured": {"k", `"k`, `k"`, `"k" "l"`, `"a\x"`, `"a\`, "42", "", `"k", "l"`, `"k";a=1`, "\"k\x01\""},
		"either":     {`"k`, "k\x01"},
	} {
		for _, line := range lines {
			if key, ok := (Dialect{KeySyntax: syntax}).KeyOf(line); ok {
				t.Errorf("%s: %q was read as %q", syntax, line, key)
			}
		}
	}
}

// TestKeyLinesProperty compares with an implementation of structured fields that
// is not ours.
func TestKeyLinesProperty(t *testing.T) {
	structured := Dialect{KeySyntax: "structured"}
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"\\ ;,=\t\x7fé1")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		key := text.Draw(t, "key")
		line, err := httpsfv.Marshal(httpsfv.NewItem(key))
		if err == nil && line != structured.KeyLine(key) {
			t.Fatalf("%q is written %s, want %s", key, structured.KeyLine(key), line)
		}
		if got, ok := structured.KeyOf(structured.KeyLine(key)); ok != (err == nil) || ok && got != key {
			t.Fatalf("%q is read back as %q, %v", key, got, ok)
		}
		line = text.Draw(t, "line")
		want, err := stringItem(line)
		if got, ok := structured.KeyOf(line); ok != (err == nil) || ok && got != want {
			t.Fatalf("the line %q is %q, %v; want %q, %v", line, got, ok, want, err)
		}
	})
}

// stringItem reads a line that holds one string without parameters.
func stringItem(line string) (string, error) {
	item, err := httpsfv.UnmarshalItem([]string{line})
	if err != nil {
		return "", err
	}
	text, ok := item.Value.(string)
	if !ok || len(item.Params.Names()) > 0 || strings.HasSuffix(strings.TrimRight(line, " "), ";") {
		return "", errors.New("not one string")
	}
	return text, nil
}
