package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/oncecheck/oncecheck/reference/client"
)

// worker carries one claimed record forward. Everything it learns is saved
// before it is acted upon.
type worker struct {
	*Service
	rec      Record
	attempts []Attempt // all of the record's
	unsaved  []Attempt // changed since the last save
	ended    bool      // that the record is terminal is saved, with its event
}

// work advances a record that the caller has reserved or claimed, and returns it
// as it was saved last. An error says that it could not be saved, or that the
// service stops; the record is then somebody's to claim later.
func (s *Service) work(ctx context.Context, r Record, attempts []Attempt) (Record, error) {
	ctx, release := s.keepLease(ctx, r.RequestID, r.Fence)
	defer release()
	w := &worker{Service: s, rec: r, attempts: attempts, ended: r.State.Terminal()}
	err := w.advance(ctx)
	return w.rec, err
}

// errUnsaved says that something was done or learned that could not be written
// down. Nothing further may be done on the strength of it.
var errUnsaved = errors.New("progress not saved")

// save writes the record, what is new about its attempts and, when it has become
// terminal, the event that says so.
func (w *worker) save(ctx context.Context) error {
	ctx, cancel := w.storing(ctx)
	defer cancel()
	if now := w.Now(); now.After(w.rec.UpdatedAt) {
		w.rec.UpdatedAt = now
	}
	if !w.ended && w.rec.State.Terminal() {
		w.rec.Event = endOf(w.rec)
	}
	if err := w.Store.Save(ctx, w.rec, w.unsaved...); err != nil {
		return fmt.Errorf("%w: save checkout %s: %w", errUnsaved, w.rec.RequestID, err)
	}
	w.unsaved = nil
	w.ended, w.rec.Event = w.rec.State.Terminal(), nil
	return nil
}

// operation is one kind of call of a dependency.
type operation struct {
	name, dependency string
	keyless          bool // the dependency takes no keys: to it a second call is another one
	query            bool // it only asks
}

// post makes one call with the operation's provider key, all of its attempts
// included. One without a key is made once: the client repeats no such call.
func (w *worker) post(ctx context.Context, op operation, path string, body any) (client.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return client.Response{}, fmt.Errorf("encode the body of %s: %w", op.name, err)
	}
	req := client.Request{Method: http.MethodPost, URL: w.Directory.URL(op.dependency) + path, Body: raw}
	if !op.keyless {
		req.Key = w.ProviderKey(w.rec, op.name)
	}
	return w.call(ctx, op, req)
}

func (w *worker) call(ctx context.Context, op operation, req client.Request) (client.Response, error) {
	req.CorrelationID = w.rec.CorrelationID
	req.Used = w.used(op)
	req.Journal = &journal{ctx, w, op}
	return w.client.Do(ctx, req)
}

// used counts the attempts that this run has already made, in this process or in
// one that died.
func (w *worker) used(op operation) int {
	n := 0
	for _, a := range w.attempts {
		if a.Operation == op.name && a.Run == w.rec.Run {
			n++
		}
	}
	return n
}

// open reports whether an attempt of op that keep accepts may have had an effect
// that nobody knows of.
func (w *worker) open(op operation, keep func(Attempt) bool) bool {
	return slices.ContainsFunc(w.attempts, func(a Attempt) bool {
		return a.Operation == op.name && a.Open() && keep(a)
	})
}

// done reports whether an attempt of op was answered with a success.
func (w *worker) done(op operation) bool {
	return slices.ContainsFunc(w.attempts, func(a Attempt) bool {
		return a.Operation == op.name && a.Class == string(client.Answered) && !a.Open() && a.Status >= 200 && a.Status <= 299
	})
}

func (w *worker) ever(Attempt) bool { return true }

func (w *worker) thisRun(a Attempt) bool { return a.Run == w.rec.Run }

// note puts a into the attempts, replacing its earlier state.
func (w *worker) note(a Attempt) {
	same := func(b Attempt) bool {
		return a.Operation == b.Operation && a.Run == b.Run && a.Number == b.Number
	}
	w.attempts = append(slices.DeleteFunc(w.attempts, same), a)
	w.unsaved = append(slices.DeleteFunc(w.unsaved, same), a)
}

// doubt marks the last attempt of op as one of unknown outcome.
func (w *worker) doubt(op operation) {
	for _, a := range slices.Backward(w.attempts) {
		if a.Operation == op.name {
			a.Unknown = true
			w.note(a)
			return
		}
	}
}
