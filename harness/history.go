package harness

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"
)

// HistorySchema is the first field of every history file.
const HistorySchema = "oncecheck/history/v1"

// Header is the first record of a history. It holds all that judging needs
// besides the events.
type Header struct {
	Schema       string           `json:"schema"`
	RunID        string           `json:"runId"`
	Scenario     string           `json:"scenario"`
	On           string           `json:"on,omitempty"` // which of the run's targets; empty: the first
	Seed         uint64           `json:"seed"`         // of the run; the scenario's own stream derives from it and its id
	Started      time.Time        `json:"started"`      // wall clock at the monotonic base
	Lane         string           `json:"lane"`
	Scale        float64          `json:"scale"`
	Requirements string           `json:"requirements"` // srs | own
	Target       string           `json:"target"`
	Policy       Policy           `json:"policy"`
	Dialect      Dialect          `json:"dialect"`
	Capabilities []Capability     `json:"capabilities"`
	Links        []LinkInfo       `json:"links,omitempty"`
	PerSuccess   map[string]int   `json:"perSuccess,omitempty"`  // effects of one success, by kind
	AmountKinds  []string         `json:"amountKinds,omitempty"` // kinds whose entries carry the amount of the request, as the control showed
	OrderIDs     bool             `json:"orderIds,omitempty"`    // answers name orders as the ledger does, as the control showed
	Namesakes    []Principal      `json:"namesakes,omitempty"`   // principals who have the name of one of another tenant
	Operations   []KeyedOperation `json:"operations,omitempty"`  // keyed ones besides the checkout, with the effects of a success of theirs
	UnusedLinks  []string         `json:"unusedLinks,omitempty"` // declared dependencies that the plain checkouts of the control did not call
	Client       *ClientInfo      `json:"client,omitempty"`      // what the client under test says of itself
	Gateway      *GatewayInfo     `json:"gateway,omitempty"`     // what the profile says of a gateway before it
	NFR          *Preregistered   `json:"nfr,omitempty"`         // what a series was to show
	Maintenance  []Maintenance    `json:"maintenance,omitempty"` // declared by the profile
	Control      Verdict          `json:"control"`               // of the positive control
}

// offers reports whether the target has the capability.
func (h Header) offers(c Capability) bool { return slices.Contains(h.Capabilities, c) }

// History is the ordered record of one experiment. Events may be walked any
// number of times; from a file they are read anew each time, so that judging
// needs no memory proportional to the run.
type History struct {
	Header Header
	each   func(yield func(Event) bool) error
	err    error
}

// NewHistory returns a history held in memory, for literal histories in tests.
// Events without a Seq are numbered.
func NewHistory(h Header, events ...Event) *History {
	events = append([]Event(nil), events...)
	for i := range events {
		if events[i].Seq == 0 {
			events[i].Seq = int64(i + 1)
		}
	}
	return &History{Header: h, each: func(yield func(Event) bool) error {
		for _, e := range events {
			if !yield(e) {
				return nil
			}
		}
		return nil
	}}
}

// Events walks the events in order. A read error ends the walk and is kept for
// [History.Err]; judging turns it into an inconclusive verdict.
func (h *History) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if err := h.each(yield); err != nil && h.err == nil {
			h.err = err
		}
	}
}

// Err returns the first error met while walking the events.
func (h *History) Err() error { return h.err }

// OpenHistory opens a history file. It fails if the file cannot be read or does
// not begin with a header of the known schema.
func OpenHistory(path string) (*History, error) {
	var header Header
	err := readLines(path, func(first bool, line []byte) (bool, error) {
		if err := json.Unmarshal(line, &header); err != nil {
			return false, fmt.Errorf("header: %w", err)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	if header.Schema != HistorySchema {
		return nil, fmt.Errorf("history %s: schema %q, wanted %q", path, header.Schema, HistorySchema)
	}
	h := &History{Header: header}
	fromFile := func(yield func(Event) bool) error {
		return readLines(path, func(first bool, line []byte) (bool, error) {
			if first {
				return true, nil
			}
			var e Event
			if err := json.Unmarshal(line, &e); err != nil {
				return false, fmt.Errorf("event: %w", err)
			}
			if !e.complete() {
				return false, fmt.Errorf("event %d of type %q lacks what belongs to its type", e.Seq, e.Type)
			}
			return yield(e), nil
		})
	}
	h.each = fromFile
	if info, err := os.Stat(path); err == nil && info.Size() <= keptHistory {
		h.each = keeping(fromFile)
	}
	return h, nil
}

// keptHistory is the size in bytes up to which a history is decoded once and
// kept for all that judge it; a longer one is read anew each time, so that memory
// does not grow with a run.
const keptHistory = 4 << 20

// keeping returns a walk that remembers the events of its first complete one.
func keeping(each func(yield func(Event) bool) error) func(yield func(Event) bool) error {
	var kept []Event
	whole := false
	return func(yield func(Event) bool) error {
		if whole {
			for _, e := range kept {
				if !yield(e) {
					return nil
				}
			}
			return nil
		}
		seen, more := []Event(nil), true
		err := each(func(e Event) bool {
			seen = append(seen, e)
			more = yield(e)
			return more
		})
		if err == nil && more {
			kept, whole = seen, true
		}
		return err
	}
}

// readLines calls each for every line of the file until it returns false.
func readLines(path string, each func(first bool, line []byte) (more bool, err error)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open history: %w", err)
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				return fmt.Errorf("history %s: line %d is cut off: the run that wrote it was interrupted", path, n)
			}
			if n == 1 {
				return fmt.Errorf("history %s is empty", path)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("read history %s: %w", path, err)
		}
		more, err := each(n == 1, line)
		if err != nil {
			return fmt.Errorf("history %s, line %d: %w", path, n, err)
		}
		if !more {
			return nil
		}
	}
}
