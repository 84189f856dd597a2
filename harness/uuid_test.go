package harness

import (
	"fmt"
	"testing"
)

// TestUUIDsAreNoCardNumbers: of so many texts some hundred would give one.
func TestUUIDsAreNoCardNumbers(t *testing.T) {
	seen := map[string]bool{}
	for i := range 20_000 {
		id := uuidOf(fmt.Sprint(i))
		if cardLike(id) || seen[id] || len(id) != 36 || id[14] != '8' {
			t.Fatalf("%q of %d", id, i)
		}
		seen[id] = true
	}
	for id, want := range map[string]bool{"9cbb-598112063351-1": true, "9cbb-598112063351-a": false, "1234-5678-9012-3": true, "": false} {
		if cardLike(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
