package control

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain doubles as a process that is killed while a guard watches over it, at
// rest or with a command at work.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "acting" {
		g, err := (runner{}).guard(sh(os.Args[2]))
		if err == nil {
			err = (runner{}).under(g).do(context.Background(), sh(os.Args[3]))
		}
		fmt.Println(err)
		os.Exit(1)
	}
	if len(os.Args) > 2 && os.Args[1] == "guarded" {
		if _, err := (runner{}).guard(os.Args[2:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("guarded")
		<-make(chan struct{})
	}
	goleak.VerifyTestMain(m)
}

// stage is a target that behaves as the file mode in its folder says: it is
// silent, or refuses by closing the connection or by the status of a gateway, or
// else answers. It adds a byte to the file asked at each request.
type stage struct {
	t   *testing.T
	dir string
	url string
}

func newStage(t *testing.T) stage {
	s := stage{t: t, dir: t.TempDir()}
	s.write("pids", "10 11\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mode := s.read("mode")
		if f, err := os.OpenFile(filepath.Join(s.dir, "asked"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = f.WriteString(mode[:min(len(mode), 1)] + ".\n")
			_ = f.Close()
		}
		switch mode {
		case "silent":
			<-r.Context().Done()
		case "closing":
			panic(http.ErrAbortHandler)
		case "gateway":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s stage) read(name string) string {
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Error(err)
	}
	return strings.TrimSpace(string(text))
}

func (s stage) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Error(err)
	}
}

// believing is the target for tests in which silence is real: nobody answers,
// however long one waits.
func (s stage) believing() Target { return Target{URL: s.url, silence: 20 * time.Millisecond} }

// doubting is the target for tests in which nothing happens: no slow machine can
// make its answers look like silence.
func (s stage) doubting() Target {
	return Target{URL: s.url, Limit: time.Second, silence: time.Hour}
}

// patient gives commands the time that a busy disk takes from them, where it is
// what they did that has to be told, and not that time is up.
const patient = 4 * time.Second

// sh is a command of a shell.
func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

func TestLook(t *testing.T) {
	for mode, want := range map[string]struct {
		kind   kind
		detail string
	}{
		"":        {answering, "status 404"},
		"silent":  {silent, "no answer within 20ms"},
		"closing": {refusing, "EOF"},
		"gateway": {refusing, "status 502"},
	} {
		s := newStage(t)
		s.write("mode", mode)
		got := newWatch(s.believing()).look(t.Context(), map[bool]time.Duration{true: 20 * time.Millisecond, false: time.Minute}[mode == "silent"])
		if got.kind != want.kind || got.detail != want.detail {
			t.Errorf("%q: %+v", mode, got)
		}
	}
}

func TestLookingKeepsToTheRate(t *testing.T) {
	for rate, want := range map[float64]time.Duration{0: 5 * time.Millisecond, 10: 300 * time.Millisecond, 1e6: 5 * time.Millisecond} {
		if got := newWatch(Target{Rate: rate}).wait; got != want {
			t.Errorf("at %v/s there are %v between two looks, want %v", rate, got, want)
		}
	}
}

func TestLookAtOthers(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if got := newWatch(Target{URL: gone.URL}).look(t.Context(), time.Minute); got.kind != refusing {
		t.Errorf("a closed port: %+v", got)
	}
	secret := httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about callers who do not trust it
	secret.StartTLS()
	defer secret.Close()
	if got := newWatch(Target{URL: secret.URL}).look(t.Context(), time.Minute); got.kind != answering {
		t.Errorf("a certificate that is not trusted is an answer, too: %+v", got)
	}
	turns := make(chan struct{}, 1)
	turns <- struct{}{}
	mixed := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case <-turns:
			panic(http.ErrAbortHandler)
		default:
		}
	}))
	defer mixed.Close()
	if got := newWatch(Target{URL: mixed.URL}).look(t.Context(), time.Minute); got.kind != unclear || !strings.Contains(got.detail, "status 200") || !strings.Contains(got.detail, "EOF") {
		t.Errorf("one instance of several: %+v", got)
	}
	if got := newWatch(Target{URL: "http://no-such-host.invalid/"}).look(t.Context(), time.Minute); got.kind != unclear {
		t.Errorf("a name that nobody knows: %+v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := newWatch(Target{URL: mixed.URL}).look(ended, time.Minute); got.kind != unclear {
		t.Errorf("a look that was cut short: %+v", got)
	}
}
