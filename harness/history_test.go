package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func recorded(t *testing.T, secrets map[string]string, events ...Event) string {
	t.Helper()
	dir := t.TempDir()
	rec, err := NewRecorder(dir, Header{Scenario: "a/b", RunID: "r"}, NewClock(), NewRedactor(secrets))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		rec.Append(e)
	}
	if _, err := OpenHistory(HistoryFile(dir, "a/b")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a history that is not finished has its final name: %v", err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return HistoryFile(dir, "a/b")
}

func TestHistoryReadsBack(t *testing.T) {
	path := recorded(t, nil, Event{Type: Invoke, Case: "c", Op: "op-1", Request: &Request{Operation: "checkout"}},
		Event{Type: Info, Case: "c", Op: "op-1", Request: &Request{}, Error: "gone"})
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // any number of times
		var types []string
		for e := range h.Events() {
			types = append(types, string(e.Type))
		}
		if got := strings.Join(types, " "); got != "invoke info mark" || h.Err() != nil {
			t.Fatalf("read %q, error %v", got, h.Err())
		}
	}
	if h.Header.Scenario != "a/b" || h.Header.Schema != HistorySchema {
		t.Errorf("header %+v", h.Header)
	}
}

func TestHistoryKeepsNoSecret(t *testing.T) {
	path := recorded(t, map[string]string{"pan": "4111111111111111", "quoted": `pass"word`, "short": "abc"},
		Event{Type: Info, Request: &Request{}, Error: `card 4111111111111111 and pass"word`})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "4111") || strings.Contains(string(data), `pass\"word`) {
		t.Errorf("a secret was written: %s", data)
	}
	if !strings.Contains(string(data), "⟦canary:pan⟧") || !strings.Contains(string(data), "⟦canary:quoted⟧") {
		t.Errorf("no markers: %s", data)
	}
}

// FuzzOpenHistory: whatever a file holds, reading it ends with events or an
// error, never with a panic.
func FuzzOpenHistory(f *testing.F) {
	f.Add([]byte(`{"schema":"oncecheck/history/v1"}` + "\n" + `{"seq":1,"type":"mark","mark":{"name":"end"}}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"schema":"oncecheck/history/v1"}` + "\n" + `{"seq":1,"type":"mark"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "h.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := OpenHistory(path)
		if err != nil {
			return
		}
		for e := range h.Events() {
			_ = e.String()
		}
		Judge(Scenario{Checks: []Check{{Judge: func(*History) Verdict { return Passed("x") }}}}, h)
	})
}

func TestDamagedHistories(t *testing.T) {
	good := recorded(t, nil, Event{Type: Info, Request: &Request{}, Error: "x"})
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ content, says string }{
		"empty":        {"", "empty"},
		"cut off":      {string(data[:len(data)-3]), "cut off"},
		"no header":    {"{}\n", "schema"},
		"no JSON":      {string(data) + "nonsense\n", "line 4"},
		"no mark":      {string(data) + `{"seq":9,"type":"mark"}` + "\n", "lacks"},
		"other schema": {`{"schema":"x"}` + "\n", "schema"},
	} {
		t.Run(name, func(t *testing.T) {
			path := good + "." + strings.ReplaceAll(name, " ", "")
			if err := os.WriteFile(path, []byte(row.content), 0o600); err != nil {
				t.Fatal(err)
			}
			h, err := OpenHistory(path)
			if err == nil {
				for range h.Events() {
				}
				err = h.Err()
			}
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
		})
	}
}
