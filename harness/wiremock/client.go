package wiremock

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wiremock/go-wiremock"
)

// client gives go-wiremock a context.
type client struct{ api *wiremock.Client }

// count returns how many requests of these paths the server's journal has.
func (c client) count(ctx context.Context, paths string) (int, error) {
	n, err := within(ctx, func() (int64, error) {
		return c.api.GetCountRequests(wiremock.NewRequest("ANY", wiremock.URLPathMatching(paths)))
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("count requests of %s: %w", paths, err)
	case n < 0:
		return 0, errors.New("the request journal is disabled; start WireMock without --no-request-journal")
	}
	return int(n), nil
}

func (c client) create(ctx context.Context, rule *wiremock.StubRule) error {
	_, err := within(ctx, func() (struct{}, error) { return struct{}{}, c.api.StubFor(rule) })
	return err
}

// remove deletes a stub. One that is gone already, by a reset or another hand, is
// removed: the library tells that by its text only.
func (c client) remove(ctx context.Context, id string) error {
	_, err := within(ctx, func() (struct{}, error) { return struct{}{}, c.api.DeleteStubByID(id) })
	if err != nil && strings.HasPrefix(err.Error(), "bad response status: 404") {
		return nil
	}
	return err
}

// within runs f, which knows no context, and gives up waiting when ctx ends.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
