package checkout

import "time"

// Policy holds the service's own times.
type Policy struct {
	Deadline       time.Duration // of the work that one request or one round of reconciliation may do
	Lease          time.Duration // after which a silent worker is presumed dead
	Reconcile      time.Duration // between two looks for due records; also the first delay of a parked one
	ReconcileLimit time.Duration // the longest delay of a parked record
	Retention      time.Duration // of a record, from its terminal state
	StoreTimeout   time.Duration // of one store operation
}

// minLease keeps a scaled lease longer than the pauses of a busy machine.
const minLease = time.Second

// DefaultPolicy returns the specified numbers, and ours where there are none.
func DefaultPolicy() Policy {
	return Policy{
		Deadline:       30 * time.Second,
		Lease:          5 * time.Second,
		Reconcile:      time.Second,
		ReconcileLimit: 8 * time.Second,
		Retention:      24 * time.Hour,
		StoreTimeout:   3 * time.Second,
	}
}

// Scaled returns p with its times divided by n. The store is as slow as it is,
// and a lease stays at least a second long.
func (p Policy) Scaled(n float64) Policy {
	for _, d := range []*time.Duration{&p.Deadline, &p.Lease, &p.Reconcile, &p.ReconcileLimit, &p.Retention} {
		*d = time.Duration(float64(*d) / n)
	}
	p.Lease = max(p.Lease, minLease)
	return p
}

// delay returns how long a record stays parked after its run-th round.
func (p Policy) delay(run int) time.Duration {
	d := p.Reconcile
	for range run - 1 {
		d = min(2*d, p.ReconcileLimit)
	}
	return d
}
