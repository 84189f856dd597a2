package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ControlID is the id under which the positive control records its history.
const ControlID = "control"

// The marks of the positive control: what one query showed before, after one
// and after two plain successes.
const (
	markControl0 = "control-before"
	markControl1 = "control-one"
	markControl2 = "control-two"
)

// controlScenario is the positive control: before any verdict is believed, a
// plain success has to be possible and the probe has to show nothing, one
// success and two successes for what they are. A probe that can never see zero
// or two proves nothing.
//
// Of a client under test it asks plain calls, and no checkouts where only that is
// to be tried.
//
// With it goes the preflight, which disturbs the target: it is alone with it. A
// target may have none: what it offers is tried on another.
func controlScenario(preflight preflight) Scenario {
	return Scenario{
		ID:        ControlID,
		Title:     "two plain checkouts, and a probe that counts them right",
		Exclusive: true,
		Drive: func(ctx context.Context, s *Session) error {
			known := ""
			s.startLogs(ctx)
			if checksOut(s.target.Info.Capabilities) {
				var err error
				if known, err = s.plainCheckouts(ctx); err != nil || known == "" {
					return err
				}
			}
			if !s.plainCalls(ctx) || preflight == nil {
				return nil // judged by what is missing
			}
			return preflight(ctx, s, known)
		},
	}
}

// controlLimit bounds the positive control: a target that cannot make two plain
// checkouts in this time cannot be tried.
const controlLimit = 30 * time.Second

// plainCheckouts makes two of them and returns the request id of the second, or
// the order id where it names no request; nothing if one did not succeed.
func (s *Session) plainCheckouts(ctx context.Context) (known string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, controlLimit, errors.New("two plain checkouts took longer than "+controlLimit.String()))
	defer cancel()
	first, second := s.Case("first"), s.Case("second")
	if err := s.controlReading(ctx, markControl0); err != nil {
		return "", err
	}
	var plain []Answer
	for i, c := range []*Case{first, second} {
		r := s.Send(ctx, c, Attempt{Principal: s.DefaultPrincipal()})
		if r.Err != nil {
			return "", fmt.Errorf("plain checkout %d got no answer: %w", i+1, r.Err)
		}
		if r.Class == ClassSuccess {
			plain = append(plain, r.Answer)
			known = cmp.Or(r.Answer.RequestID, r.Answer.OrderID)
		}
		if err := s.controlReading(ctx, []string{markControl1, markControl2}[i]); err != nil {
			return "", err
		}
	}
	if len(plain) < 2 {
		return "", nil
	}
	s.plain = plain
	err = s.sameCartAgain(ctx, first, plain[0])
	s.tellStrays()
	return known, err
}

// tellStrays records the calls of the plain checkouts that belong to no case: they
// show why a dependency seems to be called by nobody.
func (s *Session) tellStrays() {
	const enough = 20
	s.run.mu.Lock()
	late := slices.Clone(s.run.lateness.calls)
	s.run.mu.Unlock()
	for _, l := range late[:min(len(late), enough)] {
		if l.caseID == "" {
			s.rec.Append(Event{Type: CallEvent, Call: &l.call})
		}
	}
}

// sameCartAgain buys the first cart once more under a new key, so that the probe
// has to show two entries of a kind that differ in nothing but their own ids. One
// that counts by cart would hide every duplicate of the run. A target that sells
// a cart only once, and refuses or tells of the order that there is, is right, too;
// then nothing is shown of the probe.
func (s *Session) sameCartAgain(ctx context.Context, first *Case, answered Answer) error {
	again := s.Case(controlAgain)
	again.Cart, again.Amount, again.CorrelationID = first.Cart, first.Amount, first.CorrelationID
	r := s.Send(ctx, again, Attempt{Principal: s.DefaultPrincipal()})
	if r.Err != nil {
		return fmt.Errorf("the first cart, bought again under a new key, got no answer: %w", r.Err)
	}
	if r.Class != ClassSuccess {
		s.Note(again, markControlOnce, "the target does not sell one cart twice: "+r.describe(), nil)
		return nil
	}
	if name := cmp.Or(r.Answer.OrderID, r.Answer.RequestID); name != "" && name == cmp.Or(answered.OrderID, answered.RequestID) {
		s.Note(again, markControlOnce, "the target does not sell one cart twice: it tells of the first order again, "+name, nil)
		return nil
	}
	return s.controlReading(ctx, markControl3)
}

const (
	controlAgain    = "again" // label of the case that buys the first cart once more
	markControl3    = "control-three"
	markControlOnce = "control-sells-once"
)

// DefaultPrincipal returns the first principal of the profile that holds no
// role: an ordinary customer.
func (s *Session) DefaultPrincipal() string {
	for _, p := range s.target.Info.Principals {
		if len(p.Roles) == 0 {
			return p.Name
		}
	}
	return ""
}

func (s *Session) controlReading(ctx context.Context, mark string) error {
	if s.target.Probe == nil {
		return nil
	}
	effects, err := s.Settle(ctx)
	if err != nil {
		return err
	}
	count := map[string]int64{}
	for _, e := range effects {
		count[e.Effect.Kind]++
	}
	s.Note(nil, mark, "", count)
	return nil
}

// JudgeControl decides the positive control from its history.
func JudgeControl(h *History) Verdict {
	v, _ := judgeControl(h)
	return v
}

// judgeControl also returns why, for [ControlNext].
func judgeControl(h *History) (Verdict, cause) {
	v, why := Verdict{}, cause{}
	if checksOut(h.Header.Capabilities) {
		if v, why = judgeCheckouts(h); v.Outcome != Pass {
			return v, why
		}
	}
	if !h.Header.offers(CapDependency) {
		return v, why
	}
	called, why := judgeCalls(h)
	if called.Outcome == Pass && v.Reason != "" {
		called.Reason = v.Reason + "; " + called.Reason
	}
	return called, why
}

// judgeCheckouts decides the part of the control that is about checkouts.
func judgeCheckouts(h *History) (Verdict, cause) {
	successes, named, wrong := 0, map[string]int{}, ""
	readings := map[string]map[string]int64{}
	ended, problem, why := false, "", cause{offers: h.Header.Capabilities, links: len(h.Header.Links) > 0}
	for e := range h.Events() {
		if triedBeside(e.Case) || calledClient(e.Case) {
			why.tried(e)
			continue // it has a verdict of its own
		}
		why.see(e)
		if e.Case == ControlID+"/"+controlAgain && e.Type != MarkEvent {
			continue // what counts of it is the reading
		}
		switch {
		case e.Type == OK && e.Request != nil && !e.Request.Final:
			if class := h.Header.Dialect.Classify(*e.Answer); class != ClassSuccess || !e.Answer.JSON || e.Answer.RequestID+e.Answer.OrderID == "" {
				wrong = fmt.Sprintf("a plain checkout was answered with status %d %s and ids %q: wanted a success as JSON that names a request or an order", e.Answer.Status, e.Answer.Code, e.Answer.RequestID+e.Answer.OrderID)
				if e.Answer.Status >= 300 && e.Answer.Status < 400 {
					wrong += "; redirects are never followed: declare the URL that answers"
				}
				why.answered(e, class)
			} else {
				successes++
				named["request "+e.Answer.RequestID]++
				named["order "+e.Answer.OrderID]++
			}
		case e.Type == MarkEvent && e.Mark.Name == MarkEnd:
			ended = true
		case e.Type == MarkEvent && (e.Mark.Name == MarkError || e.Mark.Name == MarkUnsettled):
			problem = e.Mark.Detail
		case e.Type == MarkEvent && strings.HasPrefix(e.Mark.Name, "control-"):
			readings[e.Mark.Name] = e.Mark.Count
		}
	}
	switch {
	case h.Err() != nil:
		return Undecided("positive control: " + h.Err().Error()), why.is(causeHistory)
	case problem != "":
		return Undecided("positive control: " + problem), why.is(why.problem())
	case wrong != "":
		return Undecided("positive control: " + wrong), why.is(causeAnswer)
	case !ended || successes != 2:
		return Undecided(fmt.Sprintf("positive control: %d of 2 plain checkouts succeeded", successes)), why.is(causeHistory)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if named[name] > 1 && !strings.HasSuffix(name, " ") { // not named in either answer
			return Undecided("positive control: two checkouts with different keys were both given " + name), why.is(causeSameID)
		}
	}
	if !slices.Contains(h.Header.Capabilities, CapEffects) {
		return Passed("two plain checkouts succeeded; without the capability effects nothing was counted"), why
	}
	v, kind := judgeReadings(h.Header.PerSuccess, readings)
	return v, why.is(kind)
}

func judgeReadings(perSuccess map[string]int, readings map[string]map[string]int64) (Verdict, causeKind) {
	for n, mark := range []string{markControl0, markControl1, markControl2, markControl3} {
		got, ok := readings[mark]
		if _, once := readings[markControlOnce]; mark == markControl3 && once {
			continue
		}
		if !ok {
			return Undecided("positive control: the probe was not read after " + fmt.Sprint(n) + " successes"), causeUnread
		}
		want := map[string]int64{}
		for kind, each := range perSuccess {
			if n*each > 0 {
				want[kind] = int64(n * each)
			}
		}
		if mark == markControl3 && !maps.Equal(got, want) {
			return Undecided(fmt.Sprintf("positive control: after one cart was bought a second time under another key the probe shows %s, wanted %s; it has to show every entry, also two that differ only in their ids", counts(got), counts(want))), causeHidden
		}
		if !maps.Equal(got, want) && len(got)+len(want) > 0 {
			return Undecided(fmt.Sprintf("positive control: after %d plain successes the probe shows %s, wanted %s; check effects.perSuccess, the probe's query, and that the ledger keeps reference, correlation id or amount", n, counts(got), counts(want))), counted(n, perSuccess, got)
		}
	}
	if len(perSuccess) == 0 {
		return Undecided("positive control: effects.perSuccess is empty, so nothing can be counted"), causeUndeclared
	}
	if _, once := readings[markControlOnce]; once {
		return Passed("the probe showed no effects, then one success, then two: " + counts(readings[markControl2]) + "; one cart is not sold twice, so whether it would show two entries alike is taken on trust"), causeNone
	}
	return Passed("the probe showed no effects, then one success, then two, then one cart bought twice: " + counts(readings[markControl3])), causeNone
}

// counts prints effect counts in a fixed order.
func counts(c map[string]int64) string {
	if len(c) == 0 {
		return "no effects"
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%d %s", c[kind], kind))
	}
	return strings.Join(parts, ", ")
}
