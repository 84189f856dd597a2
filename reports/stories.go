package reports

import (
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	maxStories     = 12  // cases of one scenario that get a picture
	maxStoryEvents = 600 // events of one case that are kept to draw it
)

// story is what one history tells about one case, with the events that belong
// to no case in particular: a settled ledger, a restarted target.
type story struct {
	label   string // of the case, within the scenario
	events  []harness.Event
	dropped int  // events beyond maxStoryEvents
	witness bool // a witness of a check is among the events
}

// tell reads a history twice: once to choose the cases worth drawing (those
// with a witness first, then in order of appearance), once to keep their
// events. So its memory does not grow with the run.
func tell(h *harness.History, witness map[int64]bool) (stories []story, untold int, err error) {
	chosen, untold := chooseCases(h, witness)
	stories = make([]story, len(chosen))
	at := make(map[string]int, len(chosen))
	for i, id := range chosen {
		at[id] = i
		stories[i].label = strings.TrimPrefix(id, h.Header.Scenario+"/")
	}
	for e := range h.Events() {
		if e.Case == "" {
			for i := range stories {
				stories[i].add(e, witness)
			}
		} else if i, ok := at[e.Case]; ok {
			stories[i].add(e, witness)
		}
	}
	return stories, untold, h.Err()
}

func (s *story) add(e harness.Event, witness map[int64]bool) {
	s.witness = s.witness || (witness[e.Seq] && e.Case != "")
	if len(s.events) >= maxStoryEvents {
		s.dropped++
		return
	}
	s.events = append(s.events, e)
}

func chooseCases(h *harness.History, witness map[int64]bool) (chosen []string, left int) {
	var order []string
	told := map[string]bool{} // case: it has a witness
	for e := range h.Events() {
		if e.Case == "" {
			continue
		}
		has, seen := told[e.Case]
		if !seen {
			order = append(order, e.Case)
		}
		told[e.Case] = has || witness[e.Seq]
	}
	for _, wanted := range []bool{true, false} {
		for _, id := range order {
			if told[id] == wanted && len(chosen) < maxStories {
				chosen = append(chosen, id)
			}
		}
	}
	return chosen, len(order) - len(chosen)
}
