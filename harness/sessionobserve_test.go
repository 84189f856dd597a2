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

// TestObserverClaims: what is claimed and cannot be read, or tells nothing, makes
// the run inconclusive, whether or not a scenario needs it.
func TestObserverClaims(t *testing.T) {
	records := []LogRecord{{Line: "a checkout"}}
	for name, row := range map[string]struct {
		metrics, logs *observed
		works         [2]bool
		says          string
	}{
		"both tell":           {&observed{metrics: Metrics{Text: "# HELP up\nup 1\n"}}, &observed{records: records}, [2]bool{true, true}, ""},
		"a known measure":     {&observed{metrics: Metrics{Values: map[string]int64{MetricServed: 0}}}, &observed{records: records}, [2]bool{true, true}, ""},
		"no sample":           {&observed{metrics: Metrics{Text: "# HELP up\n\n"}}, &observed{records: records}, [2]bool{false, true}, "holds not one sample"},
		"an empty log":        {&observed{metrics: Metrics{Text: "up 1\n"}}, &observed{}, [2]bool{true, false}, "holds not one record since the plain checkouts"},
		"neither can be read": {&observed{err: errors.New("no route")}, &observed{err: errors.New("no route")}, [2]bool{}, "no route"},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Info.Capabilities = append(target.Info.Capabilities, CapMetrics, CapLogs)
			target.Observe = Observer{Metrics: row.metrics, Logs: row.logs}
			e, _ := run(t, target, testCatalogue(oneOrder()), everything)
			got, said := [2]bool{}, ""
			for _, claim := range e.Run.Unmet() {
				said += claim.Reason
			}
			for _, claim := range e.Run.Claims {
				switch claim.Name {
				case string(CapMetrics):
					got[0] = claim.Works
				case string(CapLogs):
					got[1] = claim.Works
				}
			}
			if got != row.works || len(e.Run.Claims) != 2 || !strings.Contains(said, row.says) || (said == "") != (row.says == "") {
				t.Errorf("%+v, want %v and %q", e.Run.Claims, row.works, row.says)
			}
			if (e.Run.Exit == ExitGreen) != (row.works == [2]bool{true, true}) {
				t.Errorf("exit %d", e.Run.Exit)
			}
		}))
	}
}

// TestTheLogOutsideOfARun: a checkout is made for it.
func TestTheLogOutsideOfARun(t *testing.T) {
	bubble(func(t *testing.T) {
		for name, row := range map[string]struct {
			log     *observed
			gateway *GatewayInfo
			orders  int
			says    string
		}{
			"a record":             {&observed{records: []LogRecord{{Line: "a checkout"}}}, nil, 1, "1 records since a plain checkout"},
			"none":                 {&observed{}, nil, 1, "observe.logs: it was read and holds not one record since a plain checkout"},
			"that of a gateway":    {&observed{records: []LogRecord{{Line: "a call"}}}, &GatewayInfo{}, 0, "1 records at all"},
			"a gateway that sulks": {&observed{}, &GatewayInfo{}, 0, "not one record at all"},
		} {
			sells := &shop{}
			target := shopTarget(sells)
			target.Info.Capabilities, target.Info.Gateway = append(target.Info.Capabilities, CapLogs), row.gateway
			target.Observe, target.Probe = Observer{Logs: row.log}, nil
			got, err := TryClaims(t.Context(), target, t.TempDir(), func(Capability) bool { return false })
			if err != nil || len(got) != 1 || !strings.Contains(got[0].Reason, row.says) || len(sells.answers) != row.orders {
				t.Errorf("%s: %+v after %d orders, %v", name, got, len(sells.answers), err)
			}
		}
	})(t)
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
