package check

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// with changes the last request at the scripted peer.
func (s *story) with(change func(*harness.Call)) *story {
	for _, e := range slices.Backward(s.events) {
		if e.Call != nil {
			change(e.Call)
			break
		}
	}
	return s
}

// lines are header lines of the last request.
func (s *story) lines(pairs ...string) *story {
	return s.with(func(c *harness.Call) {
		for i := 0; i < len(pairs); i += 2 {
			c.Lines = append(c.Lines, [2]string{pairs[i], pairs[i+1]})
		}
	})
}

func TestPassedThrough(t *testing.T) {
	head := [][2]string{{"ETag", `"7"`}, {"Content-Type", "application/json"}}
	call := func(a harness.Answer, sum string) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		s.answers("a@shim", 1, sec, sec, 404).with(func(c *harness.Call) { c.Answers = sum })
		return s.returns(op, sec+ms, a)
	}
	plain := harness.Answer{Status: 404, BodySHA256: "b", Header: map[string][]string{"Etag": {`"7"`}, "content-type": {"application/json"}}}
	other := func(change func(*harness.Answer)) harness.Answer { a := plain; change(&a); return a }
	judgeAll(t, PassedThrough(All(), head...),
		judged{"as it was", call(plain, "b"), harness.Pass},
		judged{"a typed error in its place", call(unavailable, "b"), harness.Fail},
		judged{"an error with its status", call(other(func(a *harness.Answer) { a.Outcome = harness.OutcomeError }), "b"), harness.Fail},
		judged{"another status", call(other(func(a *harness.Answer) { a.Status = 400 }), "b"), harness.Fail},
		judged{"another body", call(other(func(a *harness.Answer) { a.BodySHA256 = "c" }), "b"), harness.Fail},
		judged{"a header lost", call(other(func(a *harness.Answer) { a.Header = nil }), "b"), harness.Fail},
		judged{"the dependency broke off", call(plain, ""), harness.Inconclusive},
		judged{"the client left before the end", call(plain, "").with(func(c *harness.Call) { c.Outcome = harness.CallPeerLeft }), harness.Fail},
		judged{"the client left, and said that it failed", call(unavailable, "").with(func(c *harness.Call) { c.Outcome = harness.CallPeerLeft }), harness.Inconclusive},
		judged{"nobody was asked", func() *story { s := paced(); return s.returns(s.asks("a@shim", sec), 2*sec, plain) }(), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	several := func(links, cookies []string) *story {
		return call(other(func(a *harness.Answer) { a.Header = map[string][]string{"Link": links, "Set-Cookie": cookies} }), "b")
	}
	judgeAll(t, PassedThrough(All(), [][2]string{{"Link", "a"}, {"Link", "b"}, {"Set-Cookie", "c"}, {"Set-Cookie", "d"}}...),
		judged{"several lines", several([]string{"a", "b"}, []string{"c", "d"}), harness.Pass},
		judged{"several values in one line", several([]string{"a, b"}, []string{"c", "d"}), harness.Pass},
		judged{"the last line only", several([]string{"b"}, []string{"c", "d"}), harness.Fail},
		judged{"the last cookie only", several([]string{"a", "b"}, []string{"d"}), harness.Fail},
		judged{"two cookies in one line", several([]string{"a", "b"}, []string{"c, d"}), harness.Fail},
	)
}

// again is a call of attempts that long after each other.
func again(a harness.Answer, gaps ...time.Duration) *story {
	s := paced()
	op, at := s.asks("a@shim", sec), sec
	s.answers("a@shim", 1, at, at, 429)
	for _, gap := range gaps {
		at += gap
		s.answers("a@shim", 1, at, at, 200)
	}
	return s.returns(op, at+ms, a)
}

func TestWaitsAsAsked(t *testing.T) {
	stricter := again(fine, 200*ms)
	stricter.header.Policy.Client.Total = harness.Duration(2 * sec)
	capped := again(fine, 3*sec)
	capped.header.Client = &harness.ClientInfo{Backoff: harness.Backoff{Base: harness.Duration(100 * ms), Cap: harness.Duration(200 * ms), Jitter: "full"}}
	judgeAll(t, WaitsAsAsked(All(), 2*sec, 2*sec),
		judged{"as asked", again(fine, 2100*ms), harness.Pass},
		judged{"ignored", again(fine, 200*ms), harness.Fail},
		judged{"milliseconds", again(fine, 2*ms), harness.Fail},
		judged{"shortened by jitter", again(fine, 1800*ms), harness.Fail},
		judged{"far too long", again(fine, 5*sec), harness.Fail},
		judged{"longer than its own cap adds", capped, harness.Fail},
		judged{"gave up", again(unavailable), harness.Fail},
		judged{"no time for it", stricter, harness.NotApplicable},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, WaitsAsAsked(All(), 3*sec, 4*sec), judged{"a date that was ignored", again(fine, 200*ms), harness.Fail}, judged{"a date", again(fine, 3900*ms), harness.Pass})
	late := again(fine, 2600*ms)
	late.events[0].At = 400 * ms // 0.6 s before its first request
	early := again(fine, 2600*ms)
	early.events[0].At = 900 * ms
	soon := again(fine, 1100*ms)
	soon.events[0].At = 400 * ms
	once := again(unavailable)
	once.events[0].At = 400 * ms
	judgeAll(t, WaitsForDate(All(), 3*sec, 4*sec),
		judged{"a date", again(fine, 3200*ms), harness.Pass},
		judged{"too early", early, harness.Fail},
		judged{"too early for a date that was older", late, harness.Inconclusive},
		judged{"far too early, however old the date", soon, harness.Fail},
		judged{"never again, however old the date", once, harness.Fail},
		judged{"far too long", again(fine, 9*sec), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, WaitsEachAsAsked(All(), sec, 2*sec),
		judged{"as asked", again(fine, 1100*ms, 2200*ms), harness.Pass},
		judged{"the first only", again(fine, 1100*ms, 300*ms), harness.Fail},
		judged{"the second only", again(fine, 300*ms, 2200*ms), harness.Fail},
		judged{"gave up", again(unavailable, 1100*ms), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	answered := func(gap, kept time.Duration) *story { // a gateway keeps the answer for a while
		s := again(fine, gap)
		return s.at(sec + gap + kept)
	}
	judgeAll(t, LastsAsAsked(All(), 7*sec),
		judged{"as asked, at a gateway with a busy store", answered(7200*ms, 1200*ms), harness.Pass},
		judged{"cut short, at a gateway with a busy store", answered(2*sec, 7*sec), harness.Fail},
		judged{"as asked", again(fine, 7200*ms), harness.Pass},
		judged{"cut to its own cap", again(fine, 2*sec), harness.Fail},
		judged{"gave up at once", again(unavailable), harness.Fail},
		judged{"too long", again(fine, 9*sec), harness.Fail},
		judged{"no time for it", stricter, harness.NotApplicable},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, Fits(func(p harness.ClientPolicy) time.Duration { return 3 * sec }, Sends(All(), 2, 2)),
		judged{"it does", again(fine, sec), harness.Pass},
		judged{"it does, and fails", again(fine), harness.Fail},
		judged{"it does not", stricter, harness.NotApplicable},
	)
}

// unasked is n calls that wait so long after an answer, in two routes.
func unasked(b *harness.Backoff, n int, wait func(i int) time.Duration) *story {
	s := paced()
	if b != nil {
		s.header.Client = &harness.ClientInfo{Backoff: *b}
	}
	for i := range n {
		c := fmt.Sprintf("zero-%d@shim", i)
		op := s.asks(c, sec)
		s.answers(c, 1, sec, sec, 429)
		s.answers(c, 1, sec+wait(i), sec+wait(i), 200)
		s.returns(op, 9*sec, fine)
	}
	return s
}

func TestWaitsNoLess(t *testing.T) {
	equal, full := usual(), usual()
	full.Jitter = "full"
	hot, slow := steady(ms), steady(800*ms)
	judgeAll(t, WaitsNoLess(All()),
		judged{"as declared", unasked(&equal, 2, even(100*ms, 200*ms)), harness.Pass},
		judged{"a hot loop", unasked(&equal, 2, hot), harness.Fail},
		judged{"longer than declared", unasked(&equal, 2, slow), harness.Pass},
		judged{"full jitter, one wait next to nothing", unasked(&full, 6, func(i int) time.Duration { return time.Duration(i) * 30 * ms }), harness.Pass},
		judged{"full jitter, all next to nothing", unasked(&full, 6, hot), harness.Fail},
		judged{"full jitter, too few", unasked(&full, 3, steady(100*ms)), harness.Inconclusive},
		judged{"undeclared", unasked(nil, 6, steady(500*ms)), harness.Pass},
		judged{"undeclared hot loop", unasked(nil, 6, hot), harness.Fail},
		judged{"never asked again", called(1, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	silent := func(left, gap time.Duration) *story { // the client gave its first attempt up and closed it then
		s := paced()
		s.header.Client = &harness.ClientInfo{Backoff: equal}
		read := s.header.Policy.Client.Read.Std()
		op := s.asks("a@shim", sec)
		s.leaves("a@shim", 1, sec, sec+read+left)
		s.answers("a@shim", 2, sec+read+gap, sec+read+gap, 200)
		return s.returns(op, sec+read+gap+ms, fine)
	}
	judgeAll(t, WaitsNoLess(All()),
		judged{"a wait after a silent one", silent(0, 150*ms), harness.Pass},
		judged{"a wait while a silent one is closed", silent(400*ms, 150*ms), harness.Pass},
		judged{"none after a silent one", silent(0, ms), harness.Fail},
		judged{"none after a silent one that is left open", silent(400*ms, ms), harness.Fail},
	)
	mixed := unasked(&full, 6, steady(150*ms))
	for i := range 6 {
		c := fmt.Sprintf("zero-%d@gateway", i)
		op := mixed.asks(c, sec)
		mixed.answers(c, 1, sec, sec, 429).answers(c, 1, sec+ms, sec+ms, 200).returns(op, 9*sec, fine)
	}
	judgeAll(t, WaitsNoLess(All()), judged{"one route makes up for another", mixed, harness.Fail})
	busy := paced()
	for i := range 6 {
		c := fmt.Sprintf("zero-%d@shim", i)
		op := busy.asks(c, sec)
		busy.answers(c, 1, sec+50*ms, sec+50*ms, 429).answers(c, 1, sec+90*ms, sec+90*ms, 200).returns(op, 2*sec, fine)
	}
	judgeAll(t, WaitsNoLess(All()), judged{"a machine that adds as much to everything", busy, harness.Inconclusive})
	if NeedsSample(nil) != looseSample || NeedsSample(&harness.ClientInfo{Backoff: equal}) != 1 || NeedsSample(&harness.ClientInfo{Backoff: full}) != looseSample {
		t.Error("the sample that is needed follows from what is declared")
	}
}

func TestNeverTheSmaller(t *testing.T) {
	equal := usual()
	call := func(usually, gap time.Duration, declared *harness.Backoff) *story {
		s := unasked(declared, 2, steady(usually))
		op := s.asks("two@shim", sec)
		s.answers("two@shim", 1, sec, sec, 429)
		if gap > 0 {
			s.answers("two@shim", 1, sec+gap, sec+gap, 200)
		}
		return s.returns(op, 9*sec, fine)
	}
	strict := call(150*ms, 200*ms, nil)
	strict.header.Policy.Client.Total = harness.Duration(2 * sec)
	judgeAll(t, NeverTheSmaller(Labelled("two"), Labelled("zero-"), sec, 3*sec),
		judged{"the larger", call(150*ms, 3100*ms, &equal), harness.Pass},
		judged{"neither", call(150*ms, 180*ms, &equal), harness.Pass},
		judged{"the smaller", call(150*ms, 1100*ms, &equal), harness.Fail},
		judged{"the smaller, undeclared", call(150*ms, 1100*ms, nil), harness.Fail},
		judged{"its own wait is as long", call(sec, sec, nil), harness.Inconclusive},
		judged{"it gave up", call(150*ms, 0, &equal), harness.Fail},
		judged{"nothing to compare with", call(150*ms, 180*ms, &equal).only("t/s/two@shim"), harness.Inconclusive},
		judged{"no time for it", strict, harness.NotApplicable},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

// only drops the events of all other cases.
func (s *story) only(c string) *story {
	var kept []harness.Event
	for _, e := range s.events {
		if e.Case == c {
			kept = append(kept, e)
		}
	}
	s.events = kept
	return s
}

func TestOneOrAll(t *testing.T) {
	judgeAll(t, OneOrAll(All()),
		judged{"once", called(1, sec, unavailable), harness.Pass},
		judged{"as often as declared", called(3, sec, unavailable), harness.Pass},
		judged{"in between", called(2, sec, unavailable), harness.Fail},
		judged{"without an end", called(9, sec, unavailable), harness.Fail},
		judged{"not at all", called(0, sec, unavailable), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}
