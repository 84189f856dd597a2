package main

import "github.com/oncecheck/oncecheck/harness"

// listedFault is one part of a fault's text form.
type listedFault struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // cut or action
	Meaning  string `json:"meaning"`
	Example  string `json:"example"`  // a whole fault
	Injector string `json:"injector"` // who carries it out; "none yet" where nobody does
}

const (
	byWire      = "wire"
	byToxiproxy = "toxiproxy"
	byWireMock  = "wiremock"
	byNobody    = "none yet"
)

func faults() []listedFault {
	cut := func(p harness.Point, meaning, example, injector string) listedFault {
		return listedFault{string(p), "cut", meaning, example, injector}
	}
	action := func(a harness.ActionName, meaning, example, injector string) listedFault {
		return listedFault{string(a), "action", meaning, example, injector}
	}
	return []listedFault{
		cut(harness.CutConnect, "before a connection is made", "client#1:connect:stall", byNobody),
		cut(harness.CutTLS, "within the TLS handshake", "payment#1:tls:reset", byNobody),
		cut(harness.CutBeforeForward, "the request is here in full, the upstream has seen nothing", "payment/charge#1:before-forward:reset", byWire),
		cut(harness.CutAfterCommit, "the upstream has answered in full, the caller has seen nothing", "payment/charge#1:after-commit:reset", byWire),
		cut(harness.CutStatus, "after the status line", "client#1:status:stall", byWire),
		cut(harness.CutHeaders, "after the header block", "client#1:headers:close", byWire),
		cut(harness.CutBody, "after N bytes of the body", "client#1:body@12:reset", byWire),
		cut(harness.CutTCP, "on a connection, whatever it carries", "client:tcp:latency(200ms)", byToxiproxy),
		cut(harness.CutStub, "a stub answers in place of the dependency", "inventory/reserve#*:stub:status(503)", byWireMock),
		action(harness.ActReset, "a TCP reset; at the cut tcp reset(d) after a time", "orders/create#2:after-commit:reset", byWire+", "+byToxiproxy),
		action(harness.ActClose, "an orderly end of the connection", "client#1:after-commit:close", byWire),
		action(harness.ActStall, "silence until the fault is lifted or the caller leaves", "payment/charge#1:before-forward:stall", byWire),
		action(harness.ActDelay, "a fixed time, then on as usual; with delay(d,n) then that status instead of the answer", "payment/charge#1:after-commit:delay(3s)", byWire),
		action(harness.ActStatus, "that status, and a Retry-After if given, instead of the answer", "payment/charge#1:before-forward:status(503,2)", byWire+", "+byWireMock),
		action(harness.ActTruncate, "N bytes of a longer announced body, then the end", "client#1:truncate(10)", byWire),
		action(harness.ActAnswer, "the dependency's own answer of that name (dependencies.NAME.operations.NAME.answers)", "payment/charge#1:stub:answer(decline)", byWireMock),
		action(harness.ActGarbage, "bytes that are not HTTP", "payment/charge#1:after-commit:garbage", byWire),
		action(harness.ActDuplicate, "the intermediary sends the request upstream twice", "client#1:before-forward:duplicate", byWire),
		action(harness.ActLatency, "a toxic that delays every answer of a connection", "client:tcp:latency(1s)", byToxiproxy),
	}
}

func listFaults() listing {
	return listing{
		name: "faults", short: "Where an exchange can be cut, and what can happen there",
		json: func() any { return faults() },
		table: func() [][]string {
			rows := [][]string{{"KIND", "NAME", "INJECTOR", "EXAMPLE", "MEANING"}}
			for _, f := range faults() {
				rows = append(rows, []string{f.Kind, f.Name, f.Injector, f.Example, f.Meaning})
			}
			return rows
		},
	}
}
