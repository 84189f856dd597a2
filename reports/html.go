package reports

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

//go:embed page
var pageFiles embed.FS

// HTML renders report.html: one file that needs no network, works without
// scripts, and has a picture of every case it has a history for. open returns
// the history behind a path of the evidence; nil leaves the pictures out. A
// history that cannot be read is named in the page and does not stop it.
func HTML(w io.Writer, e harness.Evidence, open func(path string) (*harness.History, error)) error {
	page, err := newPage(e, open)
	if err != nil {
		return fmt.Errorf("prepare the HTML report: %w", err)
	}
	t, err := template.New("page.tmpl").Funcs(template.FuncMap{
		"icon": icon, "plural": plural, "span": span, "line": oneLine, "threshold": thresholdText, "arg": newArg,
	}).ParseFS(pageFiles, "page/*.tmpl")
	if err != nil {
		return fmt.Errorf("parse the HTML report: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page); err != nil {
		return fmt.Errorf("render the HTML report: %w", err)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

// page is what the template shows.
type page struct {
	E          harness.Evidence
	CSS        template.CSS
	JS         template.JS
	Policy     string // the page's content security policy: no network at all
	Headline   string
	Standing   string
	Tone       harness.Outcome
	Shares     []share
	Facts      []fact
	Effects    []effectRow
	Failures   []finding
	Unclear    []finding
	Known      []finding
	KnownTold  []harness.KnownResult // known failures that did not fail as they should
	Cards      []card
	Scenarios  []scenarioView
	Gaps       []gap
	Signs      []signLegend
	HasNothing bool // neither failure nor inconclusive
}

// share is one verdict's part of all clauses.
type share struct {
	Verdict harness.Outcome
	Count   int
	X, W    float64 // of 1000
}

// arg hands a part of the template the page, a value and what belongs to it.
type arg struct {
	Page  page
	Value any
	Extra any
}

func newArg(p page, value any, extra ...any) arg {
	a := arg{Page: p, Value: value}
	if len(extra) > 0 {
		a.Extra = extra[0]
	}
	return a
}

type fact struct{ Name, Value string }

type effectRow struct {
	Kind string
	harness.EffectTotals
}

type signLegend struct{ Name, Meaning string }

func newPage(e harness.Evidence, open func(string) (*harness.History, error)) (page, error) {
	css, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return page{}, err
	}
	js, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return page{}, err
	}
	sum := sha256.Sum256(js)
	p := page{
		E: e, CSS: template.CSS(css), JS: template.JS(js), Headline: headline(e),
		Policy:   "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Shares:   shares(e.Totals),
		Facts:    facts(e),
		Failures: findings(e, harness.Fail), Unclear: findings(e, harness.Inconclusive),
		Known: knownFindings(e), KnownTold: knownTold(e.Known),
		Cards: cards(e), Gaps: gaps(e), Signs: signLegends(),
		Scenarios: scenarioViews(e, open),
	}
	p.Standing, p.Tone = standing(e)
	p.HasNothing = len(p.Failures)+len(p.Unclear)+len(p.Known)+len(p.KnownTold) == 0
	for _, kind := range slices.Sorted(maps.Keys(e.Effects)) {
		p.Effects = append(p.Effects, effectRow{kind, e.Effects[kind]})
	}
	return p, nil
}

func shares(t harness.Totals) []share {
	list := []share{
		{Verdict: harness.Fail, Count: t.Fail}, {Verdict: harness.Inconclusive, Count: t.Inconclusive}, {Verdict: harness.Pass, Count: t.Pass},
		{Verdict: harness.NotVerified, Count: t.NotVerified}, {Verdict: harness.NotApplicable, Count: t.NotApplicable},
	}
	total := max(1, t.Pass+t.Fail+t.Inconclusive+t.NotVerified+t.NotApplicable)
	x := 0.0
	for i := range list {
		list[i].X, list[i].W = x, 1000*float64(list[i].Count)/float64(total)
		x += list[i].W
	}
	return list
}

func facts(e harness.Evidence) []fact {
	r := e.Run
	list := []fact{
		{"Target", e.Target.Name + " " + e.Target.Version},
		{"Dialect", e.Target.Dialect.Name},
		{"Requirements", e.Target.Requirements},
		{"Run", r.ID},
		{"Seed", strconv.FormatUint(r.Seed, 10)},
		{"Lane", r.Lane},
		{"Started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"Took", r.Finished.Sub(r.Started).Round(10 * time.Millisecond).String()},
		{"Ledger watched", watched(r)},
		{"Suite", r.Suite.Version + " " + r.Suite.Commit},
		{"Host", fmt.Sprintf("%s/%s, %s", r.Host.OS, r.Host.Arch, plural(r.Host.CPUs, "CPU"))},
		{"Profile", shorten(e.Target.ProfileSHA256, 17)},
		{"Exit code", strconv.Itoa(r.Exit)},
	}
	return slices.DeleteFunc(list, func(f fact) bool { return strings.TrimSpace(f.Value) == "" })
}

// signLegends explains the signs of the pictures, in the order of the page.
func signLegends() []signLegend {
	return []signLegend{
		{"reset", "connection reset"}, {"close", "connection closed"}, {"stall", "held back"}, {"delay", "delayed"},
		{"status", "answered by the link"}, {"truncate", "cut short"}, {"garbage", "not HTTP"}, {"duplicate", "sent twice"}, {"cut", "did not arrive"},
	}
}

// Anchors. Ids of clauses and scenarios are names with dots and slashes; both
// are legal in a fragment once slashes are replaced.
func anchor(prefix, id string) string {
	return prefix + strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
}

// ClauseAnchor returns the id of a clause's row. Like the methods below it is
// here so that the template can ask for it.
func (page) ClauseAnchor(id harness.ClauseID) string { return anchor("c-", string(id)) }

// ScenarioAnchor returns the id of a scenario's section.
func (page) ScenarioAnchor(id string) string { return anchor("s-", id) }

// EventAnchor returns the id of an event in a scenario's pictures.
func (page) EventAnchor(scenario string, seq int64) string {
	return anchor("s-", scenario) + "-e" + strconv.FormatInt(seq, 10)
}

// Count returns how many clauses have a verdict.
func (p page) Count(o harness.Outcome) int {
	for _, s := range p.Shares {
		if s.Verdict == o {
			return s.Count
		}
	}
	return 0
}

// Scaled reports whether a verdict was reached at other times than the
// required ones.
func (page) Scaled(scale float64) bool { return scale != 0 && scale != 1 }

// FindingTitle names a finding.
func (page) FindingTitle(f finding) string { return findingTitle(f) }

// Why returns the reason of a verdict, or says that there is none.
func (page) Why(reason string) string { return cmp.Or(oneLine(reason), "no reason was given") }

// KnownText says who answers for a known failure.
func (page) KnownText(k harness.Known) string { return knownText(k) }

// KnownTone is the verdict that an entry of the list of known failures amounts to.
func (page) KnownTone(k harness.KnownResult) harness.Outcome { return knownTone(k) }

// Many reports whether a finding names more clauses than a reader wants to
// scroll past.
func (page) Many(f finding) bool { return len(f.Clauses) > maxNamedClauses }

// watched says for how long late effects would have been seen.
func watched(r harness.RunInfo) string {
	if r.WatchedMS == 0 {
		return "not after the run"
	}
	return (time.Duration(r.WatchedMS) * time.Millisecond).Round(100*time.Millisecond).String() + " after the last scenario"
}
