package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// ReadsLikeOwner judges that others who may read a checkout get what its owner
// gets: in each case the owner makes it and reads it, and then the others read.
func ReadsLikeOwner(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n := 0
		for _, reads := range readsByCase(h, pick) {
			owner := reads[0]
			if !owner.found() {
				return harness.Undecided("the owner could not read the checkout: "+statusText(owner), owner.witness())
			}
			for _, a := range reads[1:] {
				if a.request().Principal == owner.request().Principal {
					continue
				}
				switch got := a.Done.Answer; {
				case !a.answered():
					return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
				case !a.found():
					return harness.Failed("200 for "+a.request().Principal+", who may read it", statusText(a), owner.witness(), a.witness())
				case got.RequestID != owner.Done.Answer.RequestID || got.OrderID != owner.Done.Answer.OrderID || got.State != owner.Done.Answer.State:
					return harness.Failed("what the owner is told", fmt.Sprintf("request %q, order %q, state %q", got.RequestID, got.OrderID, got.State), owner.witness(), a.witness())
				}
				n++
			}
		}
		if n == 0 {
			return harness.Undecided("nobody but an owner read a status")
		}
		return harness.Passed(fmt.Sprintf("%d reads brought what the owner is told", n))
	}
}

// OthersRefused judges that who is neither the owner nor support is refused, and
// told nothing of what the checkout holds: in each case the owner reads it first.
func OthersRefused(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		status := h.Header.Dialect.StatusNonOwner
		if status == 0 {
			status = 403
		}
		n := 0
		for _, reads := range readsByCase(h, pick) {
			owner := reads[0]
			if !owner.found() {
				return harness.Undecided("the owner could not read the checkout: "+statusText(owner), owner.witness())
			}
			for _, a := range reads[1:] {
				if !a.answered() {
					return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
				}
				if a.Done.Answer.Status != status {
					return harness.Failed(fmt.Sprintf("%d for %s, whose checkout it is not", status, reader(a)), statusText(a), owner.witness(), a.witness())
				}
				for _, secret := range []string{owner.Done.Answer.OrderID, owner.Done.Answer.State} {
					if len(secret) >= minTold && strings.Contains(a.Done.Answer.Body, secret) {
						return harness.Failed("nothing of the checkout for "+reader(a), fmt.Sprintf("%q in the answer", secret), owner.witness(), a.witness())
					}
				}
				n++
			}
		}
		if n == 0 {
			return harness.Undecided("nobody but an owner read a status")
		}
		return harness.Passed(fmt.Sprintf("%d reads by others were answered %d", n, status))
	}
}

// minTold is the shortest word whose repetition shows that something was told:
// shorter ones stand in any text.
const minTold = 6

// NonOwnerSpelling compares with "403".
func NonOwnerSpelling(d harness.Dialect) string {
	if d.StatusNonOwner != 403 {
		return fmt.Sprintf("status %d where the clause says 403", d.StatusNonOwner)
	}
	return ""
}

// readsByCase returns the status reads of each picked case that has any, by
// invocation.
func readsByCase(h *harness.History, pick Pick) [][]attempt {
	var order []string
	by := map[string][]attempt{}
	for _, a := range statusReads(attempts(h, pick)) {
		if by[a.Invoke.Case] == nil {
			order = append(order, a.Invoke.Case)
		}
		by[a.Invoke.Case] = append(by[a.Invoke.Case], a)
	}
	list := make([][]attempt, 0, len(order))
	for _, id := range order {
		list = append(list, by[id])
	}
	return list
}

// found reports whether a status read brought a checkout.
func (a attempt) found() bool { return a.answered() && a.Done.Answer.Status == 200 }

// reader names who read, for messages.
func reader(a attempt) string {
	if p := a.request().Principal; p != "" {
		return p
	}
	return "nobody"
}

// AnonymousRefused judges that who brings no credentials, or such as have to be
// refused, gets 401 and learns nothing of whether a checkout exists. In each case
// one kind of caller reads an id that exists and ids that do not. Kinds are the
// labels of all that the clause names.
func AnonymousRefused(prefix string, kinds ...string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		tried := map[string]bool{}
		n := 0
		for _, reads := range readsByCase(h, Labelled(prefix)) {
			first, ids := reads[0], map[string]bool{}
			for _, a := range reads {
				if !a.answered() {
					return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
				}
				if a.Done.Answer.Status != 401 {
					return harness.Failed("401 for a caller with "+kindOf(label(h, a.Invoke.Case), prefix), statusText(a), a.witness())
				}
				if want, got := anonymous(first), anonymous(a); want != got {
					return harness.Failed("the same answer whether the id exists or not", "one that differs: "+difference(want, got), first.witness(), a.witness())
				}
				ids[a.request().Path] = true
				n++
			}
			if len(ids) < 2 {
				return harness.Undecided("a caller with " + kindOf(label(h, first.Invoke.Case), prefix) + " asked for one id only")
			}
			tried[strings.TrimPrefix(label(h, first.Invoke.Case), prefix)] = true
		}
		switch left := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return tried[kind] }); {
		case n == 0:
			return harness.Undecided("nobody without valid credentials read a status")
		case !somebodyReads(h):
			return harness.Undecided(blindRoute)
		case len(left) > 0:
			return harness.Verdict{Outcome: harness.NotVerified, Reason: fmt.Sprintf("%d reads were refused; not tried, since the profile has no such credentials (refused): %s", n, strings.Join(left, ", "))}
		}
		return harness.Passed(fmt.Sprintf("%d reads with %s credentials were answered 401, alike for every id", n, strings.Join(kinds, ", ")))
	}
}

func kindOf(label, prefix string) string {
	return strings.TrimPrefix(label, prefix) + " credentials"
}
