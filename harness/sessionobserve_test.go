package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// observed is what a target tells of its inside. Its log grows as it is read.
type observed struct {
	metrics Metrics
	records []LogRecord // those of a reading each
	read    int
	err     error
}

func (o *observed) Metrics(context.Context) (Metrics, error) { return o.metrics, o.err }
func (o *observed) End(context.Context) (int64, error)       { return 7, o.err }

func (o *observed) Read(_ context.Context, since int64) ([]LogRecord, int64, error) {
	if o.err != nil || o.read == len(o.records) {
		return nil, since, o.err
	}
	o.read++
	return o.records[o.read-1 : o.read], since + 1, nil
}

// watching is oneOrder that reads what the target tells.
func watching(drive func(ctx context.Context, s *Session, c *Case) error) Catalogue {
	x := oneOrder()
	x.Drive = func(ctx context.Context, s *Session) error {
		c := s.Case("c")
		s.Send(ctx, c, Attempt{Principal: "alice"})
		return drive(ctx, s, c)
	}
	return testCatalogue(x)
}

func eventsOf(t *testing.T, dir, scenario string) (events []Event) {
	t.Helper()
	h, err := OpenHistory(HistoryFile(dir, scenario))
	if err != nil {
		t.Fatal(err)
	}
	for e := range h.Events() {
		events = append(events, e)
	}
	return events
}

// TestReadMetrics: values are recorded, and of the text only what holds a secret,
// which nobody can read then.
func TestReadMetrics(t *testing.T) {
	bubble(func(t *testing.T) {
		secret := canaryOf("run-1", CanaryKey)
		target := shopTarget(&shop{})
		target.Observe.Metrics = &observed{metrics: Metrics{Values: map[string]int64{MetricServed: 3}, Text: "fallback_served 3\ncalls{key=\"" + secret + "\"} 1\n"}}
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error { return s.ReadMetrics(ctx, c) }), everything)
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Type == MarkEvent && e.Mark.Name == MarkMetrics {
				if e.Mark.Count[MetricServed] != 3 || e.Mark.Count["lines"] != 2 || e.Mark.Detail != `calls{key="`+CanaryKey.Marker()+`"} 1` || e.Case != "x/one-order/c" {
					t.Errorf("read %+v of case %s", e.Mark, e.Case)
				}
				return
			}
		}
		t.Error("nothing was recorded")
	})(t)
}

// TestWatchLogs: records of the case's calls are kept, the spans of their traces,
// and what holds a secret, whoever wrote it.
func TestWatchLogs(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		log := &observed{}
		target.Observe.Logs = log
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
			log.records = []LogRecord{
				{Line: "theirs", CorrelationID: "corr-of-others", Trace: "t2", Span: "s3"},
				{Line: "child", Trace: "t1", Span: "s2", Parent: "s1"},
				{Line: "root", Trace: "t1", Span: "s1", CorrelationID: c.CorrelationID},
				{Line: "key " + s.Canary(CanaryKey)},
			}
			logs, err := s.WatchLogs(ctx)
			if err != nil {
				return err
			}
			return logs.Read(ctx, c)
		}), everything)
		var lines []string
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Type == LogEvent {
				lines = append(lines, strings.TrimPrefix(e.Case, "x/one-order/")+":"+e.Log.Line)
			}
			if e.Type == MarkEvent && e.Mark.Name == MarkLogs && (e.Mark.Count["lines"] != 4 || e.Mark.Count["kept"] != 3) {
				t.Errorf("counted %v", e.Mark.Count)
			}
		}
		if got, want := strings.Join(lines, ", "), "c:child, c:root, :key "+CanaryKey.Marker(); got != want {
			t.Errorf("kept %q, want %q", got, want)
		}
	})(t)
}

// TestObserveWithout: what the profile does not offer, and what cannot be read,
// keeps a scenario from passing.
func TestObserveWithout(t *testing.T) {
	metrics := func(ctx context.Context, s *Session, c *Case) error { _ = s.ReadMetrics(ctx, c); return nil }
	logs := func(ctx context.Context, s *Session, _ *Case) error { _, _ = s.WatchLogs(ctx); return nil }
	broken := &observed{err: errors.New("no route")}
	for name, row := range map[string]struct {
		drive   func(context.Context, *Session, *Case) error
		observe Observer
		want    string
	}{
		"no metrics":     {metrics, Observer{}, "declare observe.metrics"},
		"no log":         {logs, Observer{}, "declare observe.logs"},
		"broken metrics": {metrics, Observer{Metrics: broken}, "read the target's metrics: no route"},
		"a broken log":   {logs, Observer{Logs: broken}, "read the target's log: no route"},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Observe = row.observe
			e, dir := run(t, target, watching(row.drive), everything)
			if marks := strings.Join(marksOf(t, dir, "x/one-order"), "\n"); !strings.Contains(marks, row.want) {
				t.Errorf("marks %q, want %q", marks, row.want)
			}
			if got := e.Clauses[0].Verdict; got != Inconclusive {
				t.Errorf("%s, want inconclusive", got)
			}
		}))
	}
}

// TestObserverClaims: what is claimed and cannot be read makes the run
// inconclusive, whether or not a scenario needs it.
func TestObserverClaims(t *testing.T) {
	for name, err := range map[string]error{"works": nil, "does not work": errors.New("no route")} {
		t.Run(name, bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Info.Capabilities = append(target.Info.Capabilities, CapMetrics, CapLogs)
			target.Observe = Observer{Metrics: &observed{err: err}, Logs: &observed{err: err}}
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			tried := 0
			for _, claim := range e.Run.Claims {
				if claim.Name == string(CapMetrics) || claim.Name == string(CapLogs) {
					if tried++; claim.Works != (err == nil) {
						t.Errorf("%s: %+v", claim.Name, claim)
					}
				}
			}
			if tried != 2 || (e.Run.Exit == 0) != (err == nil) {
				t.Errorf("%d claims tried, exit %d", tried, e.Run.Exit)
			}
		}))
	}
}

// TestCanaries: they differ from each other and from run to run, and no history
// holds one.
func TestCanaries(t *testing.T) {
	seen := map[string]bool{}
	redact := NewRedactor(withCanaries(map[string]string{"principal:alice": "abcdefgh"}, "run-1"))
	for _, c := range []Canary{CanaryHeader, CanaryKey, CanaryBody, CanaryURL, CanaryUpstream} {
		for _, id := range []string{"run-1", "run-2"} {
			if text := canaryOf(id, c); seen[text] || len(text) != 36 {
				t.Errorf("%s of %s is %q, as another is", c, id, text)
			} else {
				seen[text] = true
			}
		}
		if got := redact.String("x=" + canaryOf("run-1", c)); got != "x="+c.Marker() {
			t.Errorf("%s is written as %q", c, got)
		}
	}
	if got := redact.String("abcdefgh"); got != AnyCanary+"principal:alice⟧" {
		t.Errorf("a secret of the target is written as %q", got)
	}
}

// TestFlagName: the flag for retries and fallback has its name, or is the only one.
func TestFlagName(t *testing.T) {
	for _, row := range [][2]string{{"resilience beta", FlagResilience}, {"switch", "switch"}, {"beta gamma", ""}, {"", ""}} {
		bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Control.Flags = map[string]Flag{}
			for _, flag := range strings.Fields(row[0]) {
				target.Control.Flags[flag] = &controlled{}
			}
			run(t, target, watching(func(_ context.Context, s *Session, _ *Case) error {
				if got, err := s.Flag(); got != row[1] || (err == nil) != (row[1] != "") {
					t.Errorf("of %q: %q, %v", row[0], got, err)
				}
				return nil
			}), everything)
		})(t)
	}
}
