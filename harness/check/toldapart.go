package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// ToldApart judges that a request which a careless digest takes for the first one
// of its key is not answered as that one. That it is refused is enough: whether as
// another request or as wrong in itself is not asked.
func ToldApart(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		told, refused := 0, 0
		list := groups(h, keyed(attempts(h, pick)))
		for _, group := range list {
			original, name := firstInvoked(group), label(h, group[0].Invoke.Case)
			if original.class(h) != harness.ClassSuccess {
				return harness.Undecided("the first request of case "+name+" did not succeed: "+statusText(original), original.witness())
			}
			for _, a := range group {
				switch {
				case sameRequest(a, original):
				case !a.answered():
					return harness.Undecided("no answer to the altered request of case "+name+": "+a.Done.Error, a.witness())
				case a.mismatched(h):
					told++
				case a.class(h) == harness.ClassRefused:
					refused++
				default:
					return harness.Failed("a refusal of another request under the same key (case "+name+")", statusText(a), original.witness(), a.witness())
				}
			}
		}
		switch {
		case len(list) == 0:
			return harness.Undecided("no keyed request was sent")
		case told == 0:
			return harness.Inapplicable("no altered request reached the comparison: the fields have another form, or it was refused as wrong in itself (" + fmt.Sprint(refused) + ")")
		}
		return harness.Passed(several(told, "altered request") + fmt.Sprintf(" refused as another one, %d as wrong in itself", refused))
	})
}
