package observe

import (
	"bytes"
	"fmt"
	"io"
)

// WriteText writes what was learned and what was not, for people. Clean makes a
// text that the target may have sent fit for a terminal.
func (f Findings) WriteText(w io.Writer, clean func(string) string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d requests sent to %s\n\nlearned\n", f.Sent, clean(f.Options.URL))
	fmt.Fprintf(&b, "  %-24s %s\n", "dialect", f.Base)
	for _, k := range f.Agreed {
		fmt.Fprintf(&b, "  %-24s as in %s: %s\n", k.Key, f.Base, clean(k.Seen))
	}
	for _, k := range append(f.Knobs, f.Further...) {
		fmt.Fprintf(&b, "  %-24s %s (%s)\n", k.Key, clean(k.Value), clean(k.Seen))
	}
	fmt.Fprint(&b, "\nnot learned\n")
	for _, g := range f.Gaps {
		fmt.Fprintf(&b, "  %s: %s\n    → %s\n", g.Key, clean(g.Why), clean(g.Do))
	}
	fmt.Fprint(&b, `
to fill in by hand, in the lines that begin with "#:"
  principals     a customer of another tenant, support staff; credentials in the environment
  checkout       a variant that is declined
  effects        where the ledger is, and what one checkout leaves in it
  dependencies   the systems that the target calls
  control        how to restart it
`)
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write what was learned: %w", err)
	}
	return nil
}
