package stack

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRestartChangesTheProcessAndKeepsTheAddress(t *testing.T) {
	r := start(t, Options{Instances: 2})
	before := r.info()
	var answer struct{ Killed, Started []int }
	if status := r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, &answer); status != http.StatusOK {
		t.Fatalf("restart answered %d\n%s", status, r.log)
	}
	after := r.info()
	if len(before.Instances) != 2 || len(after.Instances) != 2 {
		t.Fatalf("two instances asked for: %+v, %+v", before, after)
	}
	for i := range 2 {
		b, a := before.Instances[i], after.Instances[i]
		if a.Addr != b.Addr {
			t.Errorf("instance %d moved from %s to %s", i, b.Addr, a.Addr)
		}
		if a.PID == b.PID || a.PID == 0 || a.PID != answer.Started[i] || b.PID != answer.Killed[i] {
			t.Errorf("instance %d: pid %d, then %d; the answer said %+v", i, b.PID, a.PID, answer)
		}
		if a.Deaths != 0 {
			t.Errorf("a restart that was asked for counts as %d deaths", a.Deaths)
		}
	}
	if before.Instances[0].Addr == before.Instances[1].Addr {
		t.Errorf("both instances have %s", before.Instances[0].Addr)
	}
	if got := r.standIn().PID; got != answer.Started[0] {
		t.Errorf("process %d serves the address, %d was started", got, answer.Started[0])
	}
}

func TestRestartAsksForAll(t *testing.T) {
	r := start(t, Options{})
	var refused refusal
	if status := r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "1"}, &refused); status != http.StatusBadRequest || !strings.Contains(refused.Error, `"*"`) {
		t.Errorf("restart of one answered %d %q", status, refused.Error)
	}
}

func TestInstanceThatDiesIsStartedAgain(t *testing.T) {
	r := start(t, Options{}, func(l *limits) { l.backoff = time.Millisecond })
	before := r.standIn()
	if _, err := r.try("POST", r.URL+"/die", nil, nil); err == nil {
		t.Fatal("the process that died answered")
	}
	// No wait between: the connection queues until the successor accepts it.
	after := r.standIn()
	if after.PID == before.PID {
		t.Fatalf("process %d answers after its death", before.PID)
	}
	await(t, "the death is counted and the successor known", func() bool {
		in := r.info().Instances[0]
		return in.Deaths == 1 && in.PID == after.PID
	})
	if !strings.Contains(r.log.String(), "died by itself: exit status 7") {
		t.Errorf("the log does not tell: %s", r.log)
	}
}

func TestRestartDuringBackoffStartsAtOnce(t *testing.T) {
	r := start(t, Options{}, func(l *limits) { l.backoff = time.Hour })
	_, _ = r.try("POST", r.URL+"/die", nil, nil)
	await(t, "the death is noticed", func() bool { return r.info().Instances[0].Deaths == 1 })
	var answer struct{ Killed, Started []int }
	r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, &answer)
	if len(answer.Killed) != 0 || len(answer.Started) != 1 {
		t.Errorf("nobody was there to be killed, one had to be started: %+v", answer)
	}
	r.standIn()
}

func TestEndOfContextEndsEverything(t *testing.T) {
	r := start(t, Options{})
	store := strings.TrimPrefix(r.standIn().Store, "sqlite:")
	if _, err := os.Stat(filepath.Dir(store)); err != nil {
		t.Fatalf("the temporary store has no folder: %v", err)
	}
	var lines []line
	for _, url := range []string{r.URL, r.ControlURL, r.LedgerURL} {
		lines = append(lines, connect(t, url))
	}
	r.end()
	if _, err := os.Stat(filepath.Dir(store)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary store is still there: %v", err)
	}
	for _, l := range lines {
		l.ends(t)
	}
}

func TestChildDoesNotOutliveAKilledSupervisor(t *testing.T) {
	argv := command(roleSupervisor)
	supervisor := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	supervisor.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // nobody is left to remove its store
	out, err := supervisor.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the supervisor told no URL: %v", err)
	}
	child := connect(t, strings.TrimSpace(url))
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.ends(t)
	_, _ = io.Copy(io.Discard, out)
	_ = supervisor.Wait() // it was killed
}

// line is an idle connection to a server: its end is the event that tells of
// the server's. A refused connection would not do, since a free port may belong
// to somebody else a moment later.
type line struct {
	net.Conn
	url string
}

// connect opens a line and makes sure that the server has accepted it.
func connect(t *testing.T, url string) line {
	t.Helper()
	conn, err := net.Dial("tcp", strings.Split(url, "/")[2])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return line{conn, url}
}

func (l line) ends(t *testing.T) {
	t.Helper()
	if _, err := l.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s did not end the connection: %v", l.url, err)
	}
}

func TestServeSaysWhatIsWrong(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, c := range []struct {
		name string
		o    Options
		want []string
	}{
		{"address taken", Options{Addr: taken.Addr().String()}, []string{taken.Addr().String(), "already in use", "port 0"}},
		{"address of the network", Options{Addr: "0.0.0.0:0"}, []string{"0.0.0.0:0", "loopback"}},
		{"address without port", Options{Addr: "127.0.0.1"}, []string{"127.0.0.1:PORT"}},
		{"store of another kind", Options{Store: "mysql://user:secret@db"}, []string{"sqlite:PATH", "postgres:DSN"}},
		{"store that is no address", Options{Store: "postgres://user:secret@%zz"}, []string{"no PostgreSQL address"}},
		{"unknown dialect", Options{Dialect: "klingon"}, []string{"klingon", "srs-422"}},
		{"scale below zero", Options{Scale: -1}, []string{"-1"}},
		{"too many instances", Options{Instances: 17}, []string{"17", "16"}},
		{"command that is not there", Options{Command: []string{"/nowhere/oncecheck"}}, []string{"/nowhere/oncecheck", "instance 1"}},
		{"child that dies", Options{Command: command(roleBroken)}, []string{"exit status 1", "it last wrote:", "line 19", "the store is on fire"}},
		{"child that never is ready", Options{Command: command(roleSilent)}, []string{"not ready within"}},
		{"child that is something else", Options{Command: command(roleStranger)}, []string{"usage: something else", "RunChild"}},
		{"profile in no folder", Options{WriteProfile: "/nowhere/profile.yaml"}, []string{"/nowhere/profile.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, l := c.o, defaultLimits()
			if o.Command == nil {
				o.Command = command(roleStandIn)
			}
			if o.Command[len(o.Command)-1] == roleSilent {
				l.ready = 50 * time.Millisecond
			}
			err := serve(t.Context(), o, l, func(Info) { t.Error("it became ready") })
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "line 11\n") {
				t.Errorf("too much is told: %v", err)
			}
		})
	}
	if err := Serve(t.Context(), Options{}, nil); err == nil || !strings.Contains(err.Error(), "command") {
		t.Errorf("without a command: %v", err)
	}
}

func TestServeIsInterruptedWhileItStarts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	log := &buffer{}
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Options{Command: command(roleSilent), Log: log}, func(Info) { t.Error("it became ready") })
	}()
	await(t, "a child runs", func() bool { return strings.Contains(log.String(), "never ready") })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("an interrupted start is no error: %v", err)
	}
}
