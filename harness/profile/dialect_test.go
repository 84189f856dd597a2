package profile

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

const rest = `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1}}
checkout: {path: /checkout}
`

func TestPresets(t *testing.T) {
	names := []string{}
	for _, d := range Dialects() {
		names = append(names, d.Name)
		got, err := Dialect(d.Name)
		if err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%s is not found by its name: %v", d.Name, err)
		}
		parse(t, "dialect: "+d.Name+rest) // validates
	}
	if got := strings.Join(names, " "); got != "srs srs-422 ietf acp ucp stripe join observe" {
		t.Errorf("presets %s", got)
	}
	if _, err := Dialect("srs-421"); err == nil || !strings.Contains(err.Error(), `did you mean "srs-422"?`) {
		t.Errorf("unknown preset: %v", err)
	}
}

// 409 means two things in the dialect of the requirements, and one in its
// variant; the code tells them apart.
func TestConflictAndInProgressAreToldApart(t *testing.T) {
	for _, test := range []struct {
		dialect harness.Dialect
		answer  harness.Answer
		want    harness.Class
	}{
		{srs(), harness.Answer{Status: 409, Code: "IDEMPOTENCY_CONFLICT"}, harness.ClassMismatch},
		{srs(), harness.Answer{Status: 409, Code: "REQUEST_IN_PROGRESS"}, harness.ClassInProgress},
		{srs(), harness.Answer{Status: 202}, harness.ClassPending},
		{srs(), harness.Answer{Status: 402, Code: "PAYMENT_DECLINED"}, harness.ClassDeclined},
		{srs422(), harness.Answer{Status: 422, Code: "IDEMPOTENCY_CONFLICT"}, harness.ClassMismatch},
		{srs422(), harness.Answer{Status: 409, Code: "IDEMPOTENCY_CONFLICT"}, harness.ClassRefused},
	} {
		if got := test.dialect.Classify(test.answer); got != test.want {
			t.Errorf("%s: %d %s is %q, want %q", test.dialect.Name, test.answer.Status, test.answer.Code, got, test.want)
		}
	}
}

func TestOverrides(t *testing.T) {
	p := parse(t, "dialect: {mismatch: {statuses: [409, 422]}, missing: execute, inProgress: wait, header: X-Key, base: srs-422}"+rest)
	d := p.Dialect
	if d.Base != "srs-422" || d.Name != "srs-422-custom" || d.Header != "X-Key" {
		t.Errorf("base %q, name %q, header %q", d.Base, d.Name, d.Header)
	}
	if want := (harness.Mismatch{Mode: "refuse", Refusal: harness.Refusal{Statuses: []int{409, 422}, Code: "IDEMPOTENCY_CONFLICT"}}); !reflect.DeepEqual(d.Mismatch, want) {
		t.Errorf("the rest of the knob was not kept: %+v", d.Mismatch)
	}
	if !d.Missing.Execute || len(d.Missing.Statuses) != 0 || d.InProgress.Mode != "wait" {
		t.Errorf("short forms: %+v %+v", d.Missing, d.InProgress)
	}
	if same := parse(t, "dialect: {base: srs, keyMax: 128}"+rest); same.Dialect.Name != "srs" {
		t.Errorf("an override that changes nothing renamed the dialect to %s", same.Dialect.Name)
	}
	if said := parse(t, "dialect: {base: srs, sameCart: refuse}"+rest); said.Dialect.Name != "srs" || said.Dialect.SameCart != "refuse" {
		t.Errorf("what no preset says made %q of it, sameCart %q", said.Dialect.Name, said.Dialect.SameCart)
	}
	if both := parse(t, "dialect: {base: srs, sameCart: refuse, keyMax: 64}"+rest); both.Dialect.Name != "srs-custom" {
		t.Errorf("an override beside it left the name %q", both.Dialect.Name)
	}
}

// TestPresetsRecogniseTheirAnswers: with the mapping that comes with a preset,
// the answers of its documentation mean what they mean there.
func TestPresetsRecogniseTheirAnswers(t *testing.T) {
	for _, row := range []struct {
		preset  string
		answer  harness.Answer
		class   harness.Class
		missing bool // it is the answer to a missing key
	}{
		{"ietf", harness.Answer{Status: 400}, harness.ClassRefused, true},
		{"ietf", harness.Answer{Status: 422, Code: "https://developer.example.com/idempotency"}, harness.ClassMismatch, false},
		{"ietf", harness.Answer{Status: 409}, harness.ClassInProgress, false},
		{"acp", harness.Answer{Status: 400, Code: "idempotency_key_required"}, harness.ClassRefused, true},
		{"acp", harness.Answer{Status: 422, Code: "idempotency_conflict"}, harness.ClassMismatch, false},
		{"acp", harness.Answer{Status: 409, Code: "idempotency_in_flight"}, harness.ClassInProgress, false},
		{"acp", harness.Answer{Status: 200, Code: "in_progress"}, harness.ClassPending, false},
		{"acp", harness.Answer{Status: 200, Code: "payment_declined"}, harness.ClassDeclined, false},
		{"acp", harness.Answer{Status: 200, Code: "low_stock"}, harness.ClassSuccess, false},
		{"acp", harness.Answer{Status: 503}, harness.ClassUnavailable, false},
		{"ucp", harness.Answer{Status: 409}, harness.ClassInProgress, false}, // or a mismatch: asking again tells
		{"ucp", harness.Answer{Status: 200, Code: "complete_in_progress"}, harness.ClassPending, false},
		{"ucp", harness.Answer{Status: 200, Code: "payment_failed"}, harness.ClassDeclined, false},
		{"stripe", harness.Answer{Status: 400, Code: "idempotency_error"}, harness.ClassMismatch, false},
		{"stripe", harness.Answer{Status: 409, Code: "idempotency_key_in_use"}, harness.ClassInProgress, false},
		{"stripe", harness.Answer{Status: 402, Code: "card_declined"}, harness.ClassDeclined, false},
		{"stripe", harness.Answer{Status: 500}, harness.ClassFailed, false},
		{"stripe", harness.Answer{Status: 429}, harness.ClassUnavailable, false},
		{"join", harness.Answer{Status: 409, Code: "IDEMPOTENCY_CONFLICT"}, harness.ClassMismatch, false},
		{"observe", harness.Answer{Status: 409, Code: "REQUEST_IN_PROGRESS"}, harness.ClassInProgress, false},
		{"observe", harness.Answer{Status: 422}, harness.ClassMismatch, false},
		{"observe", harness.Answer{Status: 500}, harness.ClassUnavailable, false},
	} {
		d, err := Dialect(row.preset)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Classify(row.answer); got != row.class || d.Missing.Matches(row.answer) != row.missing {
			t.Errorf("%s: %d %s is %q, for a missing key %v; want %q, %v", row.preset, row.answer.Status, row.answer.Code, got, d.Missing.Matches(row.answer), row.class, row.missing)
		}
	}
}

// TestEachPresetNamesItsSource: what a preset claims of somebody else's API has
// to say where it is from.
func TestEachPresetNamesItsSource(t *testing.T) {
	for _, d := range Dialects() {
		if strings.HasPrefix(d.Name, "srs") || d.Name == "observe" {
			continue // the requirements, and nothing
		}
		text, err := os.ReadFile("dialect_" + d.Name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", " ")), " ")
		for _, part := range []string{"Source", "2026", "From public documentation, not verified live."} {
			if !strings.Contains(comment, part) && (d.Name != "ietf" || part != "2026") {
				t.Errorf("%s does not say %q", d.Name, part)
			}
		}
	}
}
