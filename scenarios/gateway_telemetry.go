package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// gatewayTelemetry are the scenarios about what the target tells of its calls.
func gatewayTelemetry() []harness.Scenario {
	return []harness.Scenario{attemptsTold(), secretsKept(), fallbackCounted()}
}

// attemptsTold shares the target with others: the correlation ids of its calls
// tell which records are its own.
func attemptsTold() harness.Scenario {
	told := at("answered", "retried", "failing", "resetting", "silent")
	return harness.Scenario{
		ID:    "gateway/attempts-told",
		Title: "calls succeed at once, after retries, or never; the log holds a record of each attempt, the trace a span of each call and attempt",
		Needs: harness.Needs{"dependency", "gateway", "logs"},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			logs, err := s.WatchLogs(ctx)
			if err != nil {
				return err
			}
			fails := times(min(s.Target().Policy.Client.Retries, 2), status(503))
			cases, err := driveResultings(ctx, s, []resulting{
				{"answered", answering(status(200)), asking(1, get())},
				{"retried", answering(append(fails, status(200))...), asking(1, get())},
				{"failing", answering(status(503)), asking(1, get())},
				{"resetting", answering(breaking(harness.BreakReset)), asking(1, get())},
				{"silent", answering(breaking(harness.BreakSilent)), asking(1, get())},
			})
			if err != nil {
				return err
			}
			return logs.Read(ctx, cases...)
		},
		Checks: []harness.Check{
			answers("SRS-RES-001.89", "each-attempt-is-logged", check.AttemptsLogged(told)),
			needs(timed(answers("SRS-RES-001.95", "trace-shows-calls-and-attempts", check.Traced(told))), "metrics"),
		},
	}
}

// secretsKept sends a canary wherever a secret may stand, and looks for them in
// all that the target tells while its dependency answers, fails and stays silent.
func secretsKept() harness.Scenario {
	told, passed := check.Labelled("told-"), at("passed")
	return wholeCall(harness.Scenario{
		ID:    "gateway/secrets",
		Title: "credentials, keys, payloads and a dependency's words go over the wire, in calls that succeed, fail, time out and fall back; none of them is in the log, the spans, the metrics or an error",
		Needs: harness.Needs{"dependency", "gateway", "logs", "metrics"},
		Drive: driveSecrets,
		Checks: []harness.Check{
			answers("SRS-RES-001.87", "secrets-are-kept", check.SecretsKept(told, passed, harness.CanaryUpstream, harness.CanaryURL)),
			supplement(answers("SRS-RES-001.87", "secrets-of-a-write-are-kept", writing(check.SecretsKept(told, passed, harness.CanaryKey, harness.CanaryBody)))),
		},
	})
}

func driveSecrets(ctx context.Context, s *harness.Session) error {
	logs, err := s.WatchLogs(ctx)
	if err != nil {
		return err
	}
	said := func(code int) harness.Step {
		return harness.Step{Status: code, Header: [][2]string{{"Content-Type", "application/json"}}, Body: `{"code":"UPSTREAM","message":"` + s.Canary(harness.CanaryUpstream) + `"}`}
	}
	reading := get()
	reading.Header = [][2]string{{"Cookie", "session=" + s.Canary(harness.CanaryHeader)}}
	reading.Query = "token=" + s.Canary(harness.CanaryURL)
	cases := []resulting{
		{"passed", answering(said(404)), asking(1, reading)},
		{"told-503", answering(said(503)), asking(1, reading)},
		{"told-reset", answering(breaking(harness.BreakReset)), asking(1, reading)},
		{"told-cut", answering(harness.Step{Status: 200, Body: said(200).Body, Break: harness.BreakShort}), asking(1, reading)},
		{"told-silent", answering(breaking(harness.BreakSilent)), asking(1, reading)},
		{"told-stored", thenFailing(200, status(503)), asking(2, reading)},
		{"told-caller", answering(status(200)), asking(1, of(harness.NoPrincipal, reading))},
	}
	if writes(s) {
		write := post(s.Canary(harness.CanaryKey))
		write.Set = map[string]any{"note": s.Canary(harness.CanaryBody)}
		write.Header, write.Query = append(write.Header, reading.Header...), reading.Query
		cases = append(cases,
			resulting{"told-write", answering(said(503)), asking(1, write)},
			resulting{"told-write-silent", answering(breaking(harness.BreakSilent)), asking(1, write)},
			resulting{"told-write-stored", thenFailing(201, status(503)), asking(2, write)})
	}
	driven, err := driveResultings(ctx, s, cases)
	if err != nil {
		return err
	}
	if err := s.ReadMetrics(ctx, nil); err != nil {
		return err
	}
	return logs.Read(ctx, driven...)
}

// fallbackCounted runs alone: what others fall back to would be counted, too.
func fallbackCounted() harness.Scenario {
	return harness.Scenario{
		ID:        "gateway/fallback-counted",
		Title:     "a call is answered with a stored result; the metrics count it",
		Needs:     harness.Needs{"dependency", "gateway", "fallback-seed", "metrics"},
		Exclusive: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			c, d, err := openResulting(ctx, s, resulting{label: "served", script: thenFailing(200, status(503))})
			if err != nil {
				return err
			}
			askNumbered(ctx, s, c, 1, get())
			if err := s.ReadMetrics(ctx, c); err != nil {
				return err
			}
			askNumbered(ctx, s, c, 2, get())
			if err := s.ReadMetrics(ctx, c); err != nil {
				return err
			}
			return d.Close(ctx)
		},
		Checks: []harness.Check{answers("SRS-RES-001.80", "fallback-is-counted", check.FallbacksCounted(at("served"), false, 0))},
	}
}
