package wire

import (
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// Journal attributes exchanges to cases, counts them, and tells each case what
// became of its own. One journal serves several links.
type Journal struct {
	mu      sync.Mutex
	byID    map[string]*followed
	byValue map[string]*followed
	strays  followed // exchanges that belong to no case
}

var _ harness.Journal = (*Journal)(nil)

// NewJournal returns a journal that follows no case yet.
func NewJournal() *Journal {
	return &Journal{byID: map[string]*followed{}, byValue: map[string]*followed{}}
}

// followed is a case whose exchanges somebody wants to know.
type followed struct {
	id       string
	inFlight int             // guarded by Journal.mu
	counts   map[counter]int // guarded by Journal.mu

	telling sync.Mutex // serialises sink; held by stop, so that no call is told after it
	sink    func(harness.Call)
}

// counter names what is counted within a case. Exchanges of any operation have a
// count of their own, for faults that name none.
type counter struct {
	link      string
	operation string
	any       bool
}

// Follow implements [harness.Journal]. Values that another case claimed before
// now belong to this one; empty ones are ignored. After stop returned, sink is
// not called again.
func (j *Journal) Follow(caseID string, values []string, sink func(harness.Call)) (stop func()) {
	f := &followed{id: caseID, counts: map[counter]int{}, sink: sink}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.byID[caseID] = f
	for _, v := range values {
		if v != "" {
			j.byValue[v] = f
		}
	}
	return func() { j.unfollow(f, values) }
}

func (j *Journal) unfollow(f *followed, values []string) {
	j.mu.Lock()
	if j.byID[f.id] == f {
		delete(j.byID, f.id)
	}
	for _, v := range values {
		if j.byValue[v] == f {
			delete(j.byValue, v)
		}
	}
	j.mu.Unlock()
	f.telling.Lock()
	defer f.telling.Unlock()
	f.sink = nil
}

// Strays implements [harness.Journal]. A later call replaces the sink.
func (j *Journal) Strays(sink func(harness.Call)) (stop func()) {
	set := func(sink func(harness.Call)) {
		j.strays.telling.Lock()
		defer j.strays.telling.Unlock()
		j.strays.sink = sink
	}
	set(sink)
	return func() { set(nil) }
}

// InFlight implements [harness.Journal]. A case that is not followed has none.
func (j *Journal) InFlight(caseID string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if f := j.byID[caseID]; f != nil {
		return f.inFlight
	}
	return 0
}

// attribute returns the case with that id, else the one that claimed the first
// claimed value, else nil.
func (j *Journal) attribute(caseID string, values []string) *followed {
	j.mu.Lock()
	defer j.mu.Unlock()
	if f := j.byID[caseID]; f != nil {
		return f
	}
	for _, v := range values {
		if f := j.byValue[v]; f != nil {
			return f
		}
	}
	return nil
}

// begin counts an exchange of the case and returns its index within the
// operation and within the link, from 1. Without a case it counts nothing.
func (j *Journal) begin(f *followed, link, operation string) (index, anyIndex int) {
	if f == nil {
		return 0, 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f.inFlight++
	one, all := counter{link: link, operation: operation}, counter{link: link, any: true}
	f.counts[one]++
	f.counts[all]++
	return f.counts[one], f.counts[all]
}

// beginCopy notes that an exchange which began goes on twice.
func (j *Journal) beginCopy(f *followed) {
	if f == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f.inFlight++
}

// end tells the case what became of an exchange. It stays in flight until the
// case knows, so that nobody finds a quiet link and an incomplete history.
func (j *Journal) end(f *followed, call harness.Call) {
	if f == nil {
		j.strays.tell(call)
		return
	}
	f.tell(call)
	j.mu.Lock()
	defer j.mu.Unlock()
	f.inFlight--
}

func (f *followed) tell(call harness.Call) {
	f.telling.Lock()
	defer f.telling.Unlock()
	if f.sink != nil {
		f.sink(call)
	}
}
