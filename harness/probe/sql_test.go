package probe

import (
	"context"
	"database/sql"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// database makes a SQLite file as a target would keep it, in use while we read.
func database(t *testing.T, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "shop of ? 100%.db")
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("?", "%3f", "%", "%25").Replace(path)+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func openSQL(t *testing.T, dsn, query string) *SQLProbe {
	t.Helper()
	p, err := SQL(dsn, query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

const charges = `CREATE TABLE charges (n INTEGER PRIMARY KEY, uid TEXT, cart TEXT, corr TEXT, cents INTEGER, currency TEXT, made DATETIME, real REAL, blob BLOB)`

func TestEffectsOfASQLiteLedger(t *testing.T) {
	path := database(t, charges,
		`INSERT INTO charges VALUES (9007199254740993, 'c-2', 'cart-2', NULL, 9007199254740993, NULL, '2026-01-02 03:04:05', 12.0, x'6b')`,
		`INSERT INTO charges VALUES (4, 'c-1', 'cart-1', 'corr-1', 1001, 'EUR', NULL, 7.0, NULL)`)
	query := `-- the ledger
		SELECT n AS SEQ, 'charge' AS kind, uid AS id, cart AS reference, corr AS correlation_id, cents AS amount, currency, made AS at, blob AS key, real FROM charges`
	want := []harness.Effect{
		{Seq: 4, Kind: "charge", ID: "c-1", Reference: "cart-1", CorrelationID: "corr-1", Amount: 1001, Currency: "EUR"},
		{Seq: 9007199254740993, Kind: "charge", ID: "c-2", Key: "k", Reference: "cart-2", Amount: 9007199254740993, At: "2026-01-02T03:04:05Z"},
	}
	for _, row := range []struct {
		after int64
		where string
		want  []harness.Effect
	}{
		{0, "", want}, {4, "", want[1:]}, {0, " WHERE n > {{since}}", want}, {4, " WHERE n > {{ since }} AND {{since}} > 3", want[1:]},
		{1 << 62, " WHERE n > {{since}}", nil},
	} {
		got, err := openSQL(t, "sqlite:"+path, query+row.where).Effects(t.Context(), row.after)
		if err != nil || len(got)+len(row.want) > 0 && !reflect.DeepEqual(got, row.want) {
			t.Errorf("after %d%s:\ngot  %+v, %v\nwant %+v", row.after, row.where, got, err, row.want)
		}
	}
	// What is whole is whole in any type; what an id is in the table does not matter.
	got, err := openSQL(t, "sqlite:"+path, `SELECT n AS seq, 'charge' AS kind, n AS id, real AS amount FROM charges WHERE n = 4`).Effects(t.Context(), 0)
	if err != nil || len(got) != 1 || got[0].ID != "4" || got[0].Amount != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNoRowsAreNoEffects(t *testing.T) {
	effects, err := openSQL(t, "sqlite:"+database(t, charges), `SELECT n AS seq, 'charge' AS kind, uid AS id FROM charges`).Effects(t.Context(), 0)
	if err != nil || len(effects) != 0 {
		t.Errorf("%+v, %v", effects, err)
	}
}

// Each of these could hide a second charge, or change the ledger.
func TestUnclearQueriesAreErrors(t *testing.T) {
	path := database(t, charges,
		`INSERT INTO charges VALUES (1, 'c-1', 'cart-1', NULL, 10, 'EUR', NULL, 1.5, x'ff')`,
		`INSERT INTO charges VALUES (2, NULL, 'cart-2', NULL, 20, 'EUR', NULL, 2e18, NULL)`)
	const first = " FROM charges WHERE n = 1"
	for name, row := range map[string]struct{ query, want string }{
		"no seq":             {"SELECT n, 'c' AS kind, uid AS id" + first, "no column seq (it gave n, kind, id); name one with AS seq"},
		"no kind":            {"SELECT n AS seq, uid AS id" + first, "no column kind"},
		"no id":              {"SELECT n AS seq, 'c' AS kind" + first, "no column id"},
		"no id, no row":      {"SELECT n AS seq, 'c' AS kind FROM charges WHERE 0", "no column id"},
		"a column twice":     {"SELECT n AS seq, 'c' AS kind, uid AS id, cart AS id" + first, "id twice"},
		"an id of NULL":      {"SELECT n AS seq, 'c' AS kind, uid AS id FROM charges", "entry 2: kind and id must be there"},
		"a seq of NULL":      {"SELECT NULL AS seq, 'c' AS kind, uid AS id" + first, "entry 1 has no seq"},
		"a seq twice":        {"SELECT 1 AS seq, 'c' AS kind, cart AS id FROM charges", "two entries have seq 1"},
		"a fraction":         {"SELECT n AS seq, 'c' AS kind, uid AS id, real AS amount" + first, "amount is not a whole number"},
		"lost digits":        {"SELECT n AS seq, 'c' AS kind, cart AS id, real AS amount FROM charges WHERE n = 2", "amount is not a whole number"},
		"text as amount":     {"SELECT n AS seq, 'c' AS kind, uid AS id, cart AS amount" + first, "amount is not a number"},
		"binary":             {"SELECT n AS seq, 'c' AS kind, blob AS id" + first, "id is binary"},
		"no such table":      {"SELECT 1 AS seq, 'c' AS kind, 'x' AS id FROM nowhere", "no such table"},
		"a WITH that writes": {"WITH x AS (SELECT 1) INSERT INTO charges (n) VALUES (9) RETURNING n AS seq, 'c' AS kind, 'x' AS id", "readonly"},
		"a second statement": {"SELECT 1 AS seq, 'c' AS kind, 'x' AS id; DELETE FROM charges", "readonly"},
	} {
		t.Run(name, func(t *testing.T) {
			effects, err := openSQL(t, "sqlite:"+path, row.query).Effects(t.Context(), 0)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %+v, %v, want %s", effects, err, row.want)
			}
		})
	}
}

func TestSQLSetUpErrors(t *testing.T) {
	const query = "SELECT 1 AS seq"
	for _, row := range []struct{ dsn, query, want string }{
		{"mysql://u:s3cr3t@h/db", query, "postgres:// or be sqlite:PATH"},
		{"sqlite:", query, "postgres:// or be sqlite:PATH"},
		{"postgres://u:s3cr3t@h:port/db", query, "no PostgreSQL address"},
		{"sqlite:x", "DELETE FROM charges", "is no SELECT"},
		{"sqlite:x", "/* SELECT */ -- SELECT\n UPDATE x SET y = 1", "is no SELECT"},
		{"sqlite:x", "", "is no SELECT"},
		{"sqlite:x", "SELECT 1 WHERE note > 'it''s {{since}}'", "stands in quotes"},
	} {
		p, err := SQL(row.dsn, row.query)
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s, %s: %v, want %s", row.dsn, row.query, err, row.want)
		}
		if p != nil {
			_ = p.Close()
		}
	}
}

func TestAMissingDatabaseIsNoEmptyOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.db")
	effects, err := openSQL(t, "sqlite:"+path, "SELECT 1 AS seq, 'c' AS kind, 'x' AS id").Effects(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "check the dsn") || !strings.Contains(err.Error(), path) {
		t.Errorf("%+v, %v", effects, err)
	}
}

func TestAQueryEndsWithItsContext(t *testing.T) {
	p := openSQL(t, "sqlite:"+database(t, charges), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS seq, 'c' AS kind, 'x' AS id FROM n`)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := p.Effects(ctx, 0); ended <- err }()
	cancel(context.DeadlineExceeded) // at whatever point of it: an endless query ends in any case
	if err := <-ended; err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("got %v", err)
	}
}
