package check

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestBodyDifference(t *testing.T) {
	const long = 16 << 10
	for _, row := range []struct{ name, winner, loser, want string }{
		{"another text", `{"orderId":"o1","at":"10:00"}`, `{"orderId":"o1","at":"10:01"}`, "at .at: another text"},
		{"another number", `{"a":{"n":1}}`, `{"a":{"n":2}}`, "at .a.n: another number"},
		{"another spelling of a number", `{"n":1.0}`, `{"n":1}`, "at .n: another number"},
		{"another truth", `{"paid":true}`, `{"paid":false}`, "at .paid: another truth value"},
		{"another type", `{"n":1}`, `{"n":"1"}`, "at .n: text, the winner's is number"},
		{"null", `{"n":{}}`, `{"n":null}`, "at .n: null, the winner's is object"},
		{"a member less", `{"a":1,"b":2}`, `{"a":1}`, "at .b: missing"},
		{"a member more", `{"a":1}`, `{"a":1,"b":2}`, "at .b: not in the winner's"},
		{"an element more", `{"items":[1,2]}`, `{"items":[1,2,3]}`, "at .items: 3 elements, the winner's has 2"},
		{"within a list", `{"items":[{"n":1},{"n":2}]}`, `{"items":[{"n":1},{"n":3}]}`, "at .items[1].n: another number"},
		{"the first of several, by name", `{"z":1,"b":1,"a":1}`, `{"z":2,"b":2,"a":1}`, "at .b: another number"},
		{"no object at all", `[]`, `{}`, "at the top: object, the winner's is list"},
		{"the order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, "from byte 2 on, where the same JSON is spelt otherwise"},
		{"a blank", `{"a":1}`, `{"a": 1}`, "from byte 5 on, where the same JSON is spelt otherwise"},
		{"no JSON", "done at 10:00", "done at 10:01", "from byte 12 of what the history holds"},
		{"JSON against none", `{"a":1}`, `{"a":1`, "from byte 6 of what the history holds"},
		{"cut off where both are alike", strings.Repeat("x", long), strings.Repeat("x", long), "in a part that the history does not hold: beyond the first 16 KiB, or within a secret"},
		{"a secret that was replaced", `{"token":"⟦canary:pan⟧"}`, `{"token":"⟦canary:pan⟧"}`, "in a part that the history does not hold: beyond the first 16 KiB, or within a secret"},
	} {
		got := bodyDifference(harness.Answer{Body: row.winner, BodyBytes: 30}, harness.Answer{Body: row.loser, BodyBytes: 31})
		if want := row.want + " (31 bytes, the winner's has 30)"; got != want {
			t.Errorf("%s: %q, want %q", row.name, got, want)
		}
	}
	got := bodyDifference(harness.Answer{Body: `{"` + strings.Repeat("n", 300) + `":1}`}, harness.Answer{Body: `{}`})
	if len([]rune(got)) > 200 {
		t.Errorf("a name that the target chose is quoted at length: %s", got)
	}
}

// A message with two sides that look the same helps nobody: what the loser got
// has to be told apart from the winner's answer, without quoting it.
func TestLosersConvergeSaysWhatDiffers(t *testing.T) {
	winner := harness.Answer{Status: 201, OrderID: "o1", JSON: true, Body: `{"orderId":"o1","receipt":"ABC"}`, BodySHA256: "1", BodyBytes: 32}
	as := func(change func(*harness.Answer)) harness.Answer {
		a := winner
		change(&a)
		return a
	}
	for _, row := range []struct {
		name     string
		loser    harness.Answer
		observed string
	}{
		{"the body alone", as(func(a *harness.Answer) {
			a.Body, a.BodySHA256 = `{"orderId":"o1","receipt":"XYZ"}`, "2"
		}), "201, order o1, in another body: it differs at .receipt: another text (32 bytes, the winner's has 32)"},
		{"the order", as(func(a *harness.Answer) { a.OrderID, a.BodySHA256 = "o2", "2" }), "201, order o2"},
		{"the status", as(func(a *harness.Answer) { a.Status = 200 }), "200, order o1"},
		{"a refusal", harness.Answer{Status: 402, Code: "PAYMENT_DECLINED", BodySHA256: "2"}, "402 PAYMENT_DECLINED, no order"},
	} {
		v := LosersConverge(All())(repeated(busy, winner).send("a", keyKFinal, row.loser).history())
		if v.Outcome != harness.Fail || v.Expected != "the winner's answer (201, order o1)" || v.Observed != row.observed {
			t.Errorf("%s: %s, expected %q, observed %q", row.name, v.Outcome, v.Expected, v.Observed)
		}
		if strings.Contains(v.Reason, "XYZ") || strings.Contains(v.Reason, "ABC") {
			t.Errorf("%s: the reason quotes a body: %s", row.name, v.Reason)
		}
	}
}
