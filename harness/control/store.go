package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Store is the link between a target and its store, as its supervisor drives it.
type Store struct {
	url   string
	limit time.Duration
}

var _ harness.StoreLink = (*Store)(nil)

// StoreBy returns the link that the supervisor at url drives, the profile's
// control.http. A limit of 0 is 30 s.
func StoreBy(url string, limit time.Duration) *Store {
	if limit == 0 {
		limit = defaultLimit
	}
	return &Store{url: HTTP(url, Target{}).url + "/store", limit: limit}
}

// storeState is what the supervisor says of the link.
type storeState struct {
	Mode    string `json:"mode"`
	DelayMs int64  `json:"delayMs"`
	Writes  int    `json:"writes"`
}

// storeOpen is the mode of a link that nobody disturbs.
const storeOpen = "open"

// Disturb implements [harness.StoreLink].
func (s *Store) Disturb(ctx context.Context, d harness.StoreDisturbance, lease time.Duration) (string, error) {
	return s.set(ctx, storeState{string(d.Mode), d.Delay.Milliseconds(), d.Writes}, lease)
}

// Restore implements [harness.StoreLink].
func (s *Store) Restore(ctx context.Context) (string, error) {
	return s.set(ctx, storeState{Mode: storeOpen}, 0)
}

// set asks for a state and reads whether it is there. A link that had opened by
// itself before it was to be opened did not last as long as it was believed to.
func (s *Store) set(ctx context.Context, want storeState, lease time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("it was given up after %v", s.limit))
	defer cancel()
	was, err := s.read(ctx)
	if err != nil {
		return "", err
	}
	order := map[string]any{"mode": want.Mode}
	if want.DelayMs != 0 {
		order["delayMs"] = want.DelayMs
	}
	if want.Writes != 0 {
		order["writes"] = want.Writes
	}
	if lease > 0 {
		order["leaseMs"] = lease.Milliseconds()
	}
	if err := call(ctx, http.MethodPut, s.url, order, nil); err != nil {
		return "", fmt.Errorf("PUT %s: %w", s.url, err)
	}
	is, err := s.read(ctx)
	switch {
	case err != nil:
		return "", err
	case is != want:
		return "", fmt.Errorf("the link was set to %s and reads %s", want, is)
	case want.Mode == storeOpen && was.Mode == storeOpen:
		return "", fmt.Errorf("%w: the link to the store read %s", harness.ErrBackBefore, was)
	}
	return fmt.Sprintf("the link to the store read %s and reads %s", was, is), nil
}

func (s storeState) String() string {
	if s.DelayMs != 0 {
		return fmt.Sprintf("%s(%dms)", s.Mode, s.DelayMs)
	}
	if s.Writes != 0 {
		return fmt.Sprintf("%s(%d)", s.Mode, s.Writes)
	}
	return s.Mode
}

func (s *Store) read(ctx context.Context) (storeState, error) {
	var is storeState
	err := call(ctx, http.MethodGet, s.url, nil, &is)
	if err == nil && is.Mode == "" {
		err = errors.New("its answer holds no mode")
	}
	if err != nil {
		return storeState{}, fmt.Errorf("GET %s: %w", s.url, err)
	}
	return is, nil
}
