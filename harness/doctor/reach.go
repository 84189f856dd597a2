package doctor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// reach opens what sends and returns how to close it, nil if the target cannot
// be reached at all.
func (x *examination) reach(ctx context.Context) func(context.Context) error {
	target, undo, err := x.subject.Open(ctx, Part{Kind: PartCaller})
	if err != nil {
		x.add("reach", Stop, "", "%v", err)
		return nil
	}
	x.caller = target
	x.add("reach", OK, "", "%s accepts connections and speaks HTTP/1.1%s", x.subject.URL, overTLS(x.subject.URL))
	return undo
}

func overTLS(url string) string {
	if strings.HasPrefix(url, "https://") {
		return "; its certificate is trusted"
	}
	return ""
}

// answers sends the harmless request without credentials and as each principal.
// It reports whether what answers may be an API at all.
func (x *examination) answers(ctx context.Context) bool {
	for _, name := range append([]string{""}, x.names()...) {
		var s sight
		s.answer, s.err = x.request(ctx, x.harmless(name))
		x.seen[name] = s
		if ctx.Err() != nil {
			return false
		}
		if errors.Is(s.err, harness.ErrUnfilled) {
			x.add("profile", Stop, "correct the path or the body of what is named: the suite fills {{cart}}, {{amount}}, {{reference}}, {{correlationId}}, {{requestId}} and {{orderId}}", "%s could not be made up: %v", x.what(), s.err)
			return false
		}
		if s.err != nil && name == "" {
			x.add("http", Stop, "does it answer curl? is it still starting, or waiting for something it depends on?", "it gives no answer: %v", s.err)
			return false
		}
	}
	a := x.seen[""].answer
	for _, name := range x.names() {
		if s := x.seen[name]; s.err == nil && s.answer.Status < 300 {
			a = s.answer
		}
	}
	if kind := header(a, "Content-Type"); a.Status >= 200 && a.Status < 300 && !a.JSON {
		x.say(harness.CapCheckout, NotWork, "what answers is no API")
		x.add("http", Broken, "is target.url the API itself, and not a web page or a proxy before it? are the paths right?",
			"%s was answered %d as %q, not as a JSON object", x.what(), a.Status, kind)
		return false
	}
	x.add("http", OK, "", "answers: %s", shown(x.seen[""].answer))
	x.skew(a)
	return true
}

// harmless is the request that cannot do anything.
func (x *examination) harmless(principal string) harness.Attempt {
	if x.claimed(harness.CapStatus) {
		return harness.Attempt{Operation: harness.OpStatus, Principal: principal}
	}
	return harness.Attempt{Operation: OpBare, Principal: principal}
}

// what names the harmless request.
func (x *examination) what() string {
	if x.claimed(harness.CapStatus) {
		return "a status read of an id that does not exist"
	}
	return "a checkout without key and body"
}

func (x *examination) names() []string {
	var names []string
	for _, p := range x.subject.Info.Principals {
		names = append(names, p.Name)
	}
	return names
}

// tolerance is what clocks may differ by: the Date header has whole seconds.
const tolerance = 2 * time.Second

func (x *examination) skew(a harness.Answer) {
	text := header(a, "Date")
	date, err := http.ParseTime(text)
	if err != nil {
		x.add("clock", Hint, "", "the answer has no Date, so the target's clock cannot be compared with ours")
		return
	}
	apart := time.Since(date).Truncate(time.Second)
	switch {
	case apart > tolerance:
		x.add("clock", Hint, "set both clocks by the same source: tokens expire and Retry-After dates count by them", "the target's clock is %s behind ours", apart)
	case apart < -tolerance:
		x.add("clock", Hint, "set both clocks by the same source: tokens expire and Retry-After dates count by them", "the target's clock is %s ahead of ours", -apart)
	default:
		x.add("clock", OK, "", "within %s of ours", tolerance)
	}
}

func header(a harness.Answer, name string) string {
	if values := a.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
