package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestCancellation(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func(int, *http.Request, io.Writer) bool
		req    Request
		at     time.Duration
		sent   int
		doubt  bool
	}{
		"before it begins":   {silent, post(), 0, 0, false},
		"while reading":      {silent, post(), time.Second, 1, true},
		"while reading: GET": {silent, get(), time.Second, 1, false},
		"within a body":      {trickle("200 OK"), get(), 1500 * time.Millisecond, 1, false},
		"while waiting":      {always(status("503 Busy", "Retry-After: 5")), post(), time.Second, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{answer: tc.answer}
				ctx, cancel := context.WithCancel(t.Context())
				if tc.at == 0 {
					cancel()
				}
				defer time.AfterFunc(tc.at, cancel).Stop()
				defer cancel()
				took, _, failure := timed(ctx, t, newClient(t, p), tc.req)
				if took != tc.at || p.count() != tc.sent {
					t.Errorf("returned after %v with %d requests sent, want %v and %d", took, p.count(), tc.at, tc.sent)
				}
				if !errors.Is(failure, context.Canceled) || failure.Code != CodeCancelled || failure.Retryable {
					t.Errorf("got %+v, want a cancelled call that is neither a failure nor retryable", failure)
				}
				if failure.Attempts != tc.sent {
					t.Errorf("%d attempts for %d requests", failure.Attempts, tc.sent)
				}
				if failure.Unknown != tc.doubt {
					t.Errorf("outcome unknown: %v, want %v", failure.Unknown, tc.doubt)
				}
				synctest.Wait()
				if _, open := p.held(); open != 0 {
					t.Errorf("%d connections are still open", open)
				}
				<-time.After(2 * time.Second) // virtual: the peer notices
			})
		})
	}
}

func TestCancelledConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		left := errors.New("the customer left")
		time.AfterFunc(time.Second, func() { cancel(left) })
		ended := make(chan struct{})
		c := New(configured(dialling(func(ctx context.Context, _, _ string) (net.Conn, error) {
			defer close(ended)
			<-ctx.Done()
			return nil, ctx.Err()
		})))
		took, _, failure := timed(ctx, t, c, post())
		if took != time.Second || failure.Code != CodeCancelled || failure.Unknown {
			t.Errorf("%v, %+v; want a cancelled call that nobody saw", took, failure)
		}
		if !errors.Is(failure, context.Canceled) || !errors.Is(failure, left) {
			t.Errorf("%v hides why it was cancelled", failure)
		}
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the dial goes on")
		}
	})
}

func TestJournalSeesWhoGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: silent}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var j counter
		req := post()
		req.Journal = &j
		_, err := newClient(t, p).Do(ctx, req)
		if !errors.Is(err, context.Canceled) || j.last.Class != Cancelled || !j.last.Unknown {
			t.Fatalf("got %v with a last attempt %+v, want a cancelled one of unknown outcome", err, j.last)
		}
	})
}
