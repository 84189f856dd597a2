package caller

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// build writes the request head and body of an attempt. Idempotency header
// lines go out byte for byte as given, whatever they contain but line breaks.
func (c *Caller) build(a harness.Attempt) (head, body []byte, sent harness.Request, err error) {
	if a.Instance < 0 || a.Instance >= len(c.cfg.Doors) {
		return nil, nil, harness.Request{}, fmt.Errorf("call instance %d: the profile declares %d; name more in target.instances", a.Instance+1, len(c.cfg.Doors))
	}
	rendered, err := c.cfg.Render(a)
	if err != nil {
		return nil, nil, harness.Request{}, fmt.Errorf("%w: fill the template of %s: %w", harness.ErrUnfilled, a.Operation, err)
	}
	if a.Query != "" {
		mark := "?"
		if strings.Contains(rendered.Path, "?") {
			mark = "&"
		}
		rendered.Path += mark + a.Query
	}
	sent = harness.Request{Method: rendered.Method, Path: rendered.Path, Body: string(rendered.Body)}
	if len(rendered.Body) > 0 {
		sum := sha256.Sum256(rendered.Body)
		sent.BodySHA256 = hex.EncodeToString(sum[:])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", rendered.Method, rendered.Path, c.cfg.Doors[a.Instance].Host)
	line := func(name, value string) error {
		if strings.ContainsAny(value, "\r\n") {
			return fmt.Errorf("header %s contains a line break", name)
		}
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		return nil
	}
	lines := unless(a.Header, [2]string{"User-Agent", c.userAgent(a.RunID)}, [2]string{"Accept", "application/json"})
	lines = append(lines, [][2]string{
		{"Connection", "close"},
		{CaseHeader, a.CaseID}, {"X-Oncecheck-Run", a.RunID}, {"X-Oncecheck-Case-Id", a.CaseID}, {"X-Oncecheck-Attempt", fmt.Sprint(a.Number)},
	}...)
	if a.CorrelationID != "" && c.cfg.Correlation != "" {
		lines = append(lines, [2]string{c.cfg.Correlation, a.CorrelationID})
	}
	principal := a.Principal
	if a.Refreshed {
		principal = harness.RefreshedPrincipal(a.Principal)
	}
	for _, name := range sortedNames(rendered.Header) {
		lines = append(lines, unless(a.Header, [2]string{name, rendered.Header[name]})...)
	}
	for _, headers := range []map[string]string{c.cfg.Principals[principal], a.Header} {
		for _, name := range sortedNames(headers) {
			lines = append(lines, [2]string{name, headers[name]})
		}
	}
	for _, key := range a.Keys {
		lines = append(lines, [2]string{cmp.Or(a.KeyName, c.cfg.KeyHeader), key})
	}
	if rendered.Method != "GET" && rendered.Method != "HEAD" {
		lines = append(lines, [2]string{"Content-Length", fmt.Sprint(len(rendered.Body))})
	}
	for _, l := range lines {
		if err := line(l[0], l[1]); err != nil {
			return nil, nil, sent, err
		}
	}
	b.WriteString("\r\n")
	return []byte(b.String()), rendered.Body, sent, nil
}

// unless returns the lines whose headers the attempt does not bring itself.
func unless(own map[string]string, lines ...[2]string) [][2]string {
	return slices.DeleteFunc(lines, func(line [2]string) bool {
		return slices.ContainsFunc(sortedNames(own), func(name string) bool { return strings.EqualFold(name, line[0]) })
	})
}

// userAgent says who sends, in which run, and where to find out what that is:
// the first thing that whoever reads the target's log wants to know.
func (c *Caller) userAgent(runID string) string {
	const home = "https://github.com/oncecheck/oncecheck"
	if runID == "" {
		return c.cfg.UserAgent + " (" + home + ")"
	}
	return c.cfg.UserAgent + " (run " + runID + "; " + home + ")"
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
