package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// restartLimit bounds a restart, until every process accepts requests again.
const restartLimit = 30 * time.Second

// Remote is a supervisor.
type Remote struct{ url string }

// HTTP returns the supervisor at url, the profile's control.http.
func HTTP(url string) *Remote { return &Remote{strings.TrimRight(url, "/")} }

var _ harness.Control = (*Remote)(nil)

// Restart implements [harness.Control]. It takes at most 30 s. An error leaves
// open what runs now.
func (r *Remote) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, restartLimit, fmt.Errorf("it took longer than %v", restartLimit))
	defer cancel()
	var answer struct{ Killed, Started []int }
	err := call(ctx, http.MethodPost, r.url+"/restart", map[string]string{"instance": "*"}, &answer)
	if err == nil {
		err = otherProcesses(answer.Killed, answer.Started)
	}
	if err != nil {
		return fmt.Errorf("restart the target through %s: %w", r.url, err)
	}
	return nil
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
	seen := slices.Clone(killed)
	for _, pid := range killed {
		if pid <= 0 {
			return fmt.Errorf("the supervisor names %d as a killed process, which is no process id", pid)
		}
	}
	for _, pid := range started {
		switch {
		case pid <= 0:
			return fmt.Errorf("the supervisor names %d as a started process, which is no process id", pid)
		case slices.Contains(killed, pid):
			return fmt.Errorf("process %d is named as killed and as started, so it may be the old one", pid)
		case slices.Contains(seen, pid):
			return fmt.Errorf("process %d is named twice as started", pid)
		}
		seen = append(seen, pid)
	}
	return nil
}
