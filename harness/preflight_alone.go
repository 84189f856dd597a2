package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// TryClaims does outside a run what the preflight of a run does with the
// capabilities that the target claims, but those that are tried elsewhere. What
// was sent and seen is recorded in dir. The error says that nothing was tried, or
// that the target could not be left as it was.
func TryClaims(ctx context.Context, t *Target, dir string, elsewhere func(Capability) bool) ([]Tried, error) {
	r := newRunner(t, Plan{Run: RunInfo{ID: NewRunID(time.Now())}}, dir)
	defer r.state.endFollowing()
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	alone := Scenario{ID: ControlID, Exclusive: true, Drive: func(ctx context.Context, s *Session) error {
		limited, cancel := context.WithTimeoutCause(ctx, preflightLimit, errPreflightLimit)
		defer cancel()
		return s.tryClaims(limited, "", elsewhere)
	}}
	if err := r.record(ctx, alone); err != nil {
		return nil, fmt.Errorf("record what is tried: %w", err)
	}
	h, err := OpenHistory(HistoryFile(dir, ControlID))
	if err != nil {
		return nil, fmt.Errorf("read what was tried: %w", err)
	}
	list := JudgeClaims(h)
	for i := range list {
		list[i].Reason = strings.TrimSuffix(list[i].Reason, tryAgain)
	}
	var problem error
	for e := range h.Events() {
		if e.Type == MarkEvent && e.Case == "" && (e.Mark.Name == MarkError || e.Mark.Name == MarkLost) {
			problem = errors.New(e.Mark.Detail)
		}
	}
	return list, errors.Join(problem, h.Err())
}
