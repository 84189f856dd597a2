package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// statusContent are the scenarios about what a status says.
func statusContent() []harness.Scenario {
	return []harness.Scenario{statusReadsQuietly(), statusFieldsTold(), statusCodes(), statusAgrees(), statusIDs()}
}

// quietReads is how often each checkout is read.
const quietReads = 100

// statusReadsQuietly reads a checkout that is finished, and one that waits for its
// caller: nobody but the reads could bring it forward.
func statusReadsQuietly() harness.Scenario {
	return harness.Scenario{
		ID:    "status/reads-change-nothing",
		Title: "a hundred reads of a finished checkout, and of one that waits to be tried again, call nothing and change nothing",
		Needs: harness.Needs{"checkout", "status", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			done := s.Case("finished")
			id, err := finished(ctx, s, done, s.DefaultPrincipal())
			if err != nil {
				return err
			}
			if err := s.Rest(ctx); err != nil {
				return err
			}
			readOften(ctx, s, done, id)
			waiting := s.Case("retryable")
			id, err = retryable(ctx, s, waiting)
			if err != nil {
				return err
			}
			if id != "" { // a target that does not say which request it was has no status of it
				readOften(ctx, s, waiting, id)
			}
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.03", "reads-change-nothing", check.ReadsChangeNothing(check.All(), quietReads))},
	}
}

func readOften(ctx context.Context, s *harness.Session, c *harness.Case, id string) {
	s.Note(c, check.MarkReads, "", nil)
	_ = harness.Parallel(readers, func(reader int) error { // what became of them is in the history
		for i := reader; i < quietReads; i += readers {
			read(ctx, s, c, s.DefaultPrincipal(), id)
		}
		return nil
	})
	s.Note(c, check.MarkReadsOver, "", nil)
}

// retryable lets the first effect of a checkout fail on every attempt, before it
// happens: what is left is a request that its caller may send again. It returns the
// request id, or "" where the answer has none.
func retryable(ctx context.Context, s *harness.Session, c *harness.Case) (string, error) {
	first, err := firstEffect(s)
	if err != nil {
		return "", err
	}
	down, err := s.Inject(ctx, c, first.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
	if err != nil {
		return "", err
	}
	r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	if err := down.Lift(ctx); err != nil {
		return "", err
	}
	if r.Err != nil {
		return "", fmt.Errorf("the checkout that was to fail for a while got no answer: %w", r.Err)
	}
	return r.Answer.RequestID, nil
}

// firstEffect returns the operation whose failure leaves nothing behind. A
// reservation costs nobody anything, so it comes first wherever there is one; else
// the money.
func firstEffect(s *harness.Session) (operation, error) {
	for _, o := range effecting(s) {
		if o.effect == "reservation" {
			return o, nil
		}
	}
	return paying(s)
}

func statusFieldsTold() harness.Scenario {
	return harness.Scenario{
		ID:    "status/fields",
		Title: "a status tells request, order, state, count of attempts, time of the last change and, of what did not succeed, a code",
		Needs: harness.Needs{"checkout", "status"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			if err := ownedAndRead(ctx, s, s.Case("succeeded"), me); err != nil {
				return err
			}
			if offers(s.Target(), harness.CapDecline) {
				if err := sentAndRead(ctx, s, s.Case("declined"), harness.Attempt{Principal: me, Variant: "declined"}); err != nil {
					return err
				}
			}
			if !offers(s.Target(), harness.CapDependencies) {
				return nil
			}
			waiting := s.Case("retryable")
			id, err := retryable(ctx, s, waiting)
			if err == nil && id != "" {
				read(ctx, s, waiting, me, id)
			}
			return err
		},
		Checks: []harness.Check{answers("SRS-CHK-003.04", "six-fields", check.StatusFields(check.All()))},
	}
}

// sentAndRead sends an attempt and reads the status of the request that its answer
// names; one that names none cannot be read.
func sentAndRead(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt) error {
	r := s.Send(ctx, c, a)
	if r.Err != nil {
		return fmt.Errorf("the checkout %s whose status is to be read got no answer: %w", c.Label, r.Err)
	}
	if r.Answer.RequestID != "" {
		read(ctx, s, c, a.Principal, r.Answer.RequestID)
	}
	return nil
}

// wordsOfDependencies are what a dependency says in the answers that a run makes in
// its place.
func wordsOfDependencies() []string { return []string{"INJECTED", "STUBBED"} }

func statusCodes() harness.Scenario {
	return harness.Scenario{
		ID:    "status/codes",
		Title: "a checkout is declined, refused by a dependency with a code of its own, fails for a while, and is asked for again with another body; its status names public codes only",
		Needs: harness.Needs{"checkout", "status", "dependencies"},
		Drive: driveStatusCodes,
		Checks: append(errorsTold(),
			answers("SRS-CHK-003.05", "public-code-or-none", check.Unless(check.OwnErrors, check.SafeCodes(check.All(), wordsOfDependencies()...)))),
	}
}

func driveStatusCodes(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	me := s.DefaultPrincipal()
	answered := map[string]harness.Fault{
		"declined": pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 402}),
		"refused":  pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 422}),
		"stubbed":  pay.fault(1, harness.CutStub, harness.Action{Name: harness.ActStatus, Status: 400}),
	}
	for label, fault := range answered {
		c := s.Case(label)
		down, err := s.Inject(ctx, c, fault)
		if err != nil {
			return err
		}
		if err := sentAndRead(ctx, s, c, harness.Attempt{Principal: me}); err != nil {
			return err
		}
		if err := down.Lift(ctx); err != nil {
			return err
		}
	}
	waiting := s.Case("retryable")
	id, err := retryable(ctx, s, waiting)
	if err != nil {
		return err
	}
	if id != "" {
		read(ctx, s, waiting, me, id)
	}
	conflict := s.Case("changed-amount")
	if id, err = finished(ctx, s, conflict, me); err != nil {
		return err
	}
	s.Send(ctx, conflict, changed(conflict, me))
	read(ctx, s, conflict, me, id)
	return nil
}

// statusAgrees reads a checkout before and after it changes.
func statusAgrees() harness.Scenario {
	return harness.Scenario{
		ID:    "status/agrees-with-replay",
		Title: "a status says what a repeated request is answered: after a success, a decline, a failure for a while, and the success that follows",
		Needs: harness.Needs{"checkout", "status", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			c := s.Case("succeeded")
			id, err := finished(ctx, s, c, me)
			if err != nil {
				return err
			}
			s.Send(ctx, c, harness.Attempt{Principal: me})
			read(ctx, s, c, me, id)
			if offers(s.Target(), harness.CapDecline) {
				c, a := s.Case("declined"), harness.Attempt{Principal: me, Variant: "declined"}
				s.Send(ctx, c, a)
				if err := sentAndRead(ctx, s, c, a); err != nil {
					return err
				}
			}
			waiting := s.Case("changing")
			if id, err = retryable(ctx, s, waiting); err != nil || id == "" {
				return err
			}
			read(ctx, s, waiting, me, id)
			s.Converge(ctx, waiting, harness.Attempt{Principal: me})
			read(ctx, s, waiting, me, id)
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-003.12", "status-agrees-with-the-answer", check.StatusAgrees(check.All()))},
	}
}
