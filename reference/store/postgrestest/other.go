//go:build !unix

package postgrestest

import "testing"

// Password is part of every dsn.
const Password = "s3cr3t"

// Start skips the test.
func Start(t testing.TB, _ ...string) string {
	t.Skip("a PostgreSQL server is started on unix only")
	return ""
}

// Schema is not reached, since there is no server.
func Schema(testing.TB, string, string) string { return "" }
