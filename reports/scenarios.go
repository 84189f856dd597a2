package reports

import (
	"html/template"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// scenarioView is a scenario with its pictures and what its checks decided.
type scenarioView struct {
	harness.ScenarioResult
	Checks   []scenarioCheck
	Pictures []picture
	Untold   int    // cases without a picture
	Trouble  string // why the history could not be read
}

// scenarioCheck is a check as its scenario sees it.
type scenarioCheck struct {
	harness.CheckResult
	Clauses    []harness.ClauseID
	Invariants []string
}

// picture is a drawn case. SVG is empty where the page had no room for it.
type picture struct {
	Label   string
	Rows    int
	Witness bool
	Open    bool
	SVG     template.HTML
}

// pictureBudget bounds the pictures of a page, in bytes: a report has to open
// on a phone. The histories have everything.
const pictureBudget = 1_800_000

// scenarioViews lists the scenarios with the failed and the unclear first, and
// draws as many pictures as there is room for.
func scenarioViews(e harness.Evidence, open func(string) (*harness.History, error)) []scenarioView {
	checks := checksByScenario(e)
	views := make([]scenarioView, 0, len(e.Scenarios))
	for _, s := range e.Scenarios {
		views = append(views, scenarioView{ScenarioResult: s, Checks: checks[s.ID]})
	}
	slices.SortStableFunc(views, func(a, b scenarioView) int { return urgency(a.Verdict) - urgency(b.Verdict) })
	if open == nil {
		return views
	}
	diagrams := make([][]diagram, len(views))
	for i := range views {
		diagrams[i] = views[i].diagrams(e, open)
	}
	draw(views, diagrams)
	return views
}

func urgency(o harness.Outcome) int {
	switch o {
	case harness.Fail:
		return 0
	case harness.Inconclusive:
		return 1
	case harness.Pass:
		return 2
	}
	return 3
}

// checksByScenario turns the evidence around: what each scenario decided, a
// check once with all its clauses.
func checksByScenario(e harness.Evidence) map[string][]scenarioCheck {
	list := map[string][]scenarioCheck{}
	entry := func(c harness.CheckResult) *scenarioCheck {
		mine := list[c.Scenario]
		for i := range mine {
			if mine[i].Name == c.Name && mine[i].Verdict == c.Verdict && mine[i].Reason == c.Reason {
				return &mine[i]
			}
		}
		list[c.Scenario] = append(mine, scenarioCheck{CheckResult: c})
		return &list[c.Scenario][len(mine)]
	}
	for _, clause := range e.Clauses {
		for _, c := range clause.Checks {
			s := entry(c)
			s.Clauses = append(s.Clauses, clause.ID)
		}
	}
	for _, inv := range e.Invariants {
		for _, c := range inv.Checks {
			s := entry(c)
			s.Invariants = append(s.Invariants, inv.ID)
		}
	}
	return list
}

func (v *scenarioView) diagrams(e harness.Evidence, open func(string) (*harness.History, error)) []diagram {
	if v.History == "" {
		return nil
	}
	h, err := open(v.History)
	if err != nil {
		v.Trouble = err.Error()
		return nil
	}
	d := drawing{header: h.Header, kinds: effectKinds(e.Target), witness: map[int64]bool{}}
	for _, c := range v.Checks {
		if c.Verdict != harness.Fail && c.Verdict != harness.Inconclusive {
			continue
		}
		for _, w := range c.Witness {
			d.witness[w.Seq] = true
		}
	}
	stories, untold, err := tell(h, d.witness)
	v.Untold = untold
	if err != nil {
		v.Trouble = err.Error()
	}
	var list []diagram
	for _, s := range stories {
		list = append(list, d.diagram(s))
	}
	return list
}

func effectKinds(t harness.TargetInfo) map[string]string {
	kinds := map[string]string{}
	for _, l := range t.Links {
		for _, op := range l.Operations {
			if op.Effect != "" {
				kinds[l.Name+"/"+op.Name] = op.Effect
			}
		}
	}
	return kinds
}

// draw paints in rounds: every scenario's first picture before anybody's
// second, so that a scenario with many cases cannot take the room of others.
func draw(views []scenarioView, diagrams [][]diagram) {
	left := pictureBudget
	rounds := 0
	for i := range views {
		views[i].Pictures = make([]picture, len(diagrams[i]))
		rounds = max(rounds, len(diagrams[i]))
	}
	for n := range rounds {
		for i := range views {
			if n >= len(diagrams[i]) {
				continue
			}
			d := diagrams[i][n]
			p := picture{Label: d.label, Rows: len(d.rows), Witness: d.witness, Open: n == 0 || d.witness}
			id := anchor("s-", views[i].ID)
			if svg := d.svg(id, n); len(svg) <= left {
				p.SVG = svg
				left -= len(svg)
			}
			views[i].Pictures[n] = p
		}
	}
}
