package doctor

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// policy lists declared numbers that are looser than the requirements'.
func (x *examination) policy() {
	looser := loose(x.subject.Info.Policy)
	switch {
	case len(looser) == 0:
		x.add("policy", OK, "", "nothing is looser than the requirements")
	case x.subject.Info.Requirements == "own":
		x.add("policy", Hint, "", "judged by its own numbers, of which these are looser than the requirements': %s", strings.Join(looser, "; "))
	default:
		x.add("policy", Hint, "requirements: own judges by the declared numbers, and the evidence says so", "looser than the requirements, which fails their clauses whatever the target does: %s", strings.Join(looser, "; "))
	}
}

func loose(p harness.Policy) []string {
	r := harness.RequiredPolicy()
	var list []string
	longer := func(name string, declared, required harness.Duration) {
		if declared > required {
			list = append(list, fmt.Sprintf("%s %s (required: at most %s)", name, declared.Std(), required.Std()))
		}
	}
	more := func(name string, declared, required int) {
		if declared > required {
			list = append(list, fmt.Sprintf("%s %d (required: at most %d)", name, declared, required))
		}
	}
	longer("checkout.deadline", p.Checkout.Deadline, r.Checkout.Deadline)
	more("checkout.attempts", p.Checkout.Attempts, r.Checkout.Attempts)
	if p.Checkout.Retention < r.Checkout.Retention {
		list = append(list, fmt.Sprintf("checkout.retention %s (required: at least %s)", p.Checkout.Retention.Std(), r.Checkout.Retention.Std()))
	}
	longer("client.connect", p.Client.Connect, r.Client.Connect)
	longer("client.read", p.Client.Read, r.Client.Read)
	longer("client.total", p.Client.Total, r.Client.Total)
	more("client.retries", p.Client.Retries, r.Client.Retries)
	more("events.attempts", p.Events.Attempts, r.Events.Attempts)
	longer("events.window", p.Events.Window, r.Events.Window)
	return list
}
