package harness

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// AsksAgain reports whether a webhook's status says that it is to be sent again
// later: the target is at work on what it is about, or cannot take it now.
func AsksAgain(status int) bool {
	return slices.Contains([]int{http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusServiceUnavailable}, status)
}

const (
	redeliverLimit = 5 * time.Second
	redeliverTick  = 100 * time.Millisecond
)

// Redeliver sends the copies of a webhook that the target wanted again once more
// each, until they are taken or refused for good, as providers do. They go out one
// after the other: the harm that many do at once was tried before. What is asked
// for again without end is no error; judges see it.
func (s *Session) Redeliver(ctx context.Context, c *Case, n Notice) error {
	limited, cancel := context.WithTimeout(ctx, redeliverLimit)
	defer cancel()
	for _, refused := range n.Answers {
		for status := refused.Status; AsksAgain(status); {
			if err := s.Watch(limited, redeliverTick); err != nil {
				if ctx.Err() == nil {
					return nil
				}
				return fmt.Errorf("send a webhook again: %w", err)
			}
			answers, err := s.tell(ctx, c, n.webhook, "the provider tells it again", 1)
			if err != nil {
				return err
			}
			status = answers[0].Status
		}
	}
	return nil
}
