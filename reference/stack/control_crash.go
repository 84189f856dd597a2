package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// crashState is what GET /crash tells.
type crashState struct {
	Points []string `json:"points"`
	Armed  string   `json:"armed,omitempty"` // in every instance that is ready
	Deaths int      `json:"deaths"`          // of processes that ended by themselves
}

// putCrash arms a crash in all instances: the one that the request comes to dies.
// What starts afterwards is not told, so that one order is one death.
func (s *supervisor) putCrash(w http.ResponseWriter, r *http.Request) {
	var ask Crash
	err := readJSON(w, r, &ask)
	if err == nil && ask.LeaseMs == 0 {
		ask.LeaseMs = defaultLease.Milliseconds()
	}
	if err == nil {
		err = ask.check()
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	s.turned(w, r, s.tellCrash(r.Context(), ask), s.getCrash)
}

func (s *supervisor) deleteCrash(w http.ResponseWriter, r *http.Request) {
	s.turned(w, r, s.tellCrash(r.Context(), Crash{}), s.getCrash)
}

func (s *supervisor) tellCrash(ctx context.Context, c Crash) error {
	admins := s.settings.admins()
	if len(admins) == 0 && c.Point != "" {
		return errors.New("no instance is ready, so none could die")
	}
	for i, admin := range admins {
		if err := s.settings.admin.push(ctx, admin, pathCrash, c); err != nil {
			return fmt.Errorf("arm the crash of instance %d of %d: %w", i+1, len(admins), err)
		}
	}
	return nil
}

func (s *supervisor) getCrash(w http.ResponseWriter, r *http.Request) {
	state := crashState{Points: crashPoints()}
	for _, in := range s.instances {
		state.Deaths += in.state().Deaths
	}
	for _, admin := range s.settings.admins() {
		var armed Crash
		if err := s.settings.admin.get(r.Context(), admin, pathCrash, &armed); err != nil {
			writeError(w, http.StatusServiceUnavailable, fmt.Errorf("ask an instance where it is to die: %w", err))
			return
		}
		if armed.Point != "" {
			state.Armed = armed.Point
		}
	}
	writeJSON(w, http.StatusOK, state)
}
