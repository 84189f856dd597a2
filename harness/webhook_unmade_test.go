package harness

import (
	"strings"
	"testing"
)

// TestUnmade: what nobody made looks like what was made.
func TestUnmade(t *testing.T) {
	shape := func(id string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= '0' && r <= '9':
				return '0'
			case r >= 'a' && r <= 'f', r >= 'A' && r <= 'F':
				return r&0x20 | 'A'
			case r >= 'g' && r <= 'z', r >= 'G' && r <= 'Z':
				return r&0x20 | 'G'
			}
			return r
		}, id)
	}
	s := &Session{id: "x/y", run: &runState{id: "r"}}
	for _, id := range []string{"", "7", "pay_42", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "ch_QXZ7AB29CDEFGHIJ", "--", "\u20ac1"} {
		got := s.Unmade(Effect{Kind: "charge", ID: id, Key: id})
		if shape(got.ID) != shape(id) || got.Key != got.ID || got.Kind != "charge" {
			t.Errorf("%q becomes %+v", id, got)
		}
		if named := strings.ContainsAny(id, "0123456789"); named && got.ID == id {
			t.Errorf("%q stays what it is", id)
		}
	}
	if got := s.Unmade(Effect{ID: "3f2504e0-4f89-41d3-9a0c-0305e82c3301"}).ID; !strings.HasPrefix(got, "3f2504e0-4f89-41d3-9a0c-0305") {
		t.Errorf("a UUID becomes %s, which need not be of its version", got)
	}
}
