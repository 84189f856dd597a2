// Command shim serves the shim of the reference's API client alone: the one that
// serve offers beside the checkout. So the reference enters a comparison of
// clients by the same door as everybody else's: as a command that prints a URL.
package main

import (
	"fmt"
	"os"

	"github.com/oncecheck/oncecheck/harness/shim"
	"github.com/oncecheck/oncecheck/reference/stack"
)

func main() {
	if err := shim.Serve(stack.ClientShim(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		os.Exit(1)
	}
}
