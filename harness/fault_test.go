package harness

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]string{
		"payment/charge#1:after-commit:reset":        "payment/charge#1:after-commit:reset",
		"client#2:before-forward:stall":              "client#2:before-forward:stall",
		"inventory#*:status(503)":                    "inventory#*:before-forward:status(503)",
		"payment:status(429,2)":                      "payment#*:before-forward:status(429,2)",
		"orders#3:delay(1500ms)":                     "orders#3:before-forward:delay(1.5s)",
		"orders#3:delay(4s,503)":                     "orders#3:before-forward:delay(4s,503)",
		"orders:after-commit:delay(4s,503,2)":        "orders#*:after-commit:delay(4s,503,2)",
		"client#1:body@12:close":                     "client#1:body@12:close",
		"client#1:truncate(7)":                       "client#1:body@0:truncate(7)",
		"client:latency(150ms)":                      "client#*:tcp:latency(150ms)",
		"client:tcp:reset(1ms)":                      "client#*:tcp:reset(1ms)",
		"payment/charge#1:stub:status(503)":          "payment/charge#1:stub:status(503)",
		"payment/charge#*:answer(decline)":           "payment/charge#*:stub:answer(decline)",
		"payment/charge#1:before-forward:duplicate":  "payment/charge#1:before-forward:duplicate",
		"payment/charge#1:after-commit:status(504)":  "payment/charge#1:after-commit:status(504)",
		"payment/charge#1:before-forward:garbage":    "payment/charge#1:before-forward:garbage",
		"payment/charge#10:headers:close":            "payment/charge#10:headers:close",
		"a-b_c/d#1:before-forward:delay(1h0m0.001s)": "a-b_c/d#1:before-forward:delay(1h0m0.001s)",
	} {
		f, err := ParseFault(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.String(); got != want {
			t.Errorf("%s reads as %s, want %s", text, got, want)
		}
	}
}

func TestParseFaultRefuses(t *testing.T) {
	for text, part := range map[string]string{
		"":                             "parts",
		"payment":                      "parts",
		":reset":                       "no link",
		"payment/:reset":               "no link",
		"payment#0:reset":              "index",
		"payment#01:reset":             "index",
		"payment#-1:reset":             "index",
		"payment:sideways:reset":       "cut",
		"payment:body:reset":           "body@N",
		"payment:status@3:reset":       "takes no @",
		"payment:explode":              "action",
		"payment:delay":                "duration",
		"payment:answer":               "wants answer(NAME)",
		"payment:answer(a b)":          "wants answer(NAME)",
		"payment:status:answer(no)":    "cannot happen",
		"payment:delay(0s)":            "zero",
		"payment:delay(1s,99)":         "status",
		"payment:delay(1s,)":           "status",
		"payment:delay(-1s)":           "negative",
		"payment:status(99)":           "200 to 599",
		"payment:status(503":           "bracket",
		"payment:status()":             "bracket",
		"payment:reset(1s)":            "cannot happen",
		"payment:tcp:stall":            "cannot happen",
		"payment:stub:reset":           "cannot happen",
		"payment:after-commit:latency": "duration",
		"payment:body@3:delay(1s,503)": "cannot happen",
		"payment:stall(3)":             "no argument",
		"payment:a:b:c":                "parts",
	} {
		_, err := ParseFault(text)
		if err == nil {
			t.Errorf("%q was accepted", text)
			continue
		}
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v does not say %q", text, err, part)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, seed := range []string{"payment/charge#1:after-commit:reset", "client:truncate(7)", "x#*:status(429,2)", "client#2:body@9:delay(2s)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text)
		if err != nil {
			return
		}
		again, err := ParseFault(fault.String())
		if err != nil || again != fault {
			t.Fatalf("%q reads as %s, which reads as %s (%v)", text, fault, again, err)
		}
	})
}

func TestFaultTextProperty(t *testing.T) {
	name := rapid.StringMatching(`[a-z][a-z0-9_-]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		f := Fault{Link: name.Draw(t, "link"), Exchange: rapid.IntRange(0, 99).Draw(t, "n")}
		if rapid.Bool().Draw(t, "operation") {
			f.Operation = name.Draw(t, "op")
		}
		f.Cut.Point = rapid.SampledFrom([]Point{CutConnect, CutBeforeForward, CutAfterCommit, CutStatus, CutHeaders, CutBody, CutTCP, CutStub}).Draw(t, "cut")
		if f.Cut.Point == CutBody {
			f.Cut.At = rapid.IntRange(0, 4096).Draw(t, "at")
		}
		f.Action = rapid.SampledFrom([]Action{{Name: ActReset}, {Name: ActClose}, {Name: ActStall}, {Name: ActGarbage}, {Name: ActDuplicate},
			{Name: ActDelay, Delay: 5}, {Name: ActLatency, Delay: 7e9}, {Name: ActStatus, Status: 503}, {Name: ActStatus, Status: 429, RetryAfter: "3"}, {Name: ActTruncate, Bytes: 9}}).Draw(t, "action")
		if f.compatible() != nil {
			return
		}
		again, err := ParseFault(f.String())
		if err != nil || again != f {
			t.Fatalf("%s reads back as %s: %v", f, again, err)
		}
	})
}
