package harness

import (
	"bytes"
	"encoding/json"
	"sort"
)

// Redactor replaces known secrets by markers before anything is written. A
// marker keeps its name, "⟦canary:pan⟧", so that a judge can still find where a
// secret leaked although nobody can read it.
type Redactor struct {
	pairs []redaction
}

type redaction struct{ secret, marker []byte }

// minSecret is the shortest text worth replacing: shorter ones would eat into
// ordinary words.
const minSecret = 6

// NewRedactor returns a redactor of the given secrets by name. Longer secrets
// are replaced first, so that one that contains another stays whole.
func NewRedactor(secrets map[string]string) *Redactor {
	r := &Redactor{}
	for name, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		marker := []byte("⟦canary:" + name + "⟧")
		r.pairs = append(r.pairs, redaction{[]byte(secret), marker})
		if quoted, err := json.Marshal(secret); err == nil {
			if inner := quoted[1 : len(quoted)-1]; !bytes.Equal(inner, []byte(secret)) {
				r.pairs = append(r.pairs, redaction{inner, marker})
			}
		}
	}
	sort.Slice(r.pairs, func(i, j int) bool {
		if len(r.pairs[i].secret) != len(r.pairs[j].secret) {
			return len(r.pairs[i].secret) > len(r.pairs[j].secret)
		}
		return bytes.Compare(r.pairs[i].secret, r.pairs[j].secret) < 0
	})
	return r
}

// Line returns line with every known secret replaced. A nil Redactor knows none.
func (r *Redactor) Line(line []byte) []byte {
	if r == nil {
		return line
	}
	for _, p := range r.pairs {
		if bytes.Contains(line, p.secret) {
			line = bytes.ReplaceAll(line, p.secret, p.marker)
		}
	}
	return line
}

// String is Line for text.
func (r *Redactor) String(s string) string { return string(r.Line([]byte(s))) }
