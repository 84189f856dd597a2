package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// statusReads keeps the status reads.
func statusReads(list []attempt) []attempt {
	return slices.DeleteFunc(list, func(a attempt) bool { return a.request().Operation != harness.OpStatus })
}

// OwnerReads judges that the owner of a checkout reads it: 200 and the request
// id it asked for.
func OwnerReads(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		known := map[string]string{} // request id to owner
		for _, a := range keyed(attempts(h, pick)) {
			if a.answered() && a.Done.Answer.RequestID != "" {
				known[a.Done.Answer.RequestID] = a.request().Principal
			}
		}
		reads := statusReads(attempts(h, pick))
		for _, a := range reads {
			if !a.answered() {
				return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
			}
			got := a.Done.Answer
			if got.Status != 200 {
				return harness.Failed("200 for the owner", fmt.Sprintf("%d %s", got.Status, got.Code), a.witness())
			}
			if known[got.RequestID] != a.request().Principal || got.RequestID == "" {
				return harness.Failed("the owner's own request", fmt.Sprintf("request id %q", got.RequestID), a.witness())
			}
		}
		if len(reads) == 0 {
			return harness.Undecided("nobody read a status")
		}
		return harness.Passed(fmt.Sprintf("%d reads by the owner", len(reads)))
	}
}

// UnknownIsNotFound judges that every status read of the pick, all of them for
// ids that do not exist, is answered 404.
func UnknownIsNotFound(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		reads := statusReads(attempts(h, pick))
		for _, a := range reads {
			if !a.answered() {
				return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
			}
			if a.Done.Answer.Status != 404 {
				return harness.Failed("404 for the unknown id "+short(a.request().Path), fmt.Sprintf("%d %s", a.Done.Answer.Status, a.Done.Answer.Code), a.witness())
			}
		}
		if len(reads) == 0 {
			return harness.Undecided("nobody read a status")
		}
		if !somebodyReads(h) {
			return harness.Undecided(blindRoute)
		}
		return harness.Passed(fmt.Sprintf("%d reads of unknown ids", len(reads)))
	}
}

// OwnershipHidden judges that a stranger cannot tell an id of another tenant
// from one that does not exist: every answer of the pick is a 404 and they are
// equal but for the id asked for, the correlation id and the Date. The first
// label prefix must be the foreign ids', the second the random ones'.
func OwnershipHidden(foreign, random string, reads int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		var reference, from = "", attempt{}
		counted := map[string]int{}
		for _, prefix := range []string{random, foreign} {
			for _, a := range statusReads(attempts(h, Labelled(prefix))) {
				if !a.answered() {
					return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
				}
				if a.Done.Answer.Status != 404 {
					return harness.Failed("404 whoever owns the id", fmt.Sprintf("%d %s", a.Done.Answer.Status, a.Done.Answer.Code), a.witness())
				}
				counted[prefix]++
				got := anonymous(a)
				if from.Done.Seq == 0 {
					reference, from = got, a
				}
				if got != reference {
					return harness.Failed("the answer for an id that does not exist", "one that differs: "+difference(reference, got), from.witness(), a.witness())
				}
			}
		}
		if counted[foreign] < reads || counted[random] < reads {
			return harness.Undecided(fmt.Sprintf("%d reads of foreign and %d of random ids, wanted %d of each", counted[foreign], counted[random], reads))
		}
		if !somebodyReads(h) {
			return harness.Undecided(blindRoute)
		}
		return harness.Passed(fmt.Sprintf("%d foreign and %d random ids answered alike", counted[foreign], counted[random]))
	}
}

const blindRoute = "the owner could not read an existing id either: a route that finds nothing proves nothing (is status.path right?)"

// somebodyReads reports whether the status route found anything at all.
func somebodyReads(h *harness.History) bool {
	return slices.ContainsFunc(statusReads(attempts(h, All())), func(a attempt) bool { return a.answered() && a.Done.Answer.Status == 200 })
}

// anonymous is the answer without what may differ: ids and Date.
func anonymous(a attempt) string {
	r, got := a.request(), a.Done.Answer
	id := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	blank := func(s string) string {
		for _, secret := range []string{id, r.CorrelationID, got.CorrelationID} {
			s = replaceWord(s, secret, "ID")
		}
		return s
	}
	var b strings.Builder
	fmt.Fprintf(&b, "status %d\n", got.Status)
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		if name != "Date" && name != "Content-Length" { // the length follows from the body
			fmt.Fprintf(&b, "%s: %s\n", name, blank(strings.Join(got.Header[name], ", ")))
		}
	}
	return b.String() + blank(got.Body)
}

// replaceWord replaces the word where it stands alone: a short id must not be
// found inside a number.
func replaceWord(s, word, by string) string {
	if word == "" {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, word)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(word)
		alone := (i == 0 || !isWord(s[i-1])) && (end == len(s) || !isWord(s[end]))
		b.WriteString(s[:i])
		if alone {
			b.WriteString(by)
		} else {
			b.WriteString(word)
		}
		s = s[end:]
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// difference names the first line in which two answers differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("%q against %q", b, a)
		}
	}
	return "nowhere"
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
