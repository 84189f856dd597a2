package mutants

import (
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

func retryMutants() []Mutant {
	row := func(name, breaks, kills string, class client.Class) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{kills}, Needs: []string{needDependencies}, Wrap: never(class)}
	}
	return []Mutant{
		row("no-retry-on-timeout", "gives up when a dependency does not answer in time", "SRS-CHK-002.01", client.Timeout),
		row("no-retry-on-reset", "gives up when a connection dies", "SRS-CHK-002.02", client.Reset),
		row("no-retry-on-429", "gives up when a dependency asks for patience", "SRS-CHK-002.03", client.Throttled),
		row("no-retry-on-5xx", "gives up when a dependency fails", "SRS-CHK-002.04", client.ServerError),
	}
}

// never takes one class of failures from those that are repeated.
func never(class client.Class) func(*checkout.Config) {
	return func(c *checkout.Config) {
		right := c.Client.Classify
		c.Client.Classify = func(a client.Attempt) bool { return a.Class != class && right(a) }
	}
}
