package wire_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// TestIndexPerCase has 20 callers at once in two cases. Each case has a count of
// its own, without gaps, and a fault meets one exchange of its case only.
func TestIndexPerCase(t *testing.T) {
	const each = 10
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	other := follow(r.journal, "d", "ref-d")
	injection := r.inject(t, "payment/charge#7:before-forward:status(503,7)")

	var callers sync.WaitGroup
	got := make(chan string, 2*each)
	for _, ref := range []string{"ref-c", "ref-d"} {
		for range each {
			caller := dial(t, r.Addr())
			callers.Go(func() {
				caller.send("POST /charges HTTP/1.1\r\nReference: " + ref + "\r\nConnection: close\r\n\r\n")
				answer, _ := caller.rest()
				got <- answer
			})
		}
	}
	for range 2*each - 1 { // all but the one that the fault answers are upstream at the same time
		receive(t, r.up.arrived, "a request")
	}
	until(t, "the faulted exchange ended", func() bool { return r.journal.InFlight("c") == each-1 })
	if n := r.journal.InFlight("d"); n != each {
		t.Errorf("%d of case d in flight, want %d", n, each)
	}
	close(hold)
	callers.Wait()
	close(got)
	refused := 0
	for answer := range got {
		if answer == injected {
			refused++
		} else if answer != closing {
			t.Errorf("a caller got %q", answer)
		}
	}
	if refused != 1 || injection.Fired() != 1 {
		t.Errorf("%d callers were refused and the fault fired %d times, want 1", refused, injection.Fired())
	}
	for name, calls := range map[string]chan harness.Call{"c": r.calls, "d": other} {
		var indexes []int
		for range each {
			call := receive(t, calls, "a call of "+name)
			indexes = append(indexes, call.Index)
			if (call.Fault != "") != (name == "c" && call.Index == 7) {
				t.Errorf("case %s: %+v", name, call)
			}
		}
		slices.Sort(indexes)
		if !slices.Equal(indexes, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
			t.Errorf("case %s was counted %v", name, indexes)
		}
	}
}

// TestIndexPerOperation: a fault with an operation counts its exchanges, one
// without counts all of the link.
func TestIndexPerOperation(t *testing.T) {
	r := newRig(t, plain, nil)
	named := r.inject(t, "payment/charge#2:before-forward:status(503)")
	unnamed := r.inject(t, "payment#4:before-forward:status(429)")
	caller := dial(t, r.Addr())
	query := "GET /charges/%s HTTP/1.1\r\nReference: ref-c\r\n\r\n"
	for i, want := range []struct {
		raw, operation string
		index, status  int
	}{
		{charge(), "charge", 1, 201},
		{fmt.Sprintf(query, "1"), "query", 1, 201},
		{charge(), "charge", 2, 503},
		{"GET /elsewhere HTTP/1.1\r\nX-Oncecheck-Case: c\r\n\r\n", "", 1, 429},
		{fmt.Sprintf(query, "2?x=y"), "query", 2, 201},
		{charge(), "charge", 3, 201},
	} {
		caller.send(want.raw)
		call := receive(t, r.calls, "the call")
		if call.Operation != want.operation || call.Index != want.index || call.Status != want.status {
			t.Errorf("exchange %d: %+v, want %+v", i+1, call, want)
		}
	}
	if named.Fired() != 1 || unnamed.Fired() != 1 {
		t.Errorf("fired %d and %d times, want 1 and 1", named.Fired(), unnamed.Fired())
	}
}

func TestFirstArmedWinsAndEvery(t *testing.T) {
	r := newRig(t, plain, nil)
	first := r.inject(t, "payment#*:before-forward:status(503)")
	second := r.inject(t, "payment#*:before-forward:status(429)")
	caller := dial(t, r.Addr())
	status := func() int {
		caller.send(charge())
		return receive(t, r.calls, "the call").Status
	}
	got := []int{status(), status()}
	_ = first.Lift(t.Context())
	got = append(got, status())
	_ = second.Lift(t.Context())
	got = append(got, status())
	if !slices.Equal(got, []int{503, 503, 429, 201}) || first.Fired() != 2 || second.Fired() != 1 {
		t.Errorf("statuses %v, fired %d and %d", got, first.Fired(), second.Fired())
	}
}

func TestUnattributedIsForwardedAndNeverFaulted(t *testing.T) {
	r := newRig(t, plain, nil)
	injection := r.inject(t, "payment#*:before-forward:reset")
	caller := dial(t, r.Addr())
	caller.send("POST /charges HTTP/1.1\r\nReference: stranger\r\nContent-Length: 0\r\n\r\n")
	caller.expect(plain)
	if injection.Fired() != 0 || len(r.calls) != 0 || r.journal.InFlight("c") != 0 {
		t.Error("an exchange of nobody was counted to somebody")
	}
}

func TestFollowAndStop(t *testing.T) {
	r := newRig(t, plain, nil)
	calls := make(chan harness.Call, 10)
	inFlight := make(chan int, 10)
	stop := r.journal.Follow("e", []string{"ref-e"}, func(c harness.Call) {
		inFlight <- r.journal.InFlight("e")
		calls <- c
	})
	caller := dial(t, r.Addr())
	send := func() {
		caller.send("POST /charges HTTP/1.1\r\nReference: ref-e\r\n\r\n")
		caller.expect(plain)
	}
	send()
	if call := receive(t, calls, "the call"); call.Index != 1 || call.Link != "payment" {
		t.Errorf("journal says %+v", call)
	}
	if n := <-inFlight; n != 1 {
		t.Errorf("%d in flight while the case is being told, want 1", n)
	}
	stop()
	stop()
	send()
	// A second case takes the value over and begins to count anew. Its call comes
	// on the same connection, so the one before has been dealt with.
	again := follow(r.journal, "e", "ref-e")
	send()
	if call := receive(t, again, "the call"); call.Index != 1 {
		t.Errorf("journal says %+v", call)
	}
	if len(calls) != 0 {
		t.Error("a case was told after it had stopped following")
	}
}

// One journal serves several links, which count apart.
func TestSeveralLinks(t *testing.T) {
	r := newRig(t, plain, nil)
	second, err := wire.Open(wire.Config{Name: "client", CaseHeader: "x-oncecheck-case", Handler: http.NotFoundHandler()}, r.journal)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	for _, addr := range []string{r.Addr(), second.Addr()} {
		caller := dial(t, addr)
		caller.send("GET / HTTP/1.1\r\nX-Oncecheck-Case: c\r\n\r\n")
		if call := receive(t, r.calls, "the call"); call.Index != 1 || call.Conn != 1 {
			t.Errorf("journal says %+v", call)
		}
	}
}

func TestInjectRefuses(t *testing.T) {
	r := newRig(t, plain, nil)
	cut := func(p harness.Point) harness.Cut { return harness.Cut{Point: p} }
	reset := harness.Action{Name: harness.ActReset}
	for _, f := range []harness.Fault{
		{Link: "orders", Cut: cut(harness.CutAfterCommit), Action: reset},
		{Link: "payment", Cut: cut(harness.CutConnect), Action: reset},
		{Link: "payment", Cut: cut(harness.CutTCP), Action: reset},
		{Link: "payment", Operation: "refund", Cut: cut(harness.CutAfterCommit), Action: reset},
		{Link: "payment", Cut: cut(harness.CutStatus), Action: harness.Action{Name: harness.ActGarbage}},
		{Link: "payment", Cut: cut(harness.CutAfterCommit)},
	} {
		if _, err := r.injector.Inject(t.Context(), f, "c"); err == nil {
			t.Errorf("%s was armed although it can never fire", f)
		}
	}
	if r.injector.Name() != "wire" || r.inject(t, "payment/charge#1:after-commit:reset").Via() != "" {
		t.Error("the injector goes by another name or another way")
	}
}
