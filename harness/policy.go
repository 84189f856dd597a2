package harness

import (
	"fmt"
	"time"
)

// Duration is a time.Duration whose text form is Go's: "2s", "15m".
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Negative durations are
// refused: nothing in a policy can be negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("duration %q is not of the form 2s, 500ms or 15m: %w", text, err)
	}
	if v < 0 {
		return fmt.Errorf("duration %q is negative", text)
	}
	*d = Duration(v)
	return nil
}

// Std returns the standard library's form.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Policy holds the numbers a target declares. Checks compare with the policy,
// never with literals, so that one suite judges a target at its own pace.
type Policy struct {
	Checkout CheckoutPolicy `json:"checkout" yaml:"checkout"`
	Client   ClientPolicy   `json:"client" yaml:"client"`
	Events   EventPolicy    `json:"events" yaml:"events"`
}

// CheckoutPolicy bounds one checkout.
type CheckoutPolicy struct {
	Deadline  Duration `json:"deadline" yaml:"deadline"`             // of the whole checkout
	Attempts  int      `json:"attempts" yaml:"attempts"`             // per dependency operation, first try included
	Retention Duration `json:"retention" yaml:"retention"`           // of a record, from its terminal state
	Reconcile Duration `json:"reconcile,omitempty" yaml:"reconcile"` // between two looks for what is left open; 0: not said
}

// ClientPolicy bounds one call of a dependency.
type ClientPolicy struct {
	Connect Duration `json:"connect" yaml:"connect"` // DNS, TCP, TLS and pool wait together
	Read    Duration `json:"read" yaml:"read"`       // headers and body of one attempt, wall time
	Total   Duration `json:"total" yaml:"total"`     // all attempts and waits together
	Retries int      `json:"retries" yaml:"retries"` // after the first attempt
}

// EventPolicy bounds the delivery of one event.
type EventPolicy struct {
	Attempts int      `json:"attempts" yaml:"attempts"`
	Window   Duration `json:"window" yaml:"window"`
}

// RequiredPolicy returns the numbers that the requirements themselves name.
func RequiredPolicy() Policy {
	s := func(n int) Duration { return Duration(time.Duration(n) * time.Second) }
	return Policy{
		Checkout: CheckoutPolicy{Deadline: s(30), Attempts: 3, Retention: s(24 * 60 * 60)},
		Client:   ClientPolicy{Connect: s(2), Read: s(5), Total: s(10), Retries: 2},
		Events:   EventPolicy{Attempts: 8, Window: s(15 * 60)},
	}
}

// reconcileUnsaid is how often a target that does not say is taken to look for
// what is left open.
const reconcileUnsaid = 5 * time.Second

// ReconcileEvery returns how often the target looks for what is left open.
func (p CheckoutPolicy) ReconcileEvery() time.Duration {
	if p.Reconcile > 0 {
		return p.Reconcile.Std()
	}
	return reconcileUnsaid
}
