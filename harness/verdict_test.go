package harness

import (
	"testing"

	"pgregory.net/rapid"
)

func TestZeroVerdictIsInconclusive(t *testing.T) {
	var v Verdict
	if v.Outcome != Inconclusive {
		t.Fatalf("the zero verdict is %s", v.Outcome)
	}
}

func TestMerge(t *testing.T) {
	v := func(o Outcome) Verdict { return Verdict{Outcome: o} }
	for _, row := range []struct {
		in   []Verdict
		want Outcome
	}{
		{nil, NotVerified},
		{[]Verdict{v(Pass)}, Pass},
		{[]Verdict{v(Pass), v(NotVerified)}, NotVerified},
		{[]Verdict{v(NotVerified), v(Inconclusive), v(Pass)}, Inconclusive},
		{[]Verdict{v(Inconclusive), v(Fail), v(Pass)}, Fail},
		{[]Verdict{v(NotApplicable), v(Pass)}, Pass},
		{[]Verdict{v(NotApplicable)}, NotApplicable},
		{[]Verdict{v(Outcome(42)), v(Pass)}, Outcome(42)},
	} {
		if got := Merge(row.in...).Outcome; got != row.want {
			t.Errorf("%v merges to %s, want %s", row.in, got, row.want)
		}
	}
}

// TestMergeNeverImproves: adding a verdict never makes the merged one greener.
func TestMergeNeverImproves(t *testing.T) {
	outcome := rapid.Map(rapid.IntRange(int(Inconclusive), int(NotApplicable)), func(i int) Verdict { return Verdict{Outcome: Outcome(i)} })
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(outcome, 1, 8).Draw(t, "list")
		more := outcome.Draw(t, "more")
		if Merge(append(list, more)...).Outcome == Pass && Merge(list...).Outcome != Pass && Merge(list...).Outcome != NotApplicable {
			t.Fatalf("%v became green by adding %v", list, more)
		}
	})
}

func TestOutcomeText(t *testing.T) {
	for o := Inconclusive; o <= NotApplicable; o++ {
		text, _ := o.MarshalText()
		var back Outcome
		if err := back.UnmarshalText(text); err != nil || back != o {
			t.Errorf("%s reads back as %s: %v", o, back, err)
		}
	}
	var o Outcome
	if err := o.UnmarshalText([]byte("green")); err == nil {
		t.Error("green is no verdict")
	}
}
