package doctor

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/oncecheck/oncecheck/harness"
)

// sign is what a line begins with, so that a glance is enough.
func sign(s Status) string {
	switch s {
	case OK:
		return "✓"
	case Hint:
		return "·"
	case Untried:
		return "–"
	}
	return "✗"
}

// named is how many clauses a line names before it counts the rest.
const named = 12

// WriteText writes the report for people. Clean makes a text that the target may
// have sent fit for a terminal.
func (r Report) WriteText(w io.Writer, clean func(string) string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s at %s\n\n", clean(r.Target), clean(r.URL))
	width := 0
	for _, f := range r.Findings {
		width = max(width, min(utf8.RuneCountInString(f.Subject), 24))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %-*s  %s\n", sign(f.Status), width, clean(f.Subject), clean(f.Detail))
		if f.Next != "" {
			fmt.Fprintf(&b, "  %-*s  → %s\n", width, "", clean(f.Next))
		}
	}
	if len(r.Capabilities) > 0 {
		r.capabilities(&b, clean)
		r.costs(&b)
	}
	fmt.Fprintf(&b, "\n%s\n", r.verdict())
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write the doctor's report: %w", err)
	}
	return nil
}

func (r Report) capabilities(b *bytes.Buffer, clean func(string) string) {
	fmt.Fprint(b, "\ncapabilities\n")
	for _, c := range r.Capabilities {
		line := fmt.Sprintf("  %-17s %-14s %s", c.Name, c.State, clean(c.Reason))
		if c.State == NotClaims {
			line = fmt.Sprintf("  %-17s %-14s profile key: %s", c.Name, c.State, c.Key)
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// costs names the clauses of what a profile can mend; of the rest it counts
// them, since no profile of today can do anything about it.
func (r Report) costs(b *bytes.Buffer) {
	title := "\nwhat is missing costs\n"
	later := map[harness.ClauseID]bool{}
	var names []string
	for _, c := range r.Costs {
		if !c.Offered {
			names = append(names, c.Capability)
			for _, id := range c.Clauses {
				later[id] = true
			}
			continue
		}
		fmt.Fprint(b, title)
		title = ""
		fmt.Fprintf(b, "  %s: %s (%s)\n", c.Capability, c.Meaning, c.Key)
		fmt.Fprintf(b, "    %s\n", clauses(c))
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\n%d clause(s) need what this version makes no use of yet: %s\n", len(later), strings.Join(names, ", "))
	}
}

func clauses(c Cost) string {
	var ids []string
	for i, id := range c.Judged {
		if i == named {
			ids = append(ids, fmt.Sprintf("and %d more", len(c.Judged)-i))
			break
		}
		ids = append(ids, string(id))
	}
	text := strings.Join(ids, " ")
	if rest := len(c.Clauses) - len(c.Judged); rest > 0 {
		if text != "" {
			text += ", and "
		}
		text += fmt.Sprintf("%d that nothing judges yet", rest)
	}
	return text
}

func (r Report) verdict() string {
	switch r.Exit {
	case harness.ExitUsage:
		return "The target cannot be examined."
	case harness.ExitInconclusive:
		return "Something that the profile claims does not work: mend it, or leave it out."
	}
	for _, c := range r.Capabilities {
		if c.State == NotTried {
			return "Nothing that was tried is broken; what was not tried shows in a run, or with --send."
		}
	}
	return "All that the profile claims works."
}
