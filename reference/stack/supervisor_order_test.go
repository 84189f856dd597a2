//go:build unix

package stack

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// pids is what any order answers.
type pids struct {
	Killed, Started, Paused, Resumed []int
	Error                            string
}

func (r *running) order(do string, leaseMs int) pids {
	r.t.Helper()
	body := map[string]any{"instance": "*"}
	if leaseMs > 0 {
		body["leaseMs"] = leaseMs
	}
	var answer pids
	if status := r.call("POST", r.ControlURL+"/"+do, body, &answer); status != http.StatusOK {
		r.t.Errorf("%s answered %d %q", do, status, answer.Error)
	}
	return answer
}

func (r *running) pids() (ids []int) {
	for _, in := range r.info().Instances {
		ids = append(ids, in.PID)
	}
	return ids
}

// queued sends a request and returns the status of its answer once there is one.
func (r *running) queued() <-chan int {
	r.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		r.t.Fatalf("the kernel does not take the connection: %v", err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	answered := make(chan int, 1)
	go func() {
		defer close(answered)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		answered <- resp.StatusCode
	}()
	return answered
}

func TestKilledInstancesStayDown(t *testing.T) {
	r := start(t, Options{Instances: 2}, func(l *limits) { l.backoff = time.Millisecond })
	before := r.pids()
	killed := r.order(orderKill, 600_000).Killed
	if !same(killed, before) {
		t.Errorf("killed %v of %v", killed, before)
	}
	waiting := r.queued()
	if got := r.info().Instances; got[0].PID != 0 || got[1].PID != 0 || got[0].Kept != keptKilled || got[0].Deaths != 0 {
		t.Errorf("info says %+v", got)
	}
	if again := r.order(orderKill, 600_000); len(again.Killed) != 0 {
		t.Errorf("the dead were killed: %+v", again)
	}
	select {
	case status := <-waiting:
		t.Errorf("somebody answered %d", status)
	default:
	}
	started := r.order(orderStart, 0).Started
	if after := r.pids(); !same(started, after) || slices.Contains(after, before[0]) || slices.Contains(after, 0) {
		t.Errorf("started %v, there are %v, there were %v", started, after, before)
	}
	if status := <-waiting; status != http.StatusOK {
		t.Errorf("who waited got %d", status)
	}
	if again := r.order(orderStart, 0); len(again.Started) != 0 {
		t.Errorf("what ran was started: %+v", again)
	}
}

func TestPausedInstancesStandStill(t *testing.T) {
	r := start(t, Options{Instances: 2})
	before := r.pids()
	if paused := r.order(orderPause, 600_000).Paused; !same(paused, before) {
		t.Errorf("paused %v of %v", paused, before)
	}
	waiting := r.queued()
	if got := r.info().Instances; got[0].Kept != keptPaused || !same(r.pids(), before) {
		t.Errorf("info says %+v", got)
	}
	select {
	case status := <-waiting:
		t.Errorf("somebody answered %d", status)
	default:
	}
	if resumed := r.order(orderResume, 0).Resumed; !same(resumed, before) {
		t.Errorf("resumed %v of %v", resumed, before)
	}
	if status := <-waiting; status != http.StatusOK {
		t.Errorf("who waited got %d", status)
	}
	if again := r.order(orderResume, 0); len(again.Resumed) != 0 || !same(r.pids(), before) {
		t.Errorf("what ran was resumed: %+v", again)
	}
}

func same(a, b []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestAStateThatNobodyEndsReverts(t *testing.T) {
	r := start(t, Options{})
	before := r.standIn().PID
	r.order(orderPause, 20)
	if after := r.standIn().PID; after != before {
		t.Errorf("process %d answers, %d was paused", after, before)
	}
	await(t, "nothing is kept", func() bool { return r.info().Instances[0].Kept == "" })
	r.order(orderKill, 20)
	if after := r.standIn().PID; after == before { // the request waits in the queue until then
		t.Errorf("process %d answers after it was killed", after)
	}
	if log := r.log.String(); !strings.Contains(log, "was left paused") || !strings.Contains(log, "was left killed") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}

func TestOrdersMeetEachOther(t *testing.T) {
	r := start(t, Options{}, func(l *limits) { l.backoff = time.Millisecond })
	first := r.pids()[0]
	r.order(orderPause, 0)
	if got := r.order(orderKill, 0); !slices.Equal(got.Killed, []int{first}) {
		t.Errorf("a paused process was killed: %+v", got)
	}
	var refused pids
	if status := r.call("POST", r.ControlURL+"/pause", map[string]string{"instance": "*"}, &refused); status != http.StatusServiceUnavailable || !strings.Contains(refused.Error, "no process of it is ready") {
		t.Errorf("pausing the dead answered %d %+v", status, refused)
	}
	if got := r.order(orderResume, 0); len(got.Resumed) != 0 {
		t.Errorf("the dead were resumed: %+v", got)
	}
	second := r.order(orderRestart, 0)
	if len(second.Killed) != 0 || len(second.Started) != 1 {
		t.Errorf("a restart of what is down: %+v", second)
	}
	r.order(orderPause, 0)
	if got := r.order(orderRestart, 0); !slices.Equal(got.Killed, second.Started) || len(got.Started) != 1 {
		t.Errorf("a restart of what is paused: %+v", got)
	}
	if kept := r.info().Instances[0].Kept; kept != "" {
		t.Errorf("after a restart it is %s", kept)
	}
	r.order(orderPause, 0)
	r.end() // a paused child ends, too, and in order
	if log := r.log.String(); strings.Contains(log, "killed") {
		t.Errorf("it had to be killed:\n%s", log)
	}
}

func TestOrdersThatMeanNothing(t *testing.T) {
	r := start(t, Options{})
	for name, row := range map[string]struct {
		path, want string
		body       map[string]any
	}{
		"one of all":      {"/kill", `say "*"`, map[string]any{"instance": "1"}},
		"no lease":        {"/pause", "1 to 600000", map[string]any{"instance": "*", "leaseMs": 0}},
		"too long":        {"/kill", "1 to 600000", map[string]any{"instance": "*", "leaseMs": 600_001}},
		"a leased resume": {"/resume", "takes no leaseMs", map[string]any{"instance": "*", "leaseMs": 5}},
		"a leased start":  {"/start", "takes no leaseMs", map[string]any{"instance": "*", "leaseMs": 5}},
		"another key":     {"/pause", "unknown field", map[string]any{"instance": "*", "forever": true}},
	} {
		var refused refusal
		if status := r.call("POST", r.ControlURL+row.path, row.body, &refused); status != http.StatusBadRequest || !strings.Contains(refused.Error, row.want) {
			t.Errorf("%s: %d %q", name, status, refused.Error)
		}
	}
}

// TestAPausedChildDoesNotOutliveAKilledSupervisor: it cannot see its input end.
func TestAPausedChildDoesNotOutliveAKilledSupervisor(t *testing.T) {
	argv := command(roleSupervisor)
	supervisor := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	supervisor.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // nobody is left to remove its store
	out, err := supervisor.StdoutPipe()
	if err == nil {
		err = supervisor.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	url, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the supervisor told no URL: %v", err)
	}
	controlURL, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child := connect(t, strings.TrimSpace(url))
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Post(strings.TrimSpace(controlURL)+"/pause", "application/json", strings.NewReader(`{"instance":"*"}`))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("pause: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.ends(t)
	_, _ = io.Copy(io.Discard, out)
	_ = supervisor.Wait() // it was killed
}
