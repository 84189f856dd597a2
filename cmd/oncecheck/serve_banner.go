package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"github.com/oncecheck/oncecheck/reference/stack"
)

// banner tells a person what runs here and what to do with it. The token in it
// is worth nothing once this process ended.
func banner(w io.Writer, o stack.Options, i stack.Info) {
	what := "the reference checkout"
	if o.Mutant != "" {
		what = "BROKEN ON PURPOSE: mutant " + o.Mutant + " of the reference checkout"
	}
	fmt.Fprintf(w, "%s, dialect %s\n", what, o.Dialect)
	fmt.Fprintf(w, "  url      %s\n  ledger   %s\n  control  %s\n  client   %s\n", i.URL, i.LedgerURL, i.ControlURL, i.ShimURL)
	if i.ProfilePath != "" {
		fmt.Fprintf(w, "  profile  %s\n", i.ProfilePath)
	}
	again := "try it (twice: the second answer is the first one again):"
	if i.Listen != nil {
		fmt.Fprintf(w, "  calls    payment at %s, bank at %s, inventory at %s, orders at %s, catalog at %s\n", i.Listen["payment"], i.Listen["bank"], i.Listen["inventory"], i.Listen["orders"], i.Listen["catalog"])
		again = "nobody listens there until a run of the profile does: until then a checkout answers\n503 SERVICE_UNAVAILABLE, or 202 CHECKOUT_PENDING once something of it is under way:"
	}
	fmt.Fprintf(w, `
%s
  curl -i %s/checkout \
    -H 'Authorization: Bearer %s' \
    -H 'Idempotency-Key: %s' \
    -H 'Content-Type: application/json' \
    -d '{"cartId":"cart-1","cartVersion":1,"currency":"EUR","amount":1999,"paymentToken":"tok_ok"}'
  curl -i %[2]s/catalog/sku-1 -H 'Authorization: Bearer %[3]s'

`, again, i.URL, i.Tokens["alice"], strings.ToLower(rand.Text()))
	if i.ProfilePath != "" {
		fmt.Fprintf(w, "test it:  oncecheck run --profile %s\n", shellWord(i.ProfilePath))
	} else {
		fmt.Fprintln(w, "test it:  start it with --write-profile FILE, then oncecheck run --profile FILE")
	}
	fmt.Fprintln(w, "stop it:  Ctrl-C")
}
