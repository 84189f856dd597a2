package observe

import (
	"fmt"
	"strings"
	"unicode"
)

// provisional is a profile with which the observation's requests can be sent.
func (x *observer) provisional() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "target: {name: %q, url: %q, owned: true%s}\n", x.o.Name, x.o.URL, x.o.trust())
	fmt.Fprintf(&b, "dialect: {base: %s, header: %s}\n", x.base.Name, x.keyHeader())
	b.WriteString("principals:\n")
	for _, i := range x.identities() {
		fmt.Fprintf(&b, "  %s: %s\n", i.Name, i.yaml("t1", ""))
	}
	fmt.Fprintf(&b, "checkout: {method: POST, path: %q, body: %s}\n", x.o.Path, x.o.Body.text)
	if len(x.status) > 0 {
		b.WriteString("operations:\n")
		for i, path := range x.status {
			fmt.Fprintf(&b, "  %s: {method: GET, path: %q}\n", guess(i), path)
		}
	}
	return []byte(b.String())
}

func (x *observer) identities() []Identity { return identities(x.o) }

// identities are those who act, or an alice without credentials.
func identities(o Options) []Identity {
	if len(o.Identities) == 0 {
		return []Identity{{Name: "alice"}}
	}
	return o.Identities
}

// SchemaFile is the name under which the profile expects its schema beside it.
const SchemaFile = "oncecheck.schema.json"

// Profile returns the commented profile. Its lines that begin with "#:" are
// templates: YAML once that is taken away and the words in capitals are
// replaced.
func (f Findings) Profile() []byte {
	w := &writer{}
	w.line("# yaml-language-server: $schema=" + SchemaFile)
	w.line("# Written by oncecheck init, which sent %d requests to %s.", f.Sent, f.Options.URL)
	w.line("# What it saw is filled in. What only you know stands in lines that begin with \"#:\":")
	w.line("# replace the WORDS IN CAPITALS and take the \"#: \" away, from all lines of a block.")
	w.line("# Then: oncecheck doctor --profile FILE says what works, and what the rest costs.")
	w.line("")
	f.target(w)
	f.dialect(w)
	f.principals(w)
	f.checkout(w)
	f.response(w)
	f.outside(w)
	return []byte(w.String())
}

type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (f Findings) target(w *writer) {
	o := f.Options
	switch {
	case o.Owned:
		w.line("target: {name: %q, url: %q, owned: true%s}", o.Name, o.URL, o.trust())
	case o.Remote:
		w.line("# The host is not this machine. Once its owner agrees that faults and duplicates are sent there,")
		w.line("# add owned: true to target; until then this file is refused.")
		fallthrough
	default:
		w.line("target: {name: %q, url: %q%s}", o.Name, o.URL, o.trust())
	}
	w.line("requirements: srs # numbers looser than the requirements fail; own judges by the numbers below policy")
	w.line("")
}

func (f Findings) dialect(w *writer) {
	w.line("# How the API spells the contract (oncecheck list dialects). Of %s it was seen to have:", f.Base)
	for _, k := range f.Agreed {
		w.line("#   %-16s %s", strings.TrimPrefix(k.Key, "dialect."), comment(k.Seen))
	}
	w.line("# Not learned, so %s is assumed; correct it here where the documentation says otherwise:", f.Base)
	for _, g := range f.Gaps {
		if strings.HasPrefix(g.Key, "dialect.") {
			w.line("#   %s: %s", strings.TrimPrefix(g.Key, "dialect."), comment(g.Why))
		}
	}
	if len(f.Knobs) == 0 {
		w.line("dialect: %s", f.Base)
		w.line("")
		return
	}
	w.line("dialect:")
	w.line("  base: %s", f.Base)
	for _, k := range f.Knobs {
		w.line("  %s: %s # seen: %s", strings.TrimPrefix(k.Key, "dialect."), k.Value, comment(k.Seen))
	}
	w.line("")
}

// comment keeps what a target sent on one line, and free of what a comment of
// YAML cannot hold.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, short(text))
}

func (f Findings) principals(w *writer) {
	w.line("# Who may act. Credentials come from the environment, for example: export ALICE_TOKEN=...")
	w.line("principals:")
	known := identities(f.Options)
	for _, i := range known {
		w.line("  %s: %s", i.Name, i.yaml("t1", ""))
	}
	template := known[0]
	if len(known) < 2 {
		w.line("  # A second customer of the same tenant. SRS-CHK-001.18 needs one.")
		w.line("#:   bob: %s", template.as("bob").yaml("t1", ""))
	}
	w.line("  # A customer of another tenant. SRS-CHK-001.17 and SRS-CHK-003.08 need one; who has")
	w.line("  # the name of %s there, and says so, finds a service that forgets the tenant.", template.Name)
	w.line("#:   carol: %s", template.as("carol").yaml("t2", "", "sameNameAs: "+template.Name))
	w.line("  # Support staff of alice's tenant, who may read other customers' checkouts.")
	w.line("#:   support: %s", template.as("support").yaml("t1", "support"))
	w.line("")
}

func (f Findings) checkout(w *writer) {
	w.line("# The request that has the effects. The suite fills {{cart}} and {{amount}}, both unique to each case.")
	for _, text := range f.Options.Body.guessed {
		w.line("# From your example: %s. Correct it if that is wrong.", text)
	}
	w.line("checkout:")
	w.line("  method: POST")
	w.line("  path: %q", f.Options.Path)
	w.line("  body: %s", f.Options.Body.text)
	w.line("  # A payment that fails for good: the members of the body that make it so. SRS-CHK-001.29 needs it.")
	w.line("#:   variants: {declined: {paymentToken: TOKEN_THAT_IS_DECLINED}}")
	w.line("")
	if path, ok := f.learned("status.path"); ok {
		w.line("# Asks what became of a checkout. It was found by reading the one that was made.")
		w.line("status: {path: %q}", path)
	} else {
		w.line("# Asks what became of a checkout. No such route was found. The clauses of SRS-CHK-003 need one.")
		w.line(`#: status: {path: "/PATH/{{requestId}}"}`)
	}
	w.line("")
}

func (f Findings) learned(key string) (string, bool) {
	for _, k := range f.Further {
		if k.Key == key {
			return k.Value, true
		}
	}
	return "", false
}

func (f Findings) response(w *writer) {
	var parts []string
	for _, name := range []string{"requestId", "orderId", "code"} {
		if path, ok := f.learned("response." + name); ok {
			parts = append(parts, fmt.Sprintf("%s: %q", name, path))
		}
	}
	w.line(`# A state in words of your own is told by a map, response.state: '{paid: "SUCCEEDED", declined: "FAILED_FINAL"}[.status]'`)
	if len(parts) > 0 {
		w.line("# Where answers say what, as jq expressions.")
		w.line("response: {%s}", strings.Join(parts, ", "))
	}
	w.line("")
}
