package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// Remote acts on a target's processes through its supervisor.
type Remote struct {
	url   string
	watch watch

	mu     sync.Mutex
	killed []int // and not started since
	paused []int // and not resumed since
}

// HTTP returns the supervisor at url, the profile's control.http. What it says it
// did is checked by looking at the target.
func HTTP(url string, t Target) *Remote {
	return &Remote{url: strings.TrimRight(url, "/"), watch: newWatch(t)}
}

var (
	_ harness.Restarter = (*Remote)(nil)
	_ harness.Killer    = (*Remote)(nil)
	_ harness.Pauser    = (*Remote)(nil)
)

// ask sends one order about all instances.
func (r *Remote) ask(ctx context.Context, order string, more map[string]any, out any) error {
	in := map[string]any{"instance": "*"}
	for name, value := range more {
		in[name] = value
	}
	return call(ctx, http.MethodPost, r.url+"/"+order, in, out)
}

// through says whom an error is about.
func (r *Remote) through(doing string, err error) error {
	return fmt.Errorf("%s through %s: %w", doing, r.url, err)
}

// Restart implements [harness.Restarter].
func (r *Remote) Restart(ctx context.Context) (string, error) {
	ctx, cancel := r.watch.within(ctx)
	defer cancel()
	var answer struct{ Killed, Started []int }
	err := r.ask(ctx, "restart", nil, &answer)
	if err == nil {
		err = otherProcesses(answer.Killed, answer.Started)
	}
	var seen sight
	if err == nil {
		seen, err = r.watch.again(ctx)
	}
	if err != nil {
		return "", r.through("restart the target", err)
	}
	return fmt.Sprintf("processes %v were killed, %v started; the target answers: %s", answer.Killed, answer.Started, seen.detail), nil
}

// otherProcesses checks that something died and that what lives is something
// else: a restart that kept a process would prove durability that is not there.
func otherProcesses(killed, started []int) error {
	if len(killed) == 0 {
		return errors.New("the supervisor names no killed process, so nothing shows that one died")
	}
	if len(started) < len(killed) {
		return fmt.Errorf("the supervisor killed %d processes and started %d", len(killed), len(started))
	}
	if err := processes("killed", killed); err != nil {
		return err
	}
	if err := processes("started", started); err != nil {
		return err
	}
	for _, pid := range started {
		if slices.Contains(killed, pid) {
			return fmt.Errorf("process %d is named as killed and as started, so it may be the old one", pid)
		}
	}
	return nil
}

// processes checks that a list names processes, each once.
func processes(what string, pids []int) error {
	for i, pid := range pids {
		switch {
		case pid <= 0:
			return fmt.Errorf("the supervisor names %d as a %s process, which is no process id", pid, what)
		case slices.Contains(pids[:i], pid):
			return fmt.Errorf("process %d is named twice as %s", pid, what)
		}
	}
	return nil
}
