package rig

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// told is a link that writes down what it is told.
type told struct {
	name string
	log  *[]string
}

func (l told) Disturb(_ context.Context, d harness.StoreDisturbance, _ time.Duration) (string, error) {
	*l.log = append(*l.log, l.name+" "+d.String())
	return "", nil
}

func (l told) Restore(context.Context) (string, error) {
	*l.log = append(*l.log, l.name+" open")
	return "", nil
}

// TestSharedStoreLink: never do both disturb, and whichever does is opened.
func TestSharedStoreLink(t *testing.T) {
	var log []string
	link := &sharedStoreLink{most: told{"proxy", &log}, loss: told{"target", &log}}
	for _, mode := range []harness.StoreMode{harness.StoreCut, harness.StoreStall, harness.StoreLost, harness.StoreCut, "", ""} {
		var err error
		if mode == "" {
			_, err = link.Restore(t.Context())
		} else {
			_, err = link.Disturb(t.Context(), harness.StoreDisturbance{Mode: mode}, time.Second)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"proxy cut", "proxy stall", "proxy open", "target lost", "target open", "proxy cut", "proxy open", "proxy open"}
	if !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}
