package doctor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// dependencies opens and closes each link alone: its address is free, what lies
// behind it can be reached, and what was attached is released again.
func (x *examination) dependencies(ctx context.Context) {
	for _, d := range x.subject.Dependencies {
		subject := "dependency " + d.Name
		_, undo, err := x.subject.Open(ctx, Part{Kind: PartDependency, Name: d.Name})
		if err != nil {
			x.claimBroken(harness.CapDependencies, subject, "", err.Error())
			continue
		}
		if err := undo(ctx); err != nil {
			x.claimBroken(harness.CapDependencies, subject, "", "it opens, but it could not be undone: "+err.Error())
			continue
		}
		x.say(harness.CapDependencies, NotTried, "the links open; whether the target calls them shows with a fault")
		x.add(subject, OK, "", "%s", d.Way)
	}
}

// control asks a supervisor how it is.
func (x *examination) control(ctx context.Context) {
	if !x.claimed(harness.CapProcessControl) {
		return
	}
	ways := strings.Join(x.subject.ControlWays, ", ")
	if x.subject.ControlURL == "" {
		x.say(harness.CapProcessControl, NotTried, "nothing was run")
		x.add("control", Untried, "oncecheck doctor --send tries it", "by %s: nothing was run", ways)
		return
	}
	status, err := healthy(ctx, x.subject.ControlURL)
	switch {
	case err != nil:
		x.claimBroken(harness.CapProcessControl, "control", "start the supervisor, or correct control.http", err.Error())
	case status >= http.StatusInternalServerError:
		x.claimBroken(harness.CapProcessControl, "control", "look into the supervisor's log", fmt.Sprintf("%s/healthz answers %d", x.subject.ControlURL, status))
	default:
		x.say(harness.CapProcessControl, NotTried, "the supervisor answers; nothing was tried")
		x.add("control", OK, "", "%s answers (%d); --send tries what it can do", x.subject.ControlURL, status)
	}
}

// healthy asks a supervisor for its health.
func healthy(ctx context.Context, url string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/healthz", nil)
	if err != nil {
		return 0, fmt.Errorf("reach the supervisor at %s: it is no URL", url)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, fmt.Errorf("reach the supervisor: %w", err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // the status is all that matters
	return answer.StatusCode, answer.Body.Close()
}
