package profile

import (
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
	if got := strings.Join(names, " "); got != "srs srs-422" {
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
}
