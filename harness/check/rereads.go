package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// RereadsConflict judges that a target whose dependency answers 409 reads the
// state before it does anything again, and goes by what it read: where the effect
// is there, the request succeeds and the operation is not repeated.
func RereadsConflict(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		return eachPlan(h, pick, func(p *faultPlan, id string, first attempt, made []harness.Event) harness.Verdict {
			conflict := made[0]
			op := fmt.Sprintf("%s/%s (case %s)", p.link, p.operation, label(h, id))
			if conflict.Call.Status != 409 {
				return harness.Undecided(op+" was not answered 409", conflict.Seq)
			}
			read := harness.Event{}
			for _, c := range calls(h, pick) {
				if c.Case == id && c.Call.Link == p.link && isQuery(h, p.link, c.Call.Operation) && c.Call.Started >= conflict.Call.Started && c.Call.Started <= first.Done.At {
					read = c
					break
				}
			}
			seqs := append(seqsOf(made), first.witness())
			switch done := conflict.Call.Upstream >= 200 && conflict.Call.Upstream < 300; {
			case len(made) > 1 && (read.Seq == 0 || made[1].Call.Started < read.Call.Started):
				return harness.Failed("the state read before "+op+" is repeated", "a second call of it first", seqs...)
			case read.Seq == 0:
				return harness.Failed("the state read after 409 of "+op, "no query, then "+statusText(first), seqs...)
			case done && len(made) > 1:
				return harness.Failed("no second call of "+op+", which was carried out as the query says", fmt.Sprintf("%d calls", len(made)), append(seqs, read.Seq)...)
			case done && first.class(h) != harness.ClassSuccess:
				return harness.Failed("a success: the query says that "+op+" was carried out", statusText(first), append(seqs, read.Seq)...)
			}
			return harness.Passed("the state was read")
		})
	}
}
