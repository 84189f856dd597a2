package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// notified is a shop whose payment provider tells of charges. It keeps what it is
// told and answers with a status.
type notified struct {
	*shop
	kind    string // of what it books
	status  int
	nobody  int  // its status for a payment that it did not book; 0 is the same
	later   int  // how many webhooks it wants again
	drops   bool // gives no answer
	keyless bool // its ledger shows no keys
	told    []Attempt
}

func (n *notified) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	if a.Operation != OpWebhook {
		return n.shop.Send(ctx, a)
	}
	if a.Ready != nil {
		a.Ready()
		<-a.Release
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = append(n.told, a)
	if n.drops {
		return Request{}, Answer{}, errors.New("hung up")
	}
	booked := slices.ContainsFunc(n.ledger, func(e Effect) bool { return "pk-"+e.ID == a.Vars["providerKey"] })
	switch {
	case len(n.told) <= n.later:
		return Request{}, Answer{Status: 503}, nil
	case n.nobody != 0 && !booked:
		return Request{}, Answer{Status: n.nobody}, nil
	}
	return Request{}, Answer{Status: n.status}, nil
}

func (n *notified) Effects(ctx context.Context, since int64) ([]Effect, error) {
	effects, err := n.shop.Effects(ctx, since)
	for i := range effects {
		effects[i].Kind = n.kind
		if !n.keyless {
			effects[i].Key = "pk-" + effects[i].ID
		}
	}
	return effects, err
}

func notifiedTarget(n *notified) *Target {
	t := shopTarget(n.shop)
	t.Sender, t.Probe = n, n
	t.Info.PerSuccess = map[string]int{n.kind: 1}
	t.Info.Capabilities = append(t.Info.Capabilities, CapWebhook)
	return t
}

// TestNotify: copies of a webhook are the same and go out together, the next one is
// another, and none of them is a request of a caller's.
func TestNotify(t *testing.T) {
	bubble(func(t *testing.T) {
		n := &notified{shop: &shop{}, kind: "charge", status: 202}
		_, dir := run(t, notifiedTarget(n), watching(func(ctx context.Context, s *Session, c *Case) error {
			payment, err := s.Booked(ctx, c, "charge")
			if err != nil {
				return err
			}
			for _, copies := range []int{3, 1} {
				told, err := s.Notify(ctx, c, payment, copies)
				if err != nil || len(told.Answers) != copies || told.Answers[0].Status != 202 {
					return fmt.Errorf("%d copies: %+v, %w", copies, told.Answers, err)
				}
			}
			return nil
		}), everything)
		var told []Attempt
		for _, a := range n.told {
			if a.CaseID == "x/one-order/c" {
				told = append(told, a)
			}
		}
		if len(told) != 4 {
			t.Fatalf("told %d times", len(told))
		}
		first := told[0].Vars
		if key, _ := first["providerKey"].(string); !strings.HasPrefix(key, "pk-o") || first["paymentId"] == "" || first["reference"] == "" || first["outcome"] != "succeeded" || len(told[0].Keys) > 0 || told[0].Principal != "" {
			t.Errorf("told %+v", told[0])
		}
		ids := []any{first["eventId"], told[1].Vars["eventId"], told[2].Vars["eventId"]}
		if ids[0] == "" || ids[0] != ids[1] || ids[1] != ids[2] || told[3].Vars["eventId"] == ids[0] {
			t.Errorf("three copies and another one have the ids %v, %v", ids, told[3].Vars["eventId"])
		}
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Request != nil && e.Request.Operation == OpWebhook {
				t.Errorf("a webhook is told as a request: %s", e)
			}
		}
		if marks := strings.Join(marksOf(t, dir, "x/one-order"), " "); strings.Count(marks, MarkWebhook) != 2 || strings.Contains(marks, MarkError) {
			t.Errorf("marks %s", marks)
		}
	})(t)
}

// TestNotNotified: what cannot be told is not decided.
func TestNotNotified(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*notified, *Target)
		says   string
	}{
		"not declared": {func(_ *notified, t *Target) { t.Info.Capabilities = []Capability{CapCheckout, CapEffects} }, "declare webhooks.payment"},
		"no answer":    {func(n *notified, _ *Target) { n.drops = true }, "hung up"},
		"no key":       {func(n *notified, t *Target) { n.keyless, t.Info.Webhook = true, []string{"providerKey"} }, "let effects return key, or name the payment by {{paymentId}} or {{reference}}"},
		"not booked":   {func(n *notified, t *Target) { n.kind, t.Info.PerSuccess = "order", map[string]int{"order": 1} }, "wait for the charge of case c"},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			n := &notified{shop: &shop{}, kind: "charge", status: 202}
			target := notifiedTarget(n)
			row.change(n, target)
			var got error
			run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
				payment, err := s.Booked(ctx, c, "charge")
				if err == nil {
					_, err = s.Notify(ctx, c, payment, 2)
				}
				got = err
				return err
			}), everything)
			if got == nil || strings.Count(got.Error(), row.says) != 1 {
				t.Errorf("got %v, want it to say %q once", got, row.says)
			}
		}))
	}
}

// TestTheWebhookIsTriedBeforeTheRun: a target that does not take it as it is
// declared says nothing about what it does when it is told.
func TestTheWebhookIsTriedBeforeTheRun(t *testing.T) {
	for name, row := range map[string]struct {
		notified notified
		says     string // of a claim
		exit     int
	}{
		"it is taken":                 {notified{kind: "charge", status: 202, nobody: 404}, "was answered 202, and one about a payment that nobody made 404", ExitGreen},
		"any is taken":                {notified{kind: "charge", status: 202}, "nothing shows that the target knew the first; look at webhooks.payment.body", ExitGreen},
		"it is refused":               {notified{kind: "charge", status: 401}, "webhooks.payment: a webhook about a payment that was made was answered 401", ExitInconclusive},
		"it gets no answer":           {notified{kind: "charge", drops: true}, "hung up", ExitInconclusive},
		"there is nothing to tell of": {notified{kind: "order", status: 202}, "neither a charge nor an authorization", ExitInconclusive},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			n := &notified{shop: &shop{}, kind: row.notified.kind, status: row.notified.status, nobody: row.notified.nobody, drops: row.notified.drops}
			x := oneOrder()
			x.Checks[0].Judge = func(*History) Verdict { return Passed("it is not about this") }
			e, _ := run(t, notifiedTarget(n), testCatalogue(x), everything)
			if len(e.Run.Claims) != 1 || e.Run.Claims[0].Name != string(CapWebhook) || e.Run.Claims[0].Works != (row.exit == ExitGreen) || !strings.Contains(e.Run.Claims[0].Reason, row.says) {
				t.Errorf("claims %+v, want %q", e.Run.Claims, row.says)
			}
			if e.Run.Exit != row.exit {
				t.Errorf("exit %d, want %d", e.Run.Exit, row.exit)
			}
		}))
	}
}
