package telemetry

import (
	"context"
	"errors"
	"testing"
)

// TestLogText: only what was logged since is read, whole lines of it, and a log
// that became shorter from its beginning.
func TestLogText(t *testing.T) {
	text, failure := "", error(nil)
	l := NewLogText(func(context.Context) ([]byte, error) { return []byte(text), failure })
	at := int64(0)
	for _, row := range []struct {
		text  string
		lines []string
		at    int64
	}{
		{"", nil, 0},
		{"half", nil, 0},
		{"half\n\n{\"attempt\":2}\nnext", []string{"half", `{"attempt":2}`}, 20},
		{"half\n\n{\"attempt\":2}\nnext\n", []string{"next"}, 25},
		{"new\n", []string{"new"}, 4},
	} {
		text = row.text
		records, end, err := l.Read(t.Context(), at)
		if err != nil || end != row.at || len(records) != len(row.lines) {
			t.Fatalf("%q: %+v to %d, %v", row.text, records, end, err)
		}
		at = end
		for i, r := range records {
			if r.Line != row.lines[i] {
				t.Errorf("line %q, want %q", r.Line, row.lines[i])
			}
		}
		if end, err := l.End(t.Context()); err != nil || end != int64(len(text)) {
			t.Errorf("end %d, %v", end, err)
		}
	}
	failure = errors.New("gone")
	if _, _, err := l.Read(t.Context(), 0); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
}
