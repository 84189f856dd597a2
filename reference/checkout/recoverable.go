package checkout

import "slices"

// Recoverable is the default [Config.Recoverable]. Something has to be there that
// only going on can put right: money that was moved, or a call that may have had
// an effect. And whether it had must be possible to find out, by asking or by the
// same call under the same key. What the bank may have done nobody can find out:
// such a checkout waits for its customer, and for an operator, and not for us.
func Recoverable(r Record, attempts []Attempt) bool {
	open := func(op operation) bool {
		return slices.ContainsFunc(attempts, func(a Attempt) bool { return a.Operation == op.name && a.Open() })
	}
	if r.ChargeID != "" {
		return true
	}
	if pay := methodOf(r.Order).pay; open(pay) {
		return !pay.keyless
	}
	return r.ReservationID == "" && open(opReserve())
}
