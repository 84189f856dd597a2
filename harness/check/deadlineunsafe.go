package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// LeftRetryable judges that a request whose time went into a payment that was made
// and not answered, by a provider that takes no keys and cannot be asked, is not
// left pending: nobody could ever find out. It is left as one that failed, under an
// id by which its status can be read.
//
// A call without a key is made once, and ends at its own limit. So where it is the
// one in doubt, the request ends before the deadline of the whole checkout: nothing
// that may be done is left to do.
func LeftRetryable(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		cases, err := deadlines(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		for _, d := range cases {
			if v := d.leftRetryable(h); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(cases) == 0 {
			return harness.Undecided("no request was made whose payment takes no key")
		}
		return harness.Passed(fmt.Sprintf("%d requests were left as failed, and their status can be read", len(cases)))
	}
}

func (d deadlined) leftRetryable(h *harness.History) harness.Verdict {
	lost, ok := d.lostPayment(h)
	switch {
	case !ok:
		return harness.Undecided("no payment was made and left without an answer in case "+d.label, d.request.witness())
	case !keylessCall(h, lost) || canAsk(h, lost.Call.Link):
		return harness.Undecided("the provider of case "+d.label+" takes keys or can be asked", lost.Seq)
	case !d.request.answered():
		return harness.Undecided("no answer in case "+d.label+": "+d.request.Done.Error, d.request.witness())
	}
	switch got := d.request.Done.Answer; {
	case d.request.class(h) != harness.ClassUnavailable:
		return harness.Failed("an answer that it failed and may be tried again: whether it was paid cannot be found out (case "+d.label+")", statusText(d.request), lost.Seq, d.request.witness())
	case handle(*got) == "":
		return harness.Failed("an answer with a request id or a Location to read the status by (case "+d.label+")", statusText(d.request)+" with neither", d.request.witness())
	}
	reads := d.reads(h)
	if len(reads) == 0 || !reads[0].answered() {
		return harness.Undecided("nobody read the status of case "+d.label, d.request.witness())
	}
	if got := reads[0].Done.Answer; got.Status != 200 || got.State != stateRetryable {
		return harness.Failed("200 with state "+stateRetryable+" (case "+d.label+")", stateText(reads[0]), d.request.witness(), reads[0].witness())
	}
	return harness.Passed("left as failed")
}

// handle is what an answer gives to read the status by.
func handle(a harness.Answer) string {
	if a.RequestID != "" {
		return a.RequestID
	}
	for name, values := range a.Header {
		if strings.EqualFold(name, "Location") && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// keylessCall reports whether the profile says that the operation takes no key.
func keylessCall(h *harness.History, c harness.Event) bool {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if l.Name == c.Call.Link && o.Name == c.Call.Operation {
				return o.Keyless
			}
		}
	}
	return false
}
