package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// lesson is one knob as it was seen, and whether a dialect has it so.
type lesson struct {
	key, value, seen string
	agrees           func(harness.Dialect) bool
}

// lessons turns the answers into knobs. What no answer showed is not among them.
func (x *observer) lessons() []lesson {
	var list []lesson
	learn := func(key, value, seen string, agrees func(harness.Dialect) bool) {
		list = append(list, lesson{key, value, seen, agrees})
	}
	s := x.saw
	if x.header != "" {
		learn("header", x.header, "repeats under it name one order", func(d harness.Dialect) bool { return d.Header == x.header })
	}
	if a := s.missing; a != nil {
		switch {
		case refused(*a):
			learn("missing", "{execute: false, "+refusal(*a)+"}", seen(*a), func(d harness.Dialect) bool { return !d.Missing.Execute && d.Missing.Matches(coded(*a)) })
		case success(*a):
			learn("missing", "execute", seen(*a)+" without a key", func(d harness.Dialect) bool { return d.Missing.Execute })
		}
	}
	if statuses, seen := distinct(s.malformed); len(statuses) > 0 {
		learn("malformed", "{statuses: ["+strings.Join(statuses, ", ")+`], code: ""}`, seen, func(d harness.Dialect) bool {
			return !slices.ContainsFunc(s.malformed, func(a harness.Answer) bool { return !d.Malformed.Matches(coded(a)) })
		})
	}
	if s.shortestRefused > 0 && s.longest == s.shortestRefused-1 {
		learn("keyMax", strconv.Itoa(s.longest), fmt.Sprintf("%d characters accepted, %d refused", s.longest, s.shortestRefused), func(d harness.Dialect) bool { return d.KeyMax == s.longest })
	}
	if a := s.duplicate; a != nil {
		word := map[bool]string{true: "first", false: "reject"}[success(*a)]
		if success(*a) || refused(*a) {
			learn("duplicateHeader", word, seen(*a)+" for two header lines", func(d harness.Dialect) bool { return d.DuplicateHeader == word })
		}
	}
	if a := s.strangersKey; a != nil && x.ownKey() {
		learn("scope", "[tenant, principal]", seen(*a)+" and an order of its own for another customer under the same key", func(d harness.Dialect) bool { return slices.Contains(d.Scope, "principal") })
	}
	list = append(list, x.conflicts()...)
	if a := s.first; success(*s.replay) {
		if name := marker(*a, *s.replay); name != "" {
			learn("replayMarker", name, name+" in the repeat only", func(d harness.Dialect) bool { return strings.EqualFold(d.ReplayMarker, name) })
		}
		word := "original"
		if a.BodySHA256 != s.replay.BodySHA256 {
			word = "current"
		}
		learn("replayBody", word, word+", comparing a repeat with the first answer", func(d harness.Dialect) bool { return d.ReplayBody == word })
	}
	if word := x.errorFormat(); word != "" {
		learn("errorFormat", word, word+" in the refusals", func(d harness.Dialect) bool { return d.ErrorFormat == word || d.ErrorFormat == "any" })
	}
	if a := s.stranger; a != nil && (a.Status == 403 || a.Status == 404) {
		learn("statusNonOwner", strconv.Itoa(a.Status), strconv.Itoa(a.Status)+" for another customer's checkout", func(d harness.Dialect) bool { return d.StatusNonOwner == a.Status })
	}
	return list
}

// conflicts are the lessons of one key with another body, and of one key at the
// same time.
func (x *observer) conflicts() []lesson {
	var list []lesson
	if a := x.saw.mismatch; a != nil {
		mode := ""
		switch {
		case refused(*a):
			list = append(list, lesson{"mismatch", "{mode: refuse, " + refusal(*a) + "}", seen(*a), func(d harness.Dialect) bool {
				return d.Mismatch.Mode == "refuse" && d.Mismatch.Matches(coded(*a))
			}})
		case success(*a) && named(*a) == named(*x.saw.first):
			mode = "replay"
		case success(*a):
			mode = "execute"
		}
		if mode != "" {
			list = append(list, lesson{"mismatch", mode, seen(*a), func(d harness.Dialect) bool { return d.Mismatch.Mode == mode }})
		}
	}
	if a := x.saw.loser; a != nil {
		wait := header(*a, "Retry-After") != ""
		list = append(list, lesson{"inProgress", fmt.Sprintf("{mode: refuse, %s, retryAfter: %t}", refusal(*a), wait), seen(*a), func(d harness.Dialect) bool {
			return d.InProgress.Mode == "refuse" && d.InProgress.Matches(coded(*a)) && (wait || !d.InProgress.RetryAfter)
		}})
	}
	return list
}

// coded is the answer with the code where it was found.
func coded(a harness.Answer) harness.Answer {
	a.Code = codeOf(a)
	return a
}

func refusal(a harness.Answer) string {
	return fmt.Sprintf("statuses: [%d], code: %q", a.Status, codeOf(a))
}

// distinct lists the statuses of the answers, each once.
func distinct(answers []harness.Answer) (statuses []string, text string) {
	var words []string
	for _, a := range answers {
		if status := strconv.Itoa(a.Status); !slices.Contains(statuses, status) {
			statuses = append(statuses, status)
			words = append(words, seen(a))
		}
	}
	return statuses, strings.Join(words, ", ")
}

// errorFormat is the format of all refusals that carry a body.
func (x *observer) errorFormat() string {
	word := ""
	for _, a := range append([]*harness.Answer{x.saw.missing, x.saw.mismatch, x.saw.loser}, x.saw.stranger) {
		if a == nil || !refused(*a) {
			continue
		}
		switch f := format(*a); {
		case f == "":
		case word == "":
			word = f
		case word != f:
			return "any"
		}
	}
	return word
}

// ownKey reports whether a second customer has keys of their own.
func (x *observer) ownKey() bool {
	a := x.saw.strangersKey
	return a != nil && success(*a) && named(*a) != named(*x.saw.first)
}

// excuses counts what a preset would assume, unseen, that keeps duplicates of
// money from being judged: one customer's key that is another's as well, and
// failures that are kept, so that a retry does not have to succeed.
func (x *observer) excuses(d harness.Dialect) int {
	n := 0
	if !slices.Contains(d.Scope, "principal") && !x.ownKey() {
		n++
	}
	if d.Store == "all" || d.RetryableFailure == "replay" {
		n++
	}
	return n
}

// findings chooses the preset in which most of what was seen is right, and sorts
// the rest. Two presets that are as right, or nearly, differ by what they assume of
// what was not seen: the stricter one is taken, since who reads the profile corrects
// what fails sooner than what is never judged.
func (x *observer) findings() Findings {
	f := Findings{Options: x.o, Sent: x.sent}
	lessons := x.lessons()
	best, fewest := x.base, 2*len(lessons)+10
	for _, d := range x.o.Presets {
		wrong := x.excuses(d)
		for _, l := range lessons {
			if !l.agrees(d) {
				wrong += 2
			}
		}
		eligible := d.Name == x.o.Dialect || x.o.Dialect == "" && !d.ObserveOnly && d.KeySyntax == x.base.KeySyntax
		if eligible && wrong < fewest {
			best, fewest = d, wrong
		}
	}
	f.Base = best.Name
	for _, l := range lessons {
		k := Knob{Key: "dialect." + l.key, Value: l.value, Seen: l.seen}
		if l.key == "scope" {
			k.Value = "[" + strings.Join(append(slices.Clone(best.Scope), "principal"), ", ") + "]"
		}
		if l.agrees(best) {
			f.Agreed = append(f.Agreed, k)
		} else {
			f.Knobs = append(f.Knobs, k)
		}
	}
	x.further(&f)
	x.unseen(&f, lessons)
	return f
}

// further is what was learned beside the dialect. Where ids are is said unless
// the base has them there: it may have been chosen for its refusals alone. Of the
// base's code only a part is a place; it looks at .code, too.
func (x *observer) further(f *Findings) {
	s, usual := x.saw, x.o.Response(f.Base)
	if s.statusPath != "" {
		f.Further = append(f.Further, Knob{"status.path", s.statusPath, "the checkout is read there"})
	}
	for _, p := range []struct{ key, path, usual string }{
		{"response.requestId", s.requestPath, usual.RequestID}, {"response.orderId", s.orderPath, usual.OrderID}, {"response.code", x.codePath(), ".code"},
	} {
		if p.path != "" && p.path != p.usual {
			f.Further = append(f.Further, Knob{p.key, p.path, "in the answers"})
		}
	}
	for _, text := range x.o.Body.guessed {
		f.Further = append(f.Further, Knob{"checkout.body", text, "by its name"})
	}
}

// codePath is where the refusals say their code.
func (x *observer) codePath() string {
	for _, a := range []*harness.Answer{x.saw.mismatch, x.saw.missing, x.saw.loser} {
		if a != nil && refused(*a) {
			path, _ := find(*a, codePaths())
			return path
		}
	}
	return ""
}

// scopeNext says what a key that customers share means under the preset.
func (x *observer) scopeNext(base string) string {
	if !slices.Contains(x.preset(base).Scope, "principal") {
		return base + " takes that for right and leaves SRS-CHK-001.18 out; write scope: [tenant, principal] where customers choose their keys, and expect it to fail"
	}
	return "nothing; expect SRS-CHK-001.18 to fail"
}

func (x *observer) preset(name string) harness.Dialect {
	i := slices.IndexFunc(x.o.Presets, func(d harness.Dialect) bool { return d.Name == name })
	return x.o.Presets[max(i, 0)]
}

// unseen names what was not learned. Nothing of it is a claim of the profile
// but for what the base says.
func (x *observer) unseen(f *Findings, lessons []lesson) {
	f.Gaps = x.gaps
	gap := func(key, why, do string) { f.Gaps = append(f.Gaps, Gap{Key: key, Why: why, Do: do}) }
	learned := func(key string) bool {
		return slices.ContainsFunc(lessons, func(l lesson) bool { return l.key == key })
	}
	if !learned("keyMax") {
		why := fmt.Sprintf("the longest key that was accepted has %d characters, and none was refused", x.saw.longest)
		if x.saw.shortestRefused > 0 {
			why = fmt.Sprintf("the longest key that was accepted has %d characters, the shortest that was refused %d", x.saw.longest, x.saw.shortestRefused)
		}
		gap("dialect.keyMax", why, "the documented bound")
	}
	if x.saw.strangersKey == nil {
		gap("dialect.scope", "one customer shows nothing about others", "a second customer: oncecheck init --token ALICE --token BOB")
	} else if a := *x.saw.strangersKey; !x.ownKey() {
		gap("dialect.scope", "the key of one customer, used by another, was answered "+seen(a)+": it is not the other's own", x.scopeNext(f.Base))
	}
	if a := x.saw.stranger; a != nil && a.Status == 200 {
		gap("dialect.statusNonOwner", "another customer reads what is not theirs", "nothing; expect clauses about ownership to fail")
	}
	gap("dialect.declined, pending, storeDown, retryableFailure", "nothing was declined, parked or away", "what the API's documentation says; "+f.Base+" is assumed")
	why := "they show after hours only, or after a failure"
	if d := x.preset(f.Base); d.Store == "all" || d.RetryableFailure == "replay" {
		why += "; " + f.Base + " keeps failures: if a retry after one succeeds, store: terminal, retryableFailure: resume"
	}
	gap("dialect.store, retentionMin, expired", why, "what the API's documentation says; "+f.Base+" is assumed")
	gap("dialect.fingerprint, precedence, validationConsumesKey", "they were not tried", f.Base+" is assumed")
	if x.sent >= MaxRequests {
		gap("the rest", errSpent.Error(), "see what is not listed as seen")
	}
}
