package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// processes is one process of eight calls for each way to wait, given the number of
// the wait.
func processes(waits ...func(i int) time.Duration) *story {
	s := paced()
	for k, wait := range waits {
		c, at := []string{"process-1@shim", "process-2@shim"}[k], sec
		for i := range 8 {
			op := s.asks(c, at)
			s.answers(c, 1, at, at, 503)
			at += wait(i)
			s.answers(c, 1, at, at, 200)
			at += ms
			s.returns(op, at, fine)
			at += ms
		}
	}
	return s
}

func TestProcessesDiffer(t *testing.T) {
	drawn, other := even(100*ms, 200*ms), func(i int) time.Duration { return even(100*ms, 200*ms)(i + 7) }
	late := func(n int) func(i int) time.Duration {
		return func(i int) time.Duration {
			if i < n {
				return drawn(i) + 40*ms
			}
			return drawn(i) + ms
		}
	}
	unstarted := paced()
	unstarted.add(harness.Event{Type: harness.MarkEvent, Case: "t/s/process-1@shim", Mark: &harness.Mark{Name: harness.MarkNotStartedAgain, Detail: "it is a URL"}})
	judgeAll(t, ProcessesDiffer(Labelled("process-"), 8),
		judged{"two sequences", processes(drawn, other), harness.Pass},
		judged{"one sequence", processes(drawn, drawn), harness.Fail},
		judged{"one sequence, and two waits delayed", processes(drawn, late(2)), harness.Fail},
		judged{"one sequence, and three waits delayed", processes(drawn, late(3)), harness.Inconclusive},
		judged{"one process", processes(drawn), harness.Inconclusive},
		judged{"one that waits for nothing", processes(drawn).asking("process-2@shim"), harness.Inconclusive},
		judged{"none was started", unstarted, harness.NotApplicable},
	)
}

// asking adds a call of a process that never comes back.
func (s *story) asking(c string) *story {
	op := s.asks(c, sec)
	return s.answers(c, 1, sec, sec, 200).returns(op, 2*sec, fine)
}
