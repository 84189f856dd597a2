package mutants

import (
	"math/rand/v2"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

func backoffMutants() []Mutant {
	return []Mutant{{
		Name:   "constant-backoff",
		Breaks: "waits no longer before its last attempt than before its second",
		Kills:  []string{"SRS-RES-001.23", "SRS-RES-001.25", "SRS-RES-001.96"},
		Needs:  []string{needFreshClient, needDeclaredPolicy},
		Client: waiting(func(p client.Policy, _ int, asked time.Duration, right waits) time.Duration {
			return right(p, 1, asked)
		}),
	}, {
		Name:   "no-jitter",
		Breaks: "makes all callers that failed together wait for the same time",
		Kills:  []string{"SRS-RES-001.24"},
		Needs:  []string{needFreshClient},
		Client: jittered(func(int) float64 { return 0.75 }),
	}, {
		Name:   "fixed-seed",
		Breaks: "begins with the same random numbers in each client",
		Kills:  []string{"SRS-RES-001.24"},
		Needs:  []string{needFreshClient},
		Client: jittered(func(n int) float64 {
			fixed := rand.New(rand.NewPCG(1, 2))
			for range n - 1 {
				fixed.Float64()
			}
			return 0.5 + fixed.Float64()/2
		}),
	}, {
		Name:   "no-wait",
		Breaks: "tries again at once",
		Kills:  []string{"SRS-RES-001.23", "SRS-RES-001.25", "SRS-RES-001.96"},
		Needs:  []string{needFreshClient, needDeclaredPolicy},
		Client: waiting(func(p client.Policy, _ int, asked time.Duration, _ waits) time.Duration { return asked }),
	}, {
		Name:   "milliseconds-for-seconds",
		Breaks: "waits for a thousandth of what it should",
		Kills:  []string{"SRS-RES-001.23", "SRS-RES-001.25", "SRS-RES-001.96"},
		Needs:  []string{needFreshClient, needDeclaredPolicy},
		Client: waiting(func(p client.Policy, n int, asked time.Duration, right waits) time.Duration {
			return max(asked, right(p, n, 0)/1000)
		}),
	}}
}

// waits is what [client.Config.Wait] does.
type waits = func(p client.Policy, n int, asked time.Duration) time.Duration

func waiting(change func(p client.Policy, n int, asked time.Duration, right waits) time.Duration) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Wait
		c.Wait = func(p client.Policy, n int, asked time.Duration) time.Duration { return change(p, n, asked, right) }
	}
}

// jittered draws the share of a step that is waited for from elsewhere.
func jittered(share func(n int) float64) func(*client.Config) {
	return waiting(func(p client.Policy, n int, asked time.Duration, _ waits) time.Duration {
		step := min(p.Base<<(n-1), p.Cap)
		return max(asked, time.Duration(share(n)*float64(step)))
	})
}
