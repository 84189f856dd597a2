package probe

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/store/postgrestest"
)

func TestPostgreSQL(t *testing.T) {
	dsn := postgrestest.Start(t, "-F")
	shop, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shop.Close() }()
	if _, err := shop.Exec(`CREATE TABLE charges (n bigserial PRIMARY KEY, small int, uid uuid, cart text, corr varchar(40), amount numeric(20,2), made timestamptz);
		INSERT INTO charges (small, uid, cart, corr, amount, made) VALUES
		(1, '0198f2a0-0000-7000-8000-000000000001', 'cart-1', 'corr-1', 1001.00, '2026-01-02 03:04:05.5+01'),
		(2, '0198f2a0-0000-7000-8000-000000000002', NULL, NULL, 90071992547409.93, NULL)`); err != nil {
		t.Fatal(err)
	}
	columns := `SELECT n AS seq, 'charge' AS kind, uid AS id, cart AS reference, corr AS correlationId, made AS at, (amount * 100)::bigint AS amount FROM charges`

	t.Run("reads", func(t *testing.T) { postgresReads(t, shop, dsn, columns) })
	for name, row := range map[string]struct{ query, want string }{
		"a WITH that deletes": {"WITH gone AS (DELETE FROM charges RETURNING n) SELECT n AS seq, 'c' AS kind, n AS id FROM gone", "read-only transaction"},
		"two statements":      {columns + "; DELETE FROM charges", "multiple commands"},
		"a fraction":          {"SELECT n AS seq, 'c' AS kind, n AS id, amount FROM charges", "amount is not a whole number"},
		"no such table":       {"SELECT n AS seq, 'c' AS kind, n AS id FROM nowhere", "does not exist"},
		"true":                {"SELECT n AS seq, 'c' AS kind, true AS id FROM charges", "id is of a type (bool)"},
		"no columns":          {"SELECT FROM charges", "no columns"},
	} {
		t.Run(name, func(t *testing.T) {
			effects, err := openSQL(t, dsn, row.query).Effects(t.Context(), 0)
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got %+v, %v, want %s", effects, err, row.want)
			}
		})
	}
	t.Run("no such database", func(t *testing.T) {
		_, err := openSQL(t, strings.Replace(dsn, "/postgres?", "/absent?", 1), columns).Effects(t.Context(), 0)
		if err == nil || !strings.Contains(err.Error(), "check the dsn") || strings.Contains(err.Error(), "s3cr3t") {
			t.Error(err)
		}
	})
	t.Run("a query that hangs", func(t *testing.T) {
		p := openSQL(t, dsn, "SELECT 1 AS seq, 'c' AS kind, pg_sleep(600)::text AS id")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { _, err := p.Effects(ctx, 0); ended <- err }()
		for n := 0; n == 0; {
			if err := shop.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)::%' AND pid <> pg_backend_pid()").Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("got %v", err)
		}
	})
	var left int
	if err := shop.QueryRow("SELECT count(*) FROM charges").Scan(&left); err != nil || left != 3 {
		t.Errorf("%d charges are left of 3, %v", left, err)
	}
}

func postgresReads(t *testing.T, shop *sql.DB, dsn, columns string) {
	p := openSQL(t, dsn, columns+" WHERE n > {{since}}")
	want := []harness.Effect{
		{Seq: 1, Kind: "charge", ID: "0198f2a0-0000-7000-8000-000000000001", Reference: "cart-1", CorrelationID: "corr-1", Amount: 100100, At: "2026-01-02T02:04:05.5Z"},
		{Seq: 2, Kind: "charge", ID: "0198f2a0-0000-7000-8000-000000000002", Amount: 9007199254740993},
	}
	for _, p := range []*SQLProbe{p, openSQL(t, dsn, columns)} {
		got, err := p.Effects(t.Context(), 0)
		if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
		}
	}
	if got, err := p.Effects(t.Context(), 2); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := shop.Exec("INSERT INTO charges (small, uid) VALUES (3, gen_random_uuid())"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Effects(t.Context(), 2); err != nil || len(got) != 1 || got[0].Seq != 3 {
		t.Errorf("the new row: %+v, %v", got, err)
	}
	// A cursor beyond the column's own type is a comparison, not an overflow.
	small := openSQL(t, dsn, "SELECT small AS seq, 'c' AS kind, n AS id FROM charges WHERE small > {{since}}")
	if got, err := small.Effects(t.Context(), 1<<40); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
