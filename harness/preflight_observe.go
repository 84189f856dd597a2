package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// observerClaims are those about what the target tells of its inside. A page
// without a sample and a log in which nothing is written look, to a check, like a
// target that has nothing to tell: they are no proof that they are the target's.
func (s *Session) observerClaims(wanted func(Capability) bool) []claim {
	var claims []claim
	if wanted(CapMetrics) {
		claims = append(claims, claim{string(CapMetrics), "observe.metrics", s.tryMetrics})
	}
	if wanted(CapLogs) {
		claims = append(claims, claim{string(CapLogs), "observe.logs", s.tryLogs})
	}
	if wanted(CapStorage) {
		claims = append(claims, claim{string(CapStorage), "observe.storage.files", s.tryStorage})
	}
	if wanted(CapStoredRecord) {
		claims = append(claims, claim{string(CapStoredRecord), "observe.storage.record", s.tryRecord})
	}
	if wanted(CapOutbox) {
		claims = append(claims, claim{string(CapOutbox), "observe.outbox", s.tryOutbox})
	}
	return claims
}

var errNothingReads = errors.New("nothing reads it")

func (s *Session) tryMetrics(ctx context.Context, _ *Case) (string, error) {
	if s.target.Observe.Metrics == nil {
		return "", errNothingReads
	}
	m, err := s.target.Observe.Metrics.Metrics(ctx)
	if err != nil {
		return "", err
	}
	samples := 0
	for line := range strings.Lines(m.Text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			samples++
		}
	}
	if samples+len(m.Values) == 0 {
		return "", errors.New("it was read and holds not one sample; name the page that the target's own metrics are on")
	}
	return fmt.Sprintf("%d samples, %d known measures", samples, len(m.Values)), nil
}

// startLogs notes where the log ends before the positive control sends anything.
// A log that cannot be read is for its claim to tell.
func (s *Session) startLogs(ctx context.Context) {
	if s.target.Observe.Logs == nil {
		return
	}
	if from, err := s.target.Observe.Logs.End(ctx); err == nil {
		s.logs = &LogReading{s, from}
	}
}

// tryLogs wants a record since the plain checkouts. Outside of a run it makes one
// itself; there the log of who does not sell, or writes only what its gateway
// does, has to hold a record at all.
func (s *Session) tryLogs(ctx context.Context, c *Case) (string, error) {
	if s.target.Observe.Logs == nil {
		return "", errNothingReads
	}
	sold := checksOut(s.target.Info.Capabilities) && s.target.Info.Gateway == nil
	from, since := int64(0), "at all"
	switch {
	case s.logs != nil:
		from, since = s.logs.from, "since the plain checkouts"
	case sold:
		var err error
		if from, err = s.target.Observe.Logs.End(ctx); err != nil {
			return "", err
		}
		if problem := s.tryCheckout(ctx, c, s.DefaultPrincipal()); problem != "" {
			return "", errors.New("the checkout that it was to tell of: " + problem)
		}
		since = "since a plain checkout"
	}
	for began := time.Now(); ; {
		records, end, err := s.target.Observe.Logs.Read(ctx, from)
		if err != nil {
			return "", err
		}
		if n := len(slices.DeleteFunc(records, func(r LogRecord) bool { return r.Line == "" })); n > 0 {
			return fmt.Sprintf("%d records %s", n, since), nil
		}
		if from = end; time.Since(began) > logLimit {
			return "", fmt.Errorf("it was read and holds not one record %s; name the file to which the target writes, and let it write what it does", since)
		}
		if err := s.Watch(ctx, logTick); err != nil {
			return "", err
		}
	}
}
