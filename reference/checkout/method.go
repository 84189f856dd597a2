package checkout

import "strings"

// bankAccount begins the tokens that stand for an account at the bank; any other
// token is the payment provider's.
const bankAccount = "bank_"

// method is a way to pay: where the money is moved, and by which calls that is
// done and undone.
type method struct {
	pay, undo operation
	path      string
}

// methodOf returns how an order is paid. The bank takes no keys and cannot be
// asked what it did: a transfer is sent once, and one of unknown outcome is never
// sent again.
func methodOf(o Order) method {
	if strings.HasPrefix(o.PaymentToken, bankAccount) {
		return method{opTransfer(), opReverse(), "/transfers"}
	}
	return method{opCharge(), opVoid(), "/charges"}
}
