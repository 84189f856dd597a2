package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What an instance says of its settings: the supervisor hands on what was read
// there, never what it meant to set.
type settingsState struct {
	Now string `json:"now"` // RFC 3339
	Settings
}

// read asks every instance. They have to agree, or the answer would be true of
// one of them only.
func (s *settings) read(ctx context.Context) (settingsState, error) {
	admins := s.admins()
	if len(admins) == 0 {
		return settingsState{}, errors.New("no instance is ready, so nobody can tell")
	}
	var first settingsState
	for i, admin := range admins {
		var state settingsState
		if err := s.admin.get(ctx, admin, pathSettings, &state); err != nil {
			return settingsState{}, fmt.Errorf("ask instance %d of %d: %w", i+1, len(admins), err)
		}
		if i == 0 {
			first = state
		}
		if state.ClockOffset != first.ClockOffset || state.Store != first.Store || !maps.Equal(state.Flags, first.Flags) {
			return settingsState{}, errors.New("the instances do not agree; try again")
		}
	}
	return first, nil
}

// maxOffset is more than any retention, and little enough for every clock.
const maxOffset = 100 * 365 * 24 * time.Hour

func (s *supervisor) putClock(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Offset  *int64 `json:"offset"`
		LeaseMs *int64 `json:"leaseMs"`
	}
	err := readJSON(w, r, &ask)
	longest := int64(maxOffset / time.Second)
	if err == nil && (ask.Offset == nil || *ask.Offset < -longest || *ask.Offset > longest) {
		err = fmt.Errorf("clock: offset has to be a number of seconds, %d at most either way", longest)
	}
	lease, err := leaseOf("clock", ask.LeaseMs, 0, err)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	s.turned(w, r, turn(r.Context(), s.settings, &s.settings.clock, "clock", *ask.Offset, lease), s.getClock)
}

func (s *supervisor) getClock(w http.ResponseWriter, r *http.Request) {
	s.tellSettings(w, r, func(state settingsState) any {
		return struct {
			Now    string `json:"now"`
			Offset int64  `json:"offset"`
		}{state.Now, state.ClockOffset}
	})
}

func (s *supervisor) putFlag(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	k, known := s.settings.flags[name] // the map itself never changes
	if !known {
		writeError(w, http.StatusNotFound, noSuchFlag(name))
		return
	}
	var ask struct {
		On      *bool  `json:"on"`
		LeaseMs *int64 `json:"leaseMs"`
	}
	err := readJSON(w, r, &ask)
	if err == nil && ask.On == nil {
		err = fmt.Errorf("flag %s: on has to be true or false", name)
	}
	lease, err := leaseOf("flag "+name, ask.LeaseMs, 0, err)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	s.turned(w, r, turn(r.Context(), s.settings, k, "flag "+name, *ask.On, lease), s.getFlag)
}

func (s *supervisor) getFlag(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !slices.Contains(flagNames(), name) {
		writeError(w, http.StatusNotFound, noSuchFlag(name))
		return
	}
	s.tellSettings(w, r, func(state settingsState) any {
		return struct {
			Name string `json:"name"`
			On   bool   `json:"on"`
		}{name, state.Flags[name]}
	})
}

func noSuchFlag(name string) error {
	return fmt.Errorf("there is no flag %q; there are %s", name, strings.Join(flagNames(), ", "))
}

func (s *supervisor) putStore(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		StoreLink
		LeaseMs *int64 `json:"leaseMs"`
	}
	err := readJSON(w, r, &ask)
	if err == nil {
		err = ask.check()
	}
	standard := defaultLease
	if ask.Mode == linkOpen {
		standard = 0 // open is how it is at rest
	}
	lease, err := leaseOf("store", ask.LeaseMs, standard, err)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	if ask.Mode == linkOpen {
		lease = 0
	}
	s.turned(w, r, turn(r.Context(), s.settings, &s.settings.store, "store link", ask.StoreLink, lease), s.getStore)
}

func (s *supervisor) getStore(w http.ResponseWriter, r *http.Request) {
	s.tellSettings(w, r, func(state settingsState) any { return state.Store })
}

// leaseOf returns the lease that was asked for, or else the standard one; 0 is
// what lasts. It passes on an error that came before.
func leaseOf(what string, asked *int64, standard time.Duration, err error) (time.Duration, error) {
	switch longest := maxLease.Milliseconds(); {
	case err != nil:
		return 0, err
	case asked == nil:
		return standard, nil
	case *asked == 0 && standard == 0:
		return 0, nil
	case *asked < 1 || *asked > longest:
		return 0, fmt.Errorf("%s: leaseMs is %d, it has to be 1 to %d", what, *asked, longest)
	}
	return time.Duration(*asked) * time.Millisecond, nil
}

// turned answers an order: with what holds now, or why it does not.
func (s *supervisor) turned(w http.ResponseWriter, r *http.Request, err error, tell http.HandlerFunc) {
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err)
		return
	}
	tell(w, r)
}

func (s *supervisor) tellSettings(w http.ResponseWriter, r *http.Request, show func(settingsState) any) {
	state, err := s.settings.read(r.Context())
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err)
		return
	}
	writeJSON(w, http.StatusOK, show(state))
}
