package rig

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// linkDelivery is the name of the link between the target and its sink.
const linkDelivery = "delivery"

// Delivery is one event as it arrived at the sink.
type Delivery struct {
	At     time.Duration // ns since the run's base
	Method string
	Path   string // with the query
	Header http.Header
	Body   []byte
}

// maxDeliveries and maxEvent bound what a sink keeps. A delivery beyond them is
// refused, never acknowledged and forgotten.
const (
	maxDeliveries = 1 << 16
	maxEvent      = 1 << 20
)

// sink takes the target's events: it writes each one down, then acknowledges it
// with 204.
type sink struct {
	clock harness.Clock

	mu         sync.Mutex
	deliveries []Delivery
}

// openSink opens the listener that the target delivers to. Its exchanges have a
// journal of their own: an event that arrives late is no call of a dependency,
// and the judges of those must not see it.
func (r *Rig) openSink(p *profile.Profile) error {
	if p.Sink == nil {
		return nil
	}
	s := &sink{clock: r.Target.Clock}
	link, err := wire.Open(wire.Config{Name: linkDelivery, Listen: p.Sink.Listen, Handler: s, Clock: r.Target.Clock}, wire.NewJournal())
	if err != nil {
		return fmt.Errorf("sink: %w", listenHint(err, p.Sink.Listen))
	}
	r.closes(func(context.Context) error { return link.Close() })
	r.sink = s
	return nil
}

// Deliveries returns what arrived at the sink so far, in order of arrival;
// nothing if the profile declares none.
func (r *Rig) Deliveries() []Delivery {
	if r.sink == nil {
		return nil
	}
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	return slices.Clone(r.sink.deliveries)
}

// ServeHTTP implements [http.Handler].
func (s *sink) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxEvent))
	if err != nil {
		http.Error(w, "the event is larger than the sink takes", http.StatusRequestEntityTooLarge)
		return
	}
	if !s.keep(Delivery{s.clock.Since(time.Now()), req.Method, req.RequestURI, req.Header.Clone(), body}) {
		http.Error(w, "the sink is full: the run is not made for so many events", http.StatusInsufficientStorage)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *sink) keep(d Delivery) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.deliveries) == maxDeliveries {
		return false
	}
	s.deliveries = append(s.deliveries, d)
	return true
}
