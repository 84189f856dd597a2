package storage

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// whole is a record as every way has to bring it.
const whole = `{"requestId":"r/1","tenant":"t1","principal":"alice","operation":"checkout","version":"v1","key":"k","fingerprint":"f",
	"state":"SUCCEEDED","status":201,"response":"{}","attemptCount":3,"terminalAt":"2026-01-02T03:04:05Z","expiresAt":"2026-01-03T03:04:05Z",
	"attempts":[{"dependency":"payment","operation":"charge","correlationId":"c","start":"2026-01-02T03:04:04Z","end":"2026-01-02T03:04:05Z"}],
	"unique":["tenant","principal","operation","version","key"]}`

func checkWhole(t *testing.T, r harness.StoredRecord, err error) {
	t.Helper()
	if err != nil || r.Principal != "alice" || r.Key != "k" || r.State != "SUCCEEDED" || r.Status != 201 || r.AttemptCount == nil || *r.AttemptCount != 3 ||
		r.ExpiresAt.Sub(r.TerminalAt).Hours() != 24 || len(r.Attempts) != 1 || r.Attempts[0].Dependency != "payment" || r.Attempts[0].End.IsZero() || !slices.Contains(r.Unique, "version") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRecordOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("id") == "r/1" && r.Header.Get("Authorization") == "Bearer x":
			_, _ = w.Write([]byte(`{"rows":[` + whole + `]}`))
		case r.URL.Query().Get("id") == "moved":
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			_, _ = w.Write([]byte(`{"rows":[]}`))
		}
	}))
	defer server.Close()
	reader, err := HTTP(server.Client(), server.URL+"/?id={{requestId}}", map[string]string{"Authorization": "Bearer x"}, ".rows[0]")
	if err != nil {
		t.Fatal(err)
	}
	record, err := reader.Record(t.Context(), "r/1")
	checkWhole(t, record, err)
	for id, says := range map[string]string{"r2": "no such record", "moved": "status 302"} {
		if _, err := reader.Record(t.Context(), id); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := HTTP(server.Client(), server.URL, nil, ".["); err == nil {
		t.Error("an expression that does not parse is taken")
	}
}

func TestRecordFromSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE records (id TEXT, body TEXT); INSERT INTO records VALUES ('r/1', '`+whole+`'), ('r2', '{}')`); err != nil {
		t.Fatal(err)
	}
	const columns = `SELECT id AS request_id, body->>'tenant' AS tenant, body->>'principal' AS principal, body->>'key' AS key, body->>'state' AS STATE,
		body->>'status' AS status, body->>'attemptCount' AS attempt_count, body->'attempts' AS attempts, body->'unique' AS "unique",
		body->>'terminalAt' AS terminal_at, body->>'expiresAt' AS expires_at, 'x' AS unknown FROM records WHERE id = `
	reader, err := SQL("sqlite:"+path, columns+"{{requestId}}")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	record, err := reader.Record(t.Context(), "r/1")
	checkWhole(t, record, err)
	if _, err := reader.Record(t.Context(), "r3"); err == nil || !strings.Contains(err.Error(), "no such record") {
		t.Errorf("one that is not there: %v", err)
	}
	all, err := SQL("sqlite:"+path, columns+"id OR {{requestId}} = 'r/1'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = all.Close() }()
	if _, err := all.Record(t.Context(), "r/1"); err == nil || !strings.Contains(err.Error(), "more than one row") {
		t.Errorf("several: %v", err)
	}
	if _, err := SQL("sqlite:"+path, columns+"'{{requestId}}'"); err == nil || !strings.Contains(err.Error(), "stands in quotes, which bind nothing") {
		t.Errorf("a name in quotes: %v", err)
	}
	if _, err := SQL("mysql://x", columns); err == nil {
		t.Error("an unknown database is taken")
	}
	if _, err := SQL("postgres://u:secret@%zz/x", columns); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a wrong address: %v", err)
	}
}

func TestRecordByCommand(t *testing.T) {
	reader, err := Command([]string{"printf", "%s", strings.ReplaceAll(whole, `"r/1"`, `"{{requestId}}"`)}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	record, err := reader.Record(t.Context(), "r/1")
	checkWhole(t, record, err)
	for says, argv := range map[string][]string{
		"exit status": {"false"}, "printed nothing": {"true"}, "is no record": {"echo", "[]"}, "of another request": {"echo", `{"requestId":"r2"}`},
		"no requestId": {"echo", "{}"}, "executable file not found": {"no-such-program-anywhere"},
	} {
		reader, err := Command(argv, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Record(t.Context(), "r1"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", argv, err)
		}
	}
	if _, err := Command(nil, ""); err == nil {
		t.Error("no program is taken")
	}
}

// TestCommandIsBounded: a program that prints without end is given up at the bound,
// however it prints.
func TestCommandIsBounded(t *testing.T) {
	const tooMuch = "20971520"
	for says, argv := range map[string][]string{
		"printed more than 8 MiB": {"head", "-c", tooMuch, "/dev/zero"},
		"exit status":             {"sh", "-c", "head -c " + tooMuch + " /dev/zero >&2; exit 1"},
	} {
		reader, err := Command(argv, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Record(t.Context(), "r"); err == nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 2000 {
			t.Errorf("%v: %.200v", argv, err)
		}
	}
}
