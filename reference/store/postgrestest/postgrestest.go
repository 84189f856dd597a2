//go:build unix

// Package postgrestest starts a PostgreSQL server for a test, if the programs are on
// this machine.
package postgrestest

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Required is the variable that, set to 1, makes a test without a server fail
// instead of being skipped.
const Required = "ONCECHECK_REQUIRE_POSTGRES"

// Password is part of every dsn, so that a test can look for it where it must not
// be. The server does not ask for it.
const Password = "s3cr3t"

// Start starts a server that ends with the test, with further options such as -F,
// which spares the disk, and returns the dsn of its first database. Where that
// cannot be, the test is skipped with the reason.
func Start(t testing.TB, options ...string) (dsn string) {
	t.Helper()
	initdb, pgctl := installed(t, "initdb"), installed(t, "pg_ctl")
	// Not t.TempDir, whose name may be too long for a socket and which another
	// user cannot enter.
	dir, err := os.MkdirTemp("", "pg") //nolint:usetesting // as said
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	run := as(t, dir)
	data := filepath.Join(dir, "data")
	if err := run(initdb, "-D", data, "-A", "trust", "-U", "shop", "--no-sync"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run(pgctl, "-D", data, "-m", "immediate", "stop") }) // there may be none to stop
	for range ports {
		port := free(t)
		// The server inherits our output and would keep a pipe of it open.
		err = run(pgctl, "-D", data, "-w", "-t", "60", "-l", filepath.Join(dir, "log"), "-o", strings.Join(append(options, "-h 127.0.0.1 -p", port, "-k", dir), " "), "start")
		if err == nil {
			return fmt.Sprintf("postgres://shop:%s@127.0.0.1:%s/postgres?sslmode=disable", Password, port)
		}
	}
	t.Fatal(err)
	return ""
}

// ports is how many ports are tried: another program may take a free one before the
// server does.
const ports = 5

func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String()) // made by net itself
	return port
}

// Schema makes an empty schema in the database of a dsn, and returns the dsn that
// sees it only. A database of its own would take a hundred times as long.
func Schema(t testing.TB, dsn, name string) string {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `CREATE SCHEMA "`+name+`"`); err != nil {
		t.Fatal(err)
	}
	return dsn + "&search_path=" + name
}

// installed finds a program of PostgreSQL, which Debian keeps out of the path.
func installed(t testing.TB, program string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is right
	if len(paths) == 0 {
		unable(t, "there is no "+program+" on this machine: PostgreSQL is not installed")
		return ""
	}
	return paths[len(paths)-1]
}

func unable(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(Required) == "1" {
		t.Fatalf("%s, and %s asks for it", reason, Required)
	}
	t.Skip(reason)
}

// as returns a function that runs programs as somebody whom PostgreSQL serves: it
// refuses root.
func as(t testing.TB, dir string) func(...string) error {
	t.Helper()
	var credential *syscall.Credential
	if os.Getuid() == 0 {
		someone, err := user.Lookup("postgres")
		if err != nil {
			unable(t, fmt.Sprintf("PostgreSQL does not run as root, and there is no user postgres: %v", err))
			return nil
		}
		uid, _ := strconv.ParseUint(someone.Uid, 10, 32) // numbers on unix
		gid, _ := strconv.ParseUint(someone.Gid, 10, 32)
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
		credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return func(argv ...string) error {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: credential}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
		}
		return nil
	}
}
