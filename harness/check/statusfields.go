package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// StatusFields judges that every status tells its six fields: request id, state,
// count of attempts and time of the last change always, the order where there is
// one, and a code where the checkout did not succeed. Both kinds of checkout have
// to be among those read.
func StatusFields(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		with, without := 0, 0
		for _, reads := range readsByCase(h, pick) {
			posts := keyed(attempts(h, Labelled(label(h, reads[0].Invoke.Case))))
			for _, a := range reads {
				if !a.found() {
					return harness.Undecided("a read brought nothing: "+statusText(a), a.witness())
				}
				before := lastBefore(posts, a)
				if before.Done.Answer == nil {
					return harness.Undecided("a status was read before the checkout was answered", a.witness())
				}
				if missing := missingField(h, a.Done.Answer, before); missing != "" {
					return harness.Failed("a status with its six fields", missing, before.witness(), a.witness())
				}
				if before.class(h) == harness.ClassSuccess {
					with++
				} else {
					without++
				}
			}
		}
		if with == 0 || without == 0 {
			return harness.Undecided(fmt.Sprintf("%d statuses of checkouts that succeeded and %d of others were read, wanted some of both", with, without))
		}
		return harness.Passed(fmt.Sprintf("all fields in %d statuses of checkouts that succeeded and %d of others", with, without))
	}
}

// missingField says what a status lacks.
func missingField(h *harness.History, got *harness.Answer, before attempt) string {
	changed, err := time.Parse(time.RFC3339, got.UpdatedAt)
	switch {
	case got.RequestID == "":
		return "no requestId"
	case got.State == "":
		return "no state"
	case got.AttemptCount == nil:
		return "no attemptCount that is a whole number"
	case got.UpdatedAt == "":
		return "no updatedAt"
	case err != nil:
		return fmt.Sprintf("updatedAt %q, which is no time in RFC 3339", got.UpdatedAt)
	case changed.Year() < 2000:
		return fmt.Sprintf("updatedAt %q, which is no time of this checkout", got.UpdatedAt)
	}
	if before.class(h) == harness.ClassSuccess {
		if got.OrderID == "" {
			return "no orderId, although there is an order"
		}
		return ""
	}
	if got.Code == "" {
		return "no code, although the checkout was answered " + statusText(before)
	}
	return ""
}

// lastBefore returns the last of the attempts that was answered before a began.
func lastBefore(list []attempt, a attempt) attempt {
	var last attempt
	for _, b := range list {
		if b.answered() && b.Done.Seq < a.Invoke.Seq && b.Done.Seq > last.Done.Seq {
			last = b
		}
	}
	return last
}

// StatusAgrees judges that a status says what a repeated request is answered at the
// same time: the same request, order and count of attempts, the same state where
// the answer names one, the same code where it is an error. Each case reads after
// its checkout was answered; at least one has to see it change.
func StatusAgrees(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n, changes := 0, 0
		for _, reads := range readsByCase(h, pick) {
			posts := keyed(attempts(h, Labelled(label(h, reads[0].Invoke.Case))))
			states := map[string]bool{}
			for _, a := range reads {
				if !a.found() {
					return harness.Undecided("a read brought nothing: "+statusText(a), a.witness())
				}
				post := lastBefore(posts, a)
				if post.Done.Answer == nil {
					return harness.Undecided("a status was read before the checkout was answered", a.witness())
				}
				if wanted, got := told(h, post, a.Done.Answer); wanted != got {
					return harness.Failed("a status that agrees with the answer to the request: "+wanted, got, post.witness(), a.witness())
				}
				states[a.Done.Answer.State] = true
				n++
			}
			if len(states) > 1 {
				changes++
			}
		}
		if n == 0 {
			return harness.Undecided("nobody read a status")
		}
		if changes == 0 {
			return harness.Undecided("no checkout was read before and after it changed, so a status that is never brought up to date would not show")
		}
		return harness.Passed(fmt.Sprintf("%d statuses agree with the answers to their requests, %d of them changed", n, changes))
	}
}

// told returns what an answer says and what a status says of the same things.
func told(h *harness.History, post attempt, status *harness.Answer) (wanted, got string) {
	var asked, said []string
	add := func(name, in, of string) {
		if in != "" {
			asked, said = append(asked, name+" "+in), append(said, name+" "+spokenOf(of))
		}
	}
	answer := post.Done.Answer
	add("request", answer.RequestID, status.RequestID)
	add("order", answer.OrderID, status.OrderID)
	add("state", answer.State, status.State)
	if answer.AttemptCount != nil && status.AttemptCount != nil {
		add("attempts", fmt.Sprint(*answer.AttemptCount), fmt.Sprint(*status.AttemptCount))
	}
	if post.class(h) != harness.ClassSuccess {
		add("code", answer.Code, status.Code)
	}
	return strings.Join(asked, ", "), strings.Join(said, ", ")
}

// spokenOf names what was told, or that it was not.
func spokenOf(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
