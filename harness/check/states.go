package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// StatesClosed judges that every status read shows a state, and every answer that
// shows one a state that the requirements name. A success and a failure have to be
// among what was read, or little was tried. A target that can be made to fail in no
// way is not verified.
func StatesClosed(pick Pick) func(*harness.History) harness.Verdict {
	known := []string{statePending, stateSucceeded, stateRetryable, stateFinal}
	return func(h *harness.History) harness.Verdict {
		seen := map[string]bool{}
		for _, a := range attempts(h, pick) {
			if !a.answered() {
				continue
			}
			state, read := a.Done.Answer.State, a.request().Operation == harness.OpStatus && a.Done.Answer.Status == 200
			if state == "" && !read {
				continue
			}
			if !slices.Contains(known, state) {
				return harness.Failed("a state that is one of "+strings.Join(known, ", ")+" (case "+label(h, a.Invoke.Case)+")", inQuotes(state), a.witness())
			}
			seen[state] = seen[state] || read
		}
		var names []string
		for _, state := range known {
			if seen[state] {
				names = append(names, state)
			}
		}
		switch {
		case seen[stateSucceeded] && !canFail(h):
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "only successes can be made; declare checkout.variants.declined, or dependencies"}
		case seen[stateSucceeded] && !seen[stateFinal] && len(marks(h, MarkUnreadable)) > 0:
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "a success stays one; whoever is declined gets no request id to read the status by (response.requestId)"}
		case !seen[stateSucceeded] || !seen[stateRetryable] && !seen[stateFinal]:
			return harness.Undecided(fmt.Sprintf("status reads showed %v, which is not both a success and a failure", names))
		}
		return harness.Passed("status reads showed " + strings.Join(names, ", ") + ", and nothing else")
	}
}

// MarkUnreadable says that the status of a case could not be read, for want of an
// id.
const MarkUnreadable = "status-unreadable"

// StateAbsorbing judges that a checkout that was read in a terminal state is never
// read in another one, and that the time of its last change never goes back. Of
// two reads that overlap neither is the later one. Each case of the pick has to be
// read that often after its terminal state was.
func StateAbsorbing(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		seen, timed := map[string]bool{}, false
		by := shownByCase(h, pick)
		if other := statesOfItsOwn(by); other != "" {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "its states have names of its own, so nobody can tell which are terminal: " + other}
		}
		for _, id := range sortedNames(by) {
			after := 0
			for i, a := range by[id] {
				for _, b := range by[id][:i] {
					if b.Done.At > a.Invoke.At {
						continue
					}
					was, is := b.Done.Answer, a.Done.Answer
					if terminalState(was.State) && is.State != was.State {
						return harness.Failed(was.State+" for good (case "+label(h, id)+")", is.State+" later", b.witness(), a.witness())
					}
					earlier, ok := shownTime(was.UpdatedAt)
					later, okToo := shownTime(is.UpdatedAt)
					timed = timed || ok && okToo
					if ok && okToo && later.Before(earlier) {
						return harness.Failed("an updatedAt that does not go back (case "+label(h, id)+")", is.UpdatedAt+" after "+was.UpdatedAt, b.witness(), a.witness())
					}
				}
				if i > 0 && terminalState(by[id][i-1].Done.Answer.State) {
					after++
					seen[a.Done.Answer.State] = true
				}
			}
			if after < least {
				return harness.Undecided(fmt.Sprintf("case %s was read %d times after its terminal state was, and %d are needed", label(h, id), after, least))
			}
		}
		switch {
		case len(by) == 0:
			return harness.Undecided("no status read found anything")
		case !timed:
			return harness.Undecided("no status read shows when the checkout changed last; say where it is (response.updatedAt)")
		case !seen[stateSucceeded] || !seen[stateFinal] && offered(h, harness.CapDecline):
			return harness.Undecided("not both of SUCCEEDED and FAILED_FINAL were read")
		}
		return harness.Passed(fmt.Sprintf("%d checkouts stay in their terminal states, and updatedAt never goes back", len(by)))
	}
}

// statesOfItsOwn returns the states that were read where none of them is one of
// the requirement's.
func statesOfItsOwn(by map[string][]attempt) string {
	other := ""
	for _, id := range sortedNames(by) {
		for _, a := range by[id] {
			switch a.Done.Answer.State {
			case statePending, stateSucceeded, stateRetryable, stateFinal:
				return ""
			case "":
			default:
				other = a.Done.Answer.State
			}
		}
	}
	return other
}

// canFail reports whether the target offers a way to make a checkout fail.
func canFail(h *harness.History) bool {
	return offered(h, harness.CapDecline) || offered(h, harness.CapDependencies)
}

func offered(h *harness.History, c harness.Capability) bool {
	return slices.Contains(h.Header.Capabilities, c)
}

func terminalState(state string) bool { return state == stateSucceeded || state == stateFinal }
