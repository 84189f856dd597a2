package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// storeSupervisor drives a link, unless it is told to keep it as it is.
type storeSupervisor struct {
	mu     sync.Mutex
	state  string
	stays  bool
	orders []map[string]any
}

func (s *storeSupervisor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPut {
		var order map[string]any
		_ = json.NewDecoder(r.Body).Decode(&order)
		s.orders = append(s.orders, order)
		if !s.stays {
			delete(order, "leaseMs")
			text, _ := json.Marshal(order)
			s.state = string(text)
		}
	}
	_, _ = w.Write([]byte(s.state))
}

func TestStoreLink(t *testing.T) {
	supervisor := &storeSupervisor{state: `{"mode":"open"}`}
	mux := http.NewServeMux()
	mux.Handle("/store", supervisor)
	link := StoreBy(serve(t, mux)+"/", 0)
	for _, step := range []struct {
		do   func() (string, error)
		want string
	}{
		{func() (string, error) {
			return link.Disturb(t.Context(), harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: 20 * time.Second}, time.Minute)
		}, "the link to the store read open and reads slow(20000ms)"},
		{func() (string, error) {
			return link.Disturb(t.Context(), harness.StoreDisturbance{Mode: harness.StoreCut}, time.Minute)
		}, "the link to the store read slow(20000ms) and reads cut"},
		{func() (string, error) { return link.Restore(t.Context()) }, "the link to the store read cut and reads open"},
	} {
		if seen, err := step.do(); err != nil || seen != step.want {
			t.Errorf("seen %q, %v; want %q", seen, err, step.want)
		}
	}
	if _, err := link.Restore(t.Context()); !errors.Is(err, harness.ErrBackBefore) {
		t.Errorf("a link that was open is opened: %v", err)
	}
}

func TestStoreLinkIsNotBelieved(t *testing.T) {
	for name, row := range map[string]struct{ state, want string }{
		"a supervisor that does nothing":      {`{"mode":"open"}`, "was set to cut and reads open"},
		"a supervisor that does not tell":     {`{}`, "holds no mode"},
		"a supervisor that is something else": {`hello`, "not the JSON of a supervisor"},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/store", &storeSupervisor{state: row.state, stays: true})
			link := StoreBy(serve(t, mux), time.Second)
			seen, err := link.Disturb(t.Context(), harness.StoreDisturbance{Mode: harness.StoreCut}, time.Minute)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("seen %q, %v; want %q", seen, err, row.want)
			}
		})
	}
}
