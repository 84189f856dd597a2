package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

const ms = time.Millisecond

// waiting is n calls, of whose waits each is what the function says for the
// number of the call; the machine adds that much to everything.
func waiting(n int, machine func(i int) time.Duration, waits ...func(i int) time.Duration) *story {
	s := paced()
	s.header.Client = &harness.ClientInfo{Backoff: harness.Backoff{Base: harness.Duration(200 * ms), Cap: harness.Duration(2 * sec), Jitter: "equal"}}
	for i := range n {
		c := fmt.Sprintf("wait-%03d@shim", i)
		op := s.asks(c, sec)
		at := sec + machine(i)
		s.answers(c, 1, at, at, 503)
		for k, wait := range waits {
			at += wait(i) + machine(i+k+1)
			s.answers(c, 1, at, at, 503)
		}
		s.returns(op, at, fine)
	}
	return s
}

func steady(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// even spreads evenly over a range.
func even(low, high time.Duration) func(int) time.Duration {
	return func(i int) time.Duration { return low + (high-low)*time.Duration(i*37%100)/100 }
}

// delayed adds to so many waits of 200 ms.
func delayed(n int, d time.Duration) func(int) time.Duration {
	return func(i int) time.Duration {
		if i < n {
			return 200*ms + d
		}
		return 200 * ms
	}
}

func (s *story) declaring(b harness.Backoff) *story { s.header.Client.Backoff = b; return s }

func TestWaitsGrow(t *testing.T) {
	first, second := even(100*ms, 200*ms), even(200*ms, 400*ms)
	full := harness.Backoff{Base: harness.Duration(200 * ms), Cap: harness.Duration(2 * sec), Jitter: "full"}
	stopping := waiting(100, steady(ms), first)
	stopping.header.Policy.Client.Retries = 1
	silent := waiting(100, steady(ms), first, second)
	silent.header.Client = nil
	judgeAll(t, WaitsGrow(All(), 90),
		judged{"doubled", waiting(100, steady(ms), first, second), harness.Pass},
		judged{"constant", waiting(100, steady(ms), first, first), harness.Fail},
		judged{"linear in a wide sense", waiting(100, steady(ms), steady(100*ms), steady(120*ms)), harness.Fail},
		judged{"squared", waiting(100, steady(ms), steady(100*ms), steady(400*ms)), harness.Fail},
		judged{"doubled, and longer than declared", waiting(100, steady(ms), steady(600*ms), steady(1200*ms)), harness.Fail},
		judged{"doubled, and shorter than declared", waiting(100, steady(ms), even(10*ms, 20*ms), even(20*ms, 40*ms)), harness.Fail},
		judged{"full jitter", waiting(100, steady(ms), even(0, 200*ms), even(0, 400*ms)).declaring(full), harness.Pass},
		judged{"too few", waiting(20, steady(ms), first, second), harness.Inconclusive},
		judged{"one wait", waiting(100, steady(ms), first), harness.Inconclusive},
		judged{"never asks again", waiting(100, steady(ms)), harness.Inconclusive},
		judged{"declares nothing", silent, harness.Inconclusive},
		judged{"one retry is all it declares", stopping, harness.NotApplicable},
		judged{"nothing was sent", called(0, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestWaitsDiffer(t *testing.T) {
	judgeAll(t, WaitsDiffer(All(), 40),
		judged{"equal jitter", waiting(100, steady(ms), even(100*ms, 200*ms)), harness.Pass},
		judged{"full jitter", waiting(100, steady(ms), even(0, 200*ms)), harness.Pass},
		judged{"equal jitter of both waits", waiting(100, steady(ms), even(100*ms, 200*ms), even(200*ms, 400*ms)), harness.Pass},
		judged{"none before the last attempt", waiting(100, steady(ms), even(100*ms, 200*ms), steady(300*ms)), harness.Fail},
		judged{"none before the second attempt", waiting(100, steady(ms), steady(150*ms), even(200*ms, 400*ms)), harness.Fail},
		judged{"none", waiting(100, even(0, 5*ms), steady(200*ms)), harness.Fail},
		judged{"too little", waiting(100, steady(ms), even(195*ms, 205*ms)), harness.Fail},
		judged{"the machine alone", waiting(100, even(0, 80*ms), steady(200*ms)), harness.Inconclusive},
		judged{"none, and the machine delays every eighth", waiting(100, steady(0), func(i int) time.Duration { return 150*ms + time.Duration(i%8/7)*30*ms }), harness.Fail},
		judged{"none, and the machine delays every second one", waiting(100, steady(0), func(i int) time.Duration { return 150*ms + time.Duration(i%2*(i%50))*ms }), harness.Fail},
		judged{"little, and the machine delays every eighth", waiting(100, steady(0), func(i int) time.Duration { return even(145*ms, 157*ms)(i) + time.Duration(i%8/7)*60*ms }), harness.Inconclusive},
		judged{"little, but enough", waiting(100, steady(0), even(140*ms, 160*ms)), harness.Pass},
		judged{"none, but too short to tell", waiting(100, steady(0), func(i int) time.Duration { return ms + time.Duration(i%8/7)*ms }), harness.Inconclusive},
		judged{"too few", waiting(20, steady(ms), even(100*ms, 200*ms)), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestNoHotLoop(t *testing.T) {
	full := harness.Backoff{Base: harness.Duration(200 * ms), Cap: harness.Duration(2 * sec), Jitter: "full"}
	none := harness.Backoff{Base: harness.Duration(200 * ms), Cap: harness.Duration(2 * sec), Jitter: "none"}
	judgeAll(t, NoHotLoop(All(), 40),
		judged{"half the base at least", waiting(50, steady(ms), even(100*ms, 200*ms)), harness.Pass},
		judged{"longer than declared is none of it", waiting(50, steady(ms), steady(sec)), harness.Pass},
		judged{"at once", waiting(50, steady(0), steady(0)), harness.Fail},
		judged{"ms for s", waiting(50, steady(0), even(100*time.Microsecond, 200*time.Microsecond)), harness.Fail},
		judged{"the second at once", waiting(50, steady(0), even(100*ms, 200*ms), steady(0)), harness.Fail},
		judged{"full jitter", waiting(50, steady(ms), even(0, 200*ms)).declaring(full), harness.Pass},
		judged{"full jitter of too little", waiting(50, steady(ms), even(0, 20*ms)).declaring(full), harness.Fail},
		judged{"no jitter", waiting(50, steady(ms), steady(200*ms)).declaring(none), harness.Pass},
		judged{"no jitter, and half of it", waiting(50, steady(0), steady(100*ms)).declaring(none), harness.Fail},
		judged{"declares nothing", waiting(50, steady(ms), steady(200*ms)).declaring(harness.Backoff{}), harness.Inconclusive},
		judged{"too few", waiting(20, steady(ms), even(100*ms, 200*ms)), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, WaitsAsDeclared(All(), 40),
		judged{"as declared", waiting(50, steady(ms), even(100*ms, 200*ms), even(200*ms, 400*ms)), harness.Pass},
		judged{"longer", waiting(50, steady(ms), steady(sec)), harness.Fail},
		judged{"the machine delays a few", waiting(50, steady(ms), delayed(4, 200*ms)), harness.Pass},
		judged{"many are longer", waiting(50, steady(ms), delayed(10, 200*ms)), harness.Fail},
		judged{"one is shorter", waiting(50, steady(ms), delayed(1, -190*ms)), harness.Fail},
		judged{"shorter", waiting(50, steady(ms), steady(10*ms)), harness.Fail},
		judged{"declares nothing", waiting(50, steady(ms), steady(200*ms)).declaring(harness.Backoff{}), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}
