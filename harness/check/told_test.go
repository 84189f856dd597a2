package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// reads is a reading of the metrics.
func (g *through) reads(c string, values map[string]int64) *through {
	e := harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkMetrics, Count: map[string]int64{"lines": 9}}}
	if c != "" {
		e.Case = "t/s/" + c
	}
	for name, v := range values {
		e.Mark.Count[name] = v
	}
	g.add(e)
	return g
}

// logs is a record of the log.
func (g *through) logs(c string, r harness.LogRecord) *through {
	g.add(harness.Event{Type: harness.LogEvent, Case: "t/s/" + c, Log: &r})
	return g
}

// readLogs says that so many lines of the log were read.
func (g *through) readLogs(lines int64) *through {
	g.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": lines}}})
	return g
}

func TestFallbacksCounted(t *testing.T) {
	count := func(served, eligible int64) map[string]int64 {
		return map[string]int64{harness.MetricServed: served, harness.MetricEligible: eligible}
	}
	run := func(second harness.Answer, after map[string]int64) *story {
		return throughGateway().ask("a@gateway", alice, seedAnswer, gives).ask("b@gateway", alice, seedAnswer, gives).reads("", count(3, 5)).
			ask("a@gateway", alice, fellBack(), fails).ask("b@gateway", alice, second, fails).reads("", after).story
	}
	judgeAll(t, FallbacksCounted(All(), true, 1),
		judged{"a miss shows", run(down503, count(4, 7)), harness.Pass},
		judged{"only served is counted", run(down503, count(4, 6)), harness.Fail},
		judged{"served is not counted", run(down503, count(3, 7)), harness.Fail},
		judged{"eligible is not exposed", run(down503, map[string]int64{harness.MetricServed: 4}), harness.Inconclusive},
		judged{"no call missed", run(fellBack(), count(5, 7)), harness.Inconclusive},
	)
	judgeAll(t, FallbacksCounted(All(), false, 0),
		judged{"two were served", run(fellBack(), count(5, 7)), harness.Pass},
		judged{"silent", run(fellBack(), count(3, 5)), harness.Fail},
		judged{"counted twice", run(fellBack(), count(7, 7)), harness.Fail},
		judged{"none was served", throughGateway().ask("a@gateway", alice, seedAnswer, gives).reads("", count(3, 5)).ask("a@gateway", alice, down503, fails).reads("", count(3, 5)).story, harness.Inconclusive},
		judged{"read once", throughGateway().ask("a@gateway", alice, seedAnswer, gives).reads("", count(3, 5)).ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
		judged{"the call lies outside", seeded().ask("a@gateway", alice, fellBack(), fails).reads("", count(3, 5)).reads("", count(4, 5)).story, harness.Inconclusive},
	)
}

func TestFlagShown(t *testing.T) {
	one := harness.FeatureMetric(harness.FlagResilience)
	gauges := func(on, off int64, name string) *story {
		return throughGateway().reads("on", map[string]int64{name: on}).reads("off", map[string]int64{name: off}).story
	}
	judgeAll(t, FlagShown("on", "off"),
		judged{"both states", gauges(1, 0, one), harness.Pass},
		judged{"a gauge that all flags share", gauges(1, 0, harness.MetricFeature), harness.Pass},
		judged{"always on", gauges(1, 1, one), harness.Fail},
		judged{"the instances disagree", gauges(1, harness.FeatureMixed, one), harness.Fail},
		judged{"no gauge", gauges(1, 0, "other"), harness.Inconclusive},
		judged{"read in one state only", throughGateway().reads("on", map[string]int64{one: 1}).story, harness.Inconclusive},
	)
}

func TestAttemptsLogged(t *testing.T) {
	record := func(n int, outcome string) harness.LogRecord {
		return harness.LogRecord{Line: "{}", Dependency: "catalog", Attempt: n, Outcome: outcome, CorrelationID: callID(1)}
	}
	call := func(records ...harness.LogRecord) *story {
		g := throughGateway().ask("a@gateway", alice, seedAnswer, fails, gives)
		for _, r := range records {
			g.logs("a@gateway", r)
		}
		return g.readLogs(40).story
	}
	span := record(2, "answered")
	span.Span, span.End = "s1", time.Unix(1, 0)
	other := record(1, "failed")
	other.CorrelationID = "corr-other"
	noDependency := record(1, "failed")
	noDependency.Dependency = ""
	judgeAll(t, AttemptsLogged(All()),
		judged{"both", call(record(1, "failed"), record(2, "answered")), harness.Pass},
		judged{"only the last", call(record(2, "answered")), harness.Fail},
		judged{"a span is no record", call(record(1, "failed"), span), harness.Fail},
		judged{"without the call's id", call(other, record(2, "answered")), harness.Fail},
		judged{"without the dependency", call(noDependency, record(2, "answered")), harness.Fail},
		judged{"without the outcome", call(record(1, ""), record(2, "answered")), harness.Fail},
		judged{"one outcome for all", call(record(1, "ok"), record(2, "ok")), harness.Fail},
		judged{"none", call(), harness.Fail},
		judged{"the wrong file", throughGateway().ask("a@gateway", alice, seedAnswer, gives).readLogs(0).story, harness.Inconclusive},
		judged{"not read", throughGateway().ask("a@gateway", alice, seedAnswer, gives).story, harness.Inconclusive},
		judged{"no request", throughGateway().ask("a@gateway", alice, seedAnswer).readLogs(4).story, harness.Inconclusive},
	)
}

func TestTraced(t *testing.T) {
	at := time.Unix(100, 0)
	span := func(id, parent string, attempt int, took time.Duration, failed bool) harness.LogRecord {
		return harness.LogRecord{Line: "{}", Trace: "t", Span: id, Parent: parent, Attempt: attempt, CorrelationID: callID(1), Start: at, End: at.Add(took), Failed: failed}
	}
	call := func(a harness.Answer, spans ...harness.LogRecord) *story {
		g := throughGateway().ask("a@gateway", alice, a, fails, gives)
		for _, r := range spans {
			g.logs("a@gateway", r)
		}
		return g.readLogs(40).story
	}
	whole := span("c", "", 0, 95*time.Millisecond, false)
	first, second := span("1", "c", 1, time.Millisecond, true), span("2", "c", 2, time.Millisecond, false)
	long := span("c", "", 0, 4*time.Second, false)
	// slow is a call that took 3 s longer for its caller: its dependency's doing if
	// its last request lasted until then, or else the gateway's own.
	slow := func(last time.Duration, took time.Duration) *story {
		g := throughGateway().ask("a@gateway", alice, down503, fails, fails)
		g.at(g.now + 3*time.Second)
		g.events[2].Call.Ended += last
		for _, r := range []harness.LogRecord{span("c", "", 0, took, true), first, span("2", "c", 2, time.Millisecond, true)} {
			g.logs("a@gateway", r)
		}
		return g.readLogs(40).story
	}
	judgeAll(t, Traced(All()),
		judged{"one of the call, two of its attempts", call(seedAnswer, first, second, whole), harness.Pass},
		judged{"a failure that failed", call(down503, first, second, span("c", "", 0, 95*time.Millisecond, true)), harness.Pass},
		judged{"a failure that did not", call(down503, first, second, whole), harness.Fail},
		judged{"a success that failed", call(seedAnswer, first, second, span("c", "", 0, 95*time.Millisecond, true)), harness.Fail},
		judged{"retries inside one span", call(seedAnswer, first, whole), harness.Fail},
		judged{"no span of the call", call(seedAnswer, first, second), harness.Fail},
		judged{"each attempt for itself", call(seedAnswer, first, span("2", "d", 2, time.Millisecond, false), whole), harness.Fail},
		judged{"longer than the call", call(seedAnswer, first, second, long), harness.Fail},
		judged{"ended before the call", slow(3*time.Second, 95*time.Millisecond), harness.Fail},
		judged{"as long as at the dependency", slow(3*time.Second, 3*time.Second), harness.Pass},
		judged{"a store kept the caller waiting", slow(0, 95*time.Millisecond), harness.Pass},
		judged{"ends with the call, where the dependency noticed later", slow(9*time.Second, 4*time.Second), harness.Pass},
		judged{"the log holds no spans", call(seedAnswer, harness.LogRecord{Line: "{}", Attempt: 1, CorrelationID: callID(1)}), harness.NotVerified},
		judged{"not read", throughGateway().ask("a@gateway", alice, seedAnswer, gives).story, harness.Inconclusive},
	)
}

func TestSecretsKept(t *testing.T) {
	key, upstream := harness.CanaryKey, harness.CanaryUpstream
	passedOn := harness.Answer{Status: 404, Body: upstream.Marker(), BodySHA256: "x"}
	run := func(change func(g *through), told harness.Answer) *story {
		g := throughGateway()
		g.header.Capabilities = []harness.Capability{harness.CapLogs, harness.CapMetrics}
		g.ask("passed@gateway", alice, passedOn, meets{status: 404, body: "x"}).ask("told@gateway", alice, told, fails)
		for _, e := range g.events {
			if e.Call != nil {
				e.Call.Key = key.Marker()
			}
		}
		change(g)
		return g.story
	}
	whole := func(g *through) {
		g.logs("told@gateway", harness.LogRecord{Line: `{"msg":"attempt"}`}).readLogs(9).reads("", nil)
	}
	leak := func(r harness.LogRecord) func(g *through) {
		return func(g *through) { whole(g); g.logs("", r) }
	}
	withUpstream := down503
	withUpstream.Body = "upstream said " + upstream.Marker()
	inHeader := withHeader(down503, "X-Debug", upstream.Marker())
	judgeAll(t, SecretsKept(Labelled("told@"), Labelled("passed@"), key, upstream),
		judged{"nothing leaks", run(whole, down503), harness.Pass},
		judged{"in the log", run(leak(harness.LogRecord{Line: "key " + key.Marker()}), down503), harness.Fail},
		judged{"a token in a span", run(leak(harness.LogRecord{Line: harness.AnyCanary + "principal:alice⟧", Span: "s", End: time.Unix(1, 0)}), down503), harness.Fail},
		judged{"in the metrics", run(func(g *through) {
			whole(g)
			g.reads("", nil)
			g.events[len(g.events)-1].Mark.Detail = "calls{key=\"" + key.Marker() + "\"} 1"
		}, down503), harness.Fail},
		judged{"in an error", run(whole, withUpstream), harness.Fail},
		judged{"in an error's header", run(whole, inHeader), harness.Fail},
		judged{"the log was not read", run(func(g *through) { g.reads("", nil) }, down503), harness.Inconclusive},
		judged{"the metrics were not read", run(func(g *through) { g.readLogs(9) }, down503), harness.Inconclusive},
	)
	judgeAll(t, SecretsKept(Labelled("told@"), Labelled("passed@"), harness.CanaryBody),
		judged{"the canary was never sent", run(whole, down503), harness.Inconclusive})
}
