package harness

import (
	"context"
	"strings"
	"testing"
)

// TestFlagOfAFeature: which flag switches what, the profile says.
func TestFlagOfAFeature(t *testing.T) {
	for _, features := range []map[string]string{{FlagRequireKey: "strict"}, {FlagResilience: "strict"}, nil} {
		bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Control.Flags, target.Control.Features = map[string]Flag{"strict": &controlled{}}, features
			run(t, target, watching(func(_ context.Context, s *Session, _ *Case) error {
				name, err := s.Flag(FlagRequireKey)
				if want := features[FlagRequireKey]; name != want || (err == nil) != (want != "") {
					t.Errorf("of %v: %q, %v", features, name, err)
				}
				if err != nil && !strings.Contains(err.Error(), "control.flag.NAME.for") {
					t.Errorf("the error does not say what to do: %v", err)
				}
				return nil
			}), everything)
		})(t)
	}
}
