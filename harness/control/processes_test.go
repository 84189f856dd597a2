//go:build unix

package control

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Part of a command that waits until all requests of one look were met by a
// closed connection: the first look may fall together with the change.
const untilMet = `; until awk 'NR%3==1 {c=0} /^c/ {c++} NR%3==0 && c==3 {met=1} END {exit !met}' asked; do sleep 0.01; done; `

func TestCommands(t *testing.T) {
	for _, row := range []struct {
		name string
		c    Commands
		want string // of all proofs, joined
	}{
		{"restart seen from outside", Commands{Restart: sh("echo closing > mode" + untilMet + "echo > mode")},
			"restart: meanwhile a request to the target met: EOF; the target answers: status 404"},
		{"restart that returns too early", Commands{Restart: sh("(sleep 0.05; echo closing > mode" + untilMet + "echo > mode) >/dev/null 2>&1 &")},
			"restart: meanwhile a request to the target met: EOF; the target answers: status 404"},
		{"restart seen by the list of processes", Commands{Restart: sh("echo 12 13 > pids"), Instance: sh("cat pids")},
			`restart: instances were ["10" "11"] and are ["12" "13"]; the target answers: status 404`},
		{"restart by kill and start", Commands{Kill: sh("echo closing > mode"), Start: sh("echo > mode")},
			"kill: a request to the target met: EOF; start: the target answers: status 404; restart: a request to the target met: EOF; the target answers: status 404"},
		{"kill and start with processes", Commands{Kill: sh("echo silent > mode; rm -f pids"), Start: sh("echo > mode; echo 12 13 > pids"), Instance: sh("cat pids 2>/dev/null || exit 1"), Restart: sh("echo 14 15 > pids")},
			`kill: instances were ["10" "11"] and are []; a request to the target met: no answer within`},
		{"kill and restart", Commands{Kill: sh("echo gateway > mode"), Restart: sh("grep -q gateway mode || { echo closing > mode" + untilMet + "}; echo > mode")},
			"kill: a request to the target met: status 502; start: the target answers: status 404"},
		{"pause and resume", Commands{Pause: sh("echo silent > mode"), Resume: sh("echo > mode")},
			"pause: a request to the target met: no answer within"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c := ByCommand(row.c, s.dir, s.believing())
			var seen []string
			add := func(what string, proof string, err error) {
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				seen = append(seen, what+": "+proof)
			}
			if c.Kill != nil {
				proof, err := c.Kill.Kill(t.Context(), time.Minute)
				add("kill", proof, err)
				proof, err = c.Kill.Start(t.Context())
				add("start", proof, err)
			}
			if c.Pause != nil {
				proof, err := c.Pause.Pause(t.Context(), time.Minute)
				add("pause", proof, err)
				proof, err = c.Pause.Resume(t.Context())
				add("resume", proof, err)
			}
			if c.Restart != nil {
				proof, err := c.Restart.Restart(t.Context())
				add("restart", proof, err)
			}
			if got := strings.Join(seen, "; "); !strings.HasPrefix(got, row.want) {
				t.Errorf("seen %q, want %q", got, row.want)
			}
		})
	}
}

func TestCommandsAreNotBelieved(t *testing.T) {
	kill := func(ctx context.Context, c harness.Controls) (string, error) { return c.Kill.Kill(ctx, time.Minute) }
	pause := func(ctx context.Context, c harness.Controls) (string, error) { return c.Pause.Pause(ctx, time.Minute) }
	restart := func(ctx context.Context, c harness.Controls) (string, error) { return c.Restart.Restart(ctx) }
	nothing := []string{"true"}
	for _, row := range []struct {
		name, mode string
		c          Commands
		do         func(context.Context, harness.Controls) (string, error)
		want       []string
	}{
		{"a restart that does nothing", "", Commands{Restart: nothing}, restart, []string{"was not seen to be gone during the restart", "met last: status 404", "given up after 1s", "declare control.commands.instance"}},
		{"a restart that leaves the process", "", Commands{Restart: nothing, Instance: sh("cat pids")}, restart, []string{`instances were ["10" "11"] and are ["10" "11"] still`}},
		{"a restart that leaves one process", "", Commands{Restart: sh("echo 12 11 > pids"), Instance: sh("cat pids")}, restart, []string{`and are ["11"] still`}},
		{"a restart that loses one process", "", Commands{Restart: sh("echo 12 > pids"), Instance: sh("cat pids")}, restart, []string{`instances were ["10" "11"] and are only ["12"]`}},
		{"a restart that does not come up", "", Commands{Restart: sh("echo 12 13 > pids; echo closing > mode"), Instance: sh("cat pids")}, restart, []string{"was not seen to answer again", "EOF"}},
		{"a restart of what is down", "closing", Commands{Restart: nothing}, restart, []string{"did not answer before it was disturbed", "control.alive"}},
		{"a restart whose processes are not told", "", Commands{Restart: nothing, Instance: sh("exit 1")}, restart, []string{"control.commands.instance names no running process"}},
		{"a list of processes that fails", "", Commands{Restart: nothing, Instance: sh("echo no daemon >&2; exit 1")}, restart, []string{"the command sh failed: exit status 1; it last wrote: no daemon"}},
		{"a list of processes that changes by itself", "", Commands{Restart: nothing, Instance: sh("date +%N")}, restart, []string{"although nothing was done", "it has to name processes"}},
		{"a kill that does nothing", "", Commands{Kill: nothing, Start: nothing}, kill, []string{"was not seen to refuse connections after the kill", "met last: status 404"}},
		{"a kill that leaves the process", "", Commands{Kill: sh("echo closing > mode"), Start: nothing, Instance: sh("cat pids")}, kill, []string{"after the kill: instances were", "still"}},
		{"a kill after which another takes its place", "", Commands{Kill: sh("echo 12 13 > pids"), Start: nothing, Instance: sh("cat pids")}, kill, []string{"did not stay down", "control.commands.restart"}},
		{"a kill that only pauses", "", Commands{Kill: sh("echo silent > mode"), Start: nothing}, kill, []string{"was not seen to refuse connections after the kill"}},
		{"a pause that does nothing", "", Commands{Pause: nothing, Resume: nothing}, pause, []string{"was not seen to stand still", "met last: status 404"}},
		{"a pause that kills", "", Commands{Pause: sh("echo closing > mode"), Resume: nothing}, pause, []string{"was not seen to stand still", "EOF"}},
		{"a command that fails", "", Commands{Pause: sh("echo first >&2; echo no such container >&2; exit 3"), Resume: nothing}, pause, []string{"the command sh failed: exit status 3; it last wrote: no such container"}},
		{"a command that is not there", "", Commands{Pause: []string{"/nowhere/pause", "s3cr3t"}, Resume: nothing}, pause, []string{"the command pause failed", "no such file"}},
		{"a command that hangs", "", Commands{Pause: sh("echo stuck >&2; sleep 600"), Resume: nothing}, pause, []string{"the command sh was killed with all that it started: it was given up after 1s; it last wrote: stuck"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.write("mode", row.mode)
			target := s.doubting()
			if row.c.Instance != nil {
				target.Limit = patient
			}
			c := ByCommand(row.c, s.dir, target)
			seen, err := row.do(t.Context(), c)
			for _, want := range row.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("seen %q, %v, want %q", seen, err, want)
				}
			}
			if err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("an argument is shown: %v", err)
			}
			putBack(t, c)
		})
	}
}

// putBack ends the guard of a control that failed, as a session does.
func putBack(t *testing.T, c harness.Controls) {
	for _, offered := range []any{c.Kill, c.Pause, c.Restart} {
		if b, ok := offered.(*byCommand); ok {
			b.release()
			return
		}
	}
	t.Error("nothing is offered")
}

func TestBackBefore(t *testing.T) {
	s := newStage(t)
	c := ByCommand(Commands{Kill: sh("echo closing > mode"), Start: sh("echo > mode"), Pause: sh("echo silent > mode"), Resume: sh("echo > mode")}, s.dir,
		Target{URL: s.url, silence: 2 * time.Second}) // what answers late on a busy machine is not silent
	if _, err := c.Kill.Kill(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	s.write("mode", "")
	if _, err := c.Kill.Start(t.Context()); !errors.Is(err, harness.ErrBackBefore) {
		t.Errorf("what something else started: %v", err)
	}
	if _, err := c.Pause.Pause(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	s.write("mode", "")
	if _, err := c.Pause.Resume(t.Context()); !errors.Is(err, harness.ErrBackBefore) {
		t.Errorf("what something else resumed: %v", err)
	}
}

func TestWhatCommandsOffer(t *testing.T) {
	x := []string{"x"}
	for _, row := range []struct {
		c                    Commands
		restart, kill, pause bool
	}{
		{Commands{}, false, false, false},
		{Commands{Restart: x}, true, false, false},
		{Commands{Kill: x}, false, false, false},
		{Commands{Kill: x, Restart: x}, true, true, false},
		{Commands{Kill: x, Start: x}, true, true, false},
		{Commands{Pause: x}, false, false, false},
		{Commands{Pause: x, Resume: x}, false, false, true},
	} {
		c := ByCommand(row.c, "", Target{})
		if (c.Restart != nil) != row.restart || (c.Kill != nil) != row.kill || (c.Pause != nil) != row.pause {
			t.Errorf("%+v offers %+v", row.c, c)
		}
	}
}

// fifo makes a named pipe whose end tells that all its writers are gone.
func fifo(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAHangingCommandIsKilledWithItsChildren: the pipe ends only when the child
// of the command is gone, too.
func TestAHangingCommandIsKilledWithItsChildren(t *testing.T) {
	path := fifo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- (runner{}).do(ctx, []string{"/bin/sh", "-c", `exec 3>"$0"; echo up >&3; sleep 600 & wait`, path})
	}()
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if line, err := bufio.NewReader(pipe).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	cancel(errors.New("enough"))
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed with all that it started: enough") {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, pipe); err != nil {
		t.Error(err)
	}
}

// TestWhatACommandStartsLivesOn: a start command may leave a server behind, which
// must not die of a pipe that we closed.
func TestWhatACommandStartsLivesOn(t *testing.T) {
	path := fifo(t)
	reading := make(chan *os.File, 1)
	go func() {
		pipe, _ := os.Open(path)
		reading <- pipe
	}()
	dir := t.TempDir()
	if err := (runner{dir: dir}).do(t.Context(), []string{"/bin/sh", "-c", `exec 3>"$0"; mkfifo go; (read -r _ <go; echo said; echo complained >&2; echo alive >&3) &`, path}); err != nil {
		t.Fatal(err)
	}
	pipe := <-reading
	defer pipe.Close()
	going, err := os.OpenFile(filepath.Join(dir, "go"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(going, "\n")
	_ = going.Close()
	if said, err := io.ReadAll(pipe); err != nil || string(said) != "alive\n" {
		t.Errorf("what was left behind said %q, %v", said, err)
	}
}

// TestGuardPutsBackIfWeDie: a process that is killed while it holds a change.
func TestGuardPutsBackIfWeDie(t *testing.T) {
	path := fifo(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "guarded", "/bin/sh", "-c", `echo "put back" > "$0"`, path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "guarded\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(path) // ends when the guard has written
	if err != nil || string(said) != "put back\n" {
		t.Errorf("the guard said %q, %v", said, err)
	}
	_ = cmd.Wait() // it was killed
}

// TestGuardWaitsForTheCommand: we are killed while a command is at work, and what
// it does after that has to be undone, too.
func TestGuardWaitsForTheCommand(t *testing.T) {
	said, going := fifo(t), fifo(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "acting",
		`echo "put back" > '`+said+`'`,
		`exec 4>'`+said+`'; echo "at work" >&4; read -r _ <'`+going+`'; echo done >&4`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(said)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	lines := bufio.NewScanner(pipe)
	if !lines.Scan() || lines.Text() != "at work" {
		t.Fatalf("%q, %v", lines.Text(), lines.Err())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                 // it was killed
	keep, err := os.OpenFile(said, os.O_WRONLY, 0) // so that the reader meets no end between the two
	if err != nil {
		t.Fatal(err)
	}
	proceed, err := os.OpenFile(going, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(proceed, "\n")
	_ = proceed.Close()
	var got []string
	for len(got) < 2 && lines.Scan() {
		got = append(got, lines.Text())
	}
	_ = keep.Close()
	if strings.Join(got, ", ") != "done, put back" {
		t.Errorf("in this order: %q", got)
	}
}

func TestAReleasedGuardDoesNothing(t *testing.T) {
	dir := t.TempDir()
	g, err := (runner{dir: dir}).guard(sh("touch done"))
	if err != nil {
		t.Fatal(err)
	}
	g.release() // returns when the guard has ended
	if _, err := os.Stat(filepath.Join(dir, "done")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it ran: %v", err)
	}
	(*guard)(nil).release()
}

func TestOutputIsBounded(t *testing.T) {
	if _, err := (runner{}).read(t.Context(), sh("head -c "+strconv.Itoa(maxAnswer+1)+" /dev/zero")); err == nil || !strings.Contains(err.Error(), "printed more than 64 KiB") {
		t.Error(err)
	}
	if text, err := (runner{}).read(t.Context(), sh("echo ' x '")); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
}
