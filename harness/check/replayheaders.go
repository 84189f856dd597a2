package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// ownHeaders are what every answer has of its own, replay or not: when, by which
// way and how fast it came. What begins with one of them belongs to it; names are
// canonical.
func ownHeaders() []string {
	return []string{"Date", "Age", "Set-Cookie", "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Via", "Alt-Svc", "Report-To", "Nel",
		"X-Request-Id", "X-Correlation-Id", "Request-Id", "Traceparent", "Tracestate", "Traceresponse", "Server-Timing", "X-Runtime", "X-Response-Time",
		"Ratelimit", "X-Ratelimit", "Cf-Ray", "X-Amz", "X-Cloud-Trace", "X-Envoy", "X-B3", "Idempotent-Replayed", "Idempotency-Replayed", "X-Idempotent", "X-Cache", "X-Served-By"}
}

// datesApart is when two answers cannot have the same date, which counts seconds.
const datesApart = 1100 * time.Millisecond

// HeadersReplayed judges that a replay repeats the headers that belong to the
// answer, Location first, and not those that belonged to its delivery: no date and
// no cookie of the first answer. Some headers are known to belong to the delivery;
// another one shows it by differing from one replay to the next.
func HeadersReplayed(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged, apart, dated := 0, 0, 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			terminal := terminalAnswers(h, group)
			if len(terminal) == 0 {
				return harness.Undecided("no terminal answer in case " + label(h, group[0].Invoke.Case))
			}
			first, varies := terminal[0], varying(terminal[1:])
			for _, later := range terminal[1:] {
				judged++
				if name, one, other := headerDiffers(h.Header.Dialect, varies, *first.Done.Answer, *later.Done.Answer); name != "" {
					return harness.Failed("header "+name+" as in the first answer: "+one, other, first.witness(), later.witness())
				}
				if cookie := repeatedCookie(*first.Done.Answer, *later.Done.Answer); cookie {
					return harness.Failed("a replay without the first answer's Set-Cookie", "the same Set-Cookie again", first.witness(), later.witness())
				}
				if later.Invoke.At-first.Done.At < datesApart {
					continue
				}
				apart++
				date := headerText(later.Done.Answer.Header, "Date")
				if date == "" {
					continue
				}
				dated++
				if date == headerText(first.Done.Answer.Header, "Date") {
					return harness.Failed("a replay with a date of its own", fmt.Sprintf("the first answer's %s, %s later", date, (later.Invoke.At-first.Done.At).Round(time.Millisecond)), first.witness(), later.witness())
				}
			}
		}
		switch {
		case judged == 0:
			return harness.Undecided("nothing was replayed")
		case apart == 0:
			return harness.Undecided("no replay came so much later that its date would tell")
		}
		return harness.Passed(fmt.Sprintf("%d replays with the headers of the first answer; %d of them late enough to tell by the date, %d with one", judged, apart, dated))
	}
}

// ofAnswers are headers that belong to the answer however often they change.
func ofAnswers() []string { return []string{"Location", "Content-Type"} }

// varying returns the headers that are not the same in all replays, though all of
// them have one: traces, addresses and times of which nobody has heard. One that
// comes and goes is none of them.
func varying(replays []attempt) map[string]bool {
	names := map[string]bool{}
	if len(replays) == 0 {
		return names
	}
	one := replays[0].Done.Answer.Header
	for name := range one {
		for _, other := range replays[1:] {
			value := headerText(other.Done.Answer.Header, name)
			if value == "" {
				delete(names, name)
				break
			}
			if value != headerText(one, name) && !slices.Contains(ofAnswers(), name) {
				names[name] = true
			}
		}
	}
	return names
}

// headerDiffers returns the first header that belongs to the answer and is not the
// same in both.
func headerDiffers(d harness.Dialect, varies map[string]bool, first, later harness.Answer) (name, one, other string) {
	var names []string
	for _, headers := range []map[string][]string{first.Header, later.Header} {
		for name := range headers {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if varies[name] || ofDelivery(d, name) {
			continue
		}
		if a, b := headerText(first.Header, name), headerText(later.Header, name); a != b {
			return name, orNone(a), orNone(b)
		}
	}
	return "", "", ""
}

func ofDelivery(d harness.Dialect, name string) bool {
	if d.ReplayMarker != "" && strings.EqualFold(name, d.ReplayMarker) {
		return true
	}
	return slices.ContainsFunc(ownHeaders(), func(own string) bool { return strings.HasPrefix(name, own) })
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

func headerText(header map[string][]string, name string) string {
	return strings.Join(header[name], ", ")
}

func repeatedCookie(first, later harness.Answer) bool {
	return slices.ContainsFunc(later.Header["Set-Cookie"], func(cookie string) bool { return slices.Contains(first.Header["Set-Cookie"], cookie) })
}
