package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestFallbackServed(t *testing.T) {
	other := withHeader(harness.Answer{Status: 200, BodySHA256: "sha-other", BodyBytes: 3}, harness.SourceHeader, harness.SourceFallback)
	judgeAll(t, FallbackServed(All()),
		judged{"served after three requests", seeded().ask("a@gateway", alice, fellBack(), fails, fails, fails).story, harness.Pass},
		judged{"not consulted", seeded().ask("a@gateway", alice, down504, fails).story, harness.Fail},
		judged{"served, and the dependency was not asked", seeded().ask("a@gateway", alice, fellBack()).story, harness.Fail},
		judged{"the header is missing", seeded().ask("a@gateway", alice, seedAnswer, fails).story, harness.Fail},
		judged{"the header says something else", seeded().ask("a@gateway", alice, withHeader(seedAnswer, harness.SourceHeader, "Fallback, cache"), fails).story, harness.Fail},
		judged{"another body", seeded().ask("a@gateway", alice, other, fails).story, harness.Fail},
		judged{"another status", seeded().ask("a@gateway", alice, withHeader(harness.Answer{Status: 203, BodySHA256: "sha-stored"}, harness.SourceHeader, harness.SourceFallback), fails).story, harness.Fail},
		judged{"nothing was stored", throughGateway().ask("a@gateway", alice, down503, fails).ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
		judged{"the first call came from nowhere", throughGateway().ask("a@gateway", alice, seedAnswer).ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
		judged{"the dependency did not fail", seeded().ask("a@gateway", alice, fellBack(), gives).story, harness.Inconclusive},
		judged{"no second call", seeded().story, harness.Inconclusive},
	)
}

func TestFallbackCorrelated(t *testing.T) {
	stale := fellBack()
	stale.Header[harness.CorrelationHeader] = []string{callID(1)}
	judgeAll(t, FallbackCorrelated(All()),
		judged{"its own id", seeded().ask("a@gateway", alice, fellBack(), fails).story, harness.Pass},
		judged{"the id of the call that left it", seeded().ask("a@gateway", alice, stale, fails).story, harness.Fail},
		judged{"another id on an attempt", seeded().ask("a@gateway", alice, fellBack(), meets{status: 503, id: "corr-made-up"}).story, harness.Fail},
		judged{"not served", seeded().ask("a@gateway", alice, down503, fails).story, harness.Inconclusive},
		judged{"both calls alike", seeded().ask("a@gateway", harness.Request{CorrelationID: callID(1)}, fellBack(), fails).story, harness.Inconclusive},
	)
}

func TestFreshUnmarked(t *testing.T) {
	newer := harness.Answer{Status: 200, BodySHA256: "sha-new", BodyBytes: 3}
	gave := meets{status: 200, body: "sha-new"}
	judgeAll(t, FreshUnmarked(All()),
		judged{"two fresh ones", seeded().ask("a@gateway", alice, newer, gave).story, harness.Pass},
		judged{"always marked", throughGateway().ask("a@gateway", alice, fellBack(), gives).story, harness.Fail},
		judged{"the stored one is served although a fresh one came", seeded().ask("a@gateway", alice, seedAnswer, gave).story, harness.Fail},
		judged{"never answered by the dependency", throughGateway().ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
	)
}

func TestNotServed(t *testing.T) {
	embedded := harness.Answer{Status: 200, Body: `{"cached": "the stored one"}`, BodySHA256: "sha-wrapped", BodyBytes: 20}
	judgeAll(t, NotServed(All()),
		judged{"a typed failure, and the owner is served", seeded().ask("a@gateway", bob, down503, fails).ask("a@gateway", alice, fellBack(), fails).story, harness.Pass},
		judged{"the stored bytes", seeded().ask("a@gateway", bob, fellBack(), fails).ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"the stored bytes in others", seeded().ask("a@gateway", bob, embedded, fails).ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"a failure without a code", seeded().ask("a@gateway", bob, harness.Answer{Status: 500}, fails).ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"the owner is served nothing either", seeded().ask("a@gateway", bob, down503, fails).ask("a@gateway", alice, down503, fails).story, harness.Inconclusive},
		judged{"the stranger was refused at the door", seeded().ask("a@gateway", bob, harness.Answer{Status: 403}).ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
		judged{"no stranger asked", seeded().ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
	)
}

func TestNotServedToOtherBody(t *testing.T) {
	own := harness.Request{Method: "POST", Principal: "alice", Keys: []string{"k"}, BodySHA256: "b1"}
	changed := harness.Request{Method: "POST", Principal: "alice", Keys: []string{"k"}, BodySHA256: "b2"}
	stored := func() *through { return throughGateway().ask("a@gateway", own, seedAnswer, gives) }
	judgeAll(t, NotServedToOtherBody(All()),
		judged{"a typed failure, and the same body is served", stored().ask("a@gateway", changed, down503, fails).ask("a@gateway", own, fellBack(), fails).story, harness.Pass},
		judged{"the stored bytes", stored().ask("a@gateway", changed, fellBack(), fails).ask("a@gateway", own, fellBack(), fails).story, harness.Fail},
		judged{"a success of another kind", stored().ask("a@gateway", changed, harness.Answer{Status: 201}, fails).ask("a@gateway", own, fellBack(), fails).story, harness.Fail},
		judged{"refused by the gateway", stored().ask("a@gateway", changed, conflict).ask("a@gateway", own, fellBack(), fails).story, harness.Pass},
		judged{"a refusal that holds the stored bytes", stored().ask("a@gateway", changed, harness.Answer{Status: 409, BodySHA256: "sha-stored"}).ask("a@gateway", own, fellBack(), fails).story, harness.Fail},
		judged{"the dependency was not asked", stored().ask("a@gateway", changed, down503).ask("a@gateway", own, fellBack(), fails).story, harness.Inconclusive},
		judged{"the gateway makes the same of both", stored().ask("a@gateway", own, fellBack(), fails).ask("a@gateway", own, fellBack(), fails).story, harness.NotApplicable},
		judged{"nothing was stored", stored().ask("a@gateway", changed, down503, fails).ask("a@gateway", own, down503, fails).story, harness.Inconclusive},
		judged{"no other body was sent", stored().ask("a@gateway", own, fellBack(), fails).story, harness.Inconclusive},
	)
}

func TestWhereAsked(t *testing.T) {
	good := func() *story {
		return seeded().ask("a@gateway", bob, down503, fails).ask("a@gateway", alice, fellBack(), fails).story
	}
	judgeAll(t, WhereAsked("page=2", All(), NotServed(All())), judged{"passed on", good(), harness.Pass})
	judgeAll(t, WhereAsked("page=3", All(), NotServed(All())), judged{"not passed on", good(), harness.NotApplicable})
}

func TestDefinitivePassed(t *testing.T) {
	gone := meets{status: 404, body: "sha-gone"}
	missing := harness.Answer{Status: 404, BodySHA256: "sha-gone"}
	judgeAll(t, DefinitivePassed(All()),
		judged{"as the dependency said", seeded().ask("a@gateway", alice, missing, gone).ask("a@gateway", alice, fellBack(), fails).story, harness.Pass},
		judged{"hidden", seeded().ask("a@gateway", alice, fellBack(), gone).ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"made a failure", seeded().ask("a@gateway", alice, down503, gone).ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"nothing was stored", seeded().ask("a@gateway", alice, missing, gone).ask("a@gateway", alice, down503, fails).story, harness.Inconclusive},
		judged{"the dependency said nothing", seeded().ask("a@gateway", alice, missing).ask("a@gateway", alice, fellBack(), fails).story, harness.Inconclusive},
	)
}

func TestGaveUp(t *testing.T) {
	judgeAll(t, GaveUp(All()),
		judged{"503", throughGateway().ask("a@gateway", alice, down503, fails).story, harness.Pass},
		judged{"another failure", throughGateway().ask("a@gateway", alice, harness.Answer{Status: 500, Code: CodeTimeout}, fails).story, harness.Fail},
		judged{"served all the same", throughGateway().ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"the dependency was not asked", throughGateway().ask("a@gateway", alice, down503).story, harness.Inconclusive},
	)
}

func TestNotServedAgain(t *testing.T) {
	judgeAll(t, NotServedAgain(All()),
		judged{"a failure", seeded().ask("a@gateway", alice, down503, fails).story, harness.Pass},
		judged{"the stored bytes", seeded().ask("a@gateway", alice, seedAnswer, fails).story, harness.Fail},
		judged{"what was stored", seeded().ask("a@gateway", alice, fellBack(), fails).story, harness.Fail},
		judged{"the dependency was not asked", seeded().ask("a@gateway", alice, down503).story, harness.Inconclusive},
		judged{"no second call", seeded().story, harness.Inconclusive},
		judged{"the first one was refused", throughGateway().ask("a@gateway", alice, harness.Answer{Status: 400}).ask("a@gateway", alice, harness.Answer{Status: 400}).story, harness.NotApplicable},
	)
}

func TestCallerRefused(t *testing.T) {
	judgeAll(t, CallerRefused(All(), "a", "b"),
		judged{"refused at the door", seeded().ask("a@gateway", bob, nobody401).ask("a@gateway", alice, seedAnswer, gives).story, harness.Pass},
		judged{"the dependency was asked first", seeded().ask("a@gateway", bob, nobody401, fails).ask("a@gateway", alice, seedAnswer, gives).story, harness.Fail},
		judged{"served what was stored", seeded().ask("a@gateway", bob, fellBack()).ask("a@gateway", alice, seedAnswer, gives).story, harness.Fail},
		judged{"refused with the stored bytes", seeded().ask("a@gateway", bob, harness.Answer{Status: 403, Body: "no, the stored one", BodySHA256: "x"}).ask("a@gateway", alice, seedAnswer, gives).story, harness.Fail},
		judged{"a failure instead", seeded().ask("a@gateway", bob, down503).ask("a@gateway", alice, seedAnswer, gives).story, harness.Fail},
		judged{"nobody gets in any more", seeded().ask("a@gateway", bob, nobody401).ask("a@gateway", alice, nobody401).story, harness.Inconclusive},
		judged{"nobody got in", throughGateway().ask("a@gateway", alice, nobody401).ask("a@gateway", bob, nobody401).ask("a@gateway", alice, nobody401).story, harness.Inconclusive},
	)
	v := CallerRefused(All(), "a", "b")(seeded().ask("a@gateway", bob, nobody401).ask("a@gateway", alice, seedAnswer, gives).history())
	if want := "; not tried: b (gateway.refused)"; v.Reason[len(v.Reason)-len(want):] != want {
		t.Errorf("what was not tried is not told: %s", v.Reason)
	}
}

// aged says that the clock was moved by so much between the calls of the case.
func (g *through) aged(c string, by time.Duration) *through {
	g.add(harness.Event{Type: harness.MarkEvent, Case: "t/s/" + c, Mark: &harness.Mark{Name: MarkAged, Count: map[string]int64{"offsetMs": by.Milliseconds()}}})
	return g
}

func TestAge(t *testing.T) {
	served := func(age string) harness.Answer {
		return withHeader(seedAnswer, harness.SourceHeader, harness.SourceFallback, "Age", age)
	}
	young := func(age string) *through {
		return seeded().aged("a@gateway", 450*time.Second).ask("a@gateway", alice, served(age), fails)
	}
	judgeAll(t, AgeTold(All()),
		judged{"true", young("451").story, harness.Pass},
		judged{"constant", young("0").story, harness.Fail},
		judged{"none", young("").story, harness.Fail},
		judged{"not served", seeded().aged("a@gateway", time.Minute).ask("a@gateway", alice, down503, fails).story, harness.Fail},
		judged{"the clock was not moved", seeded().ask("a@gateway", alice, served("1"), fails).story, harness.Inconclusive},
	)
	old := func(a harness.Answer, by time.Duration) *story {
		return young("451").ask("b@gateway", alice, seedAnswer, gives).aged("b@gateway", by).ask("b@gateway", alice, a, fails).story
	}
	undeclared := old(down503, 16*time.Minute)
	undeclared.header.Gateway.MaxAge = 0
	judgeAll(t, TooOldRefused(Labelled("b@"), Labelled("a@")),
		judged{"a typed failure", old(down503, 16*time.Minute), harness.Pass},
		judged{"never too old", old(served("960"), 16*time.Minute), harness.Fail},
		judged{"a failure without a code", old(harness.Answer{Status: 500}, 16*time.Minute), harness.Fail},
		judged{"the token expired with it", old(nobody401, 16*time.Minute), harness.Inconclusive},
		judged{"not too old", old(down503, time.Minute), harness.Inconclusive},
		judged{"none is served", seeded().ask("a@gateway", alice, down503, fails).ask("b@gateway", alice, seedAnswer, gives).aged("b@gateway", 16*time.Minute).ask("b@gateway", alice, down503, fails).story, harness.Inconclusive},
		judged{"no limit is declared", undeclared, harness.NotVerified},
	)
}

func TestLastsStored(t *testing.T) {
	slow := seeded().ask("a@gateway", alice, down504, fails)
	slow.at(slow.now + 20*time.Second)
	judgeAll(t, LastsStored(All(), UpTo(TotalLimit)),
		judged{"in time", seeded().ask("a@gateway", alice, down504, fails).story, harness.Pass},
		judged{"held by the store", slow.story, harness.Fail},
		judged{"nothing was stored", throughGateway().ask("a@gateway", alice, down504, fails).ask("a@gateway", alice, down504, fails).story, harness.Inconclusive},
	)
}
