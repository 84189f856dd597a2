package doctor

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestClientAndGateway: both are opened alone, and what only the client's shim can
// tell is no longer said to be missing.
func TestClientAndGateway(t *testing.T) {
	for name, row := range map[string]struct {
		broken PartKind
		exit   int
		says   []string
	}{
		"both work": {"", 0, []string{"✓ client", "net/http 1 answers behind its shim and offers cancel", "✓ gateway", "the supervisor points it at us", "cancel            not tried"}},
		"no shim":   {PartClient, 3, []string{"✗ client", "nobody is there", "start the shim", "✓ gateway", "dependency        does not work", "cancel            not claimed"}},
		"no port":   {PartGateway, 3, []string{"✓ client", "✗ gateway", "nobody is there", "gateway           does not work"}},
	} {
		s := subjectOf(good(), harness.CapDependency, harness.CapGateway)
		s.Shim, s.GatewayWay = "http://127.0.0.1:2", "the supervisor points it at us"
		s.Known = append(s.Known, Capability{harness.CapDependency, "client", "call", true}, Capability{harness.CapGateway, "gateway", "call through", true}, Capability{harness.CapCancel, "client", "cancel", true})
		whole := s.Open
		s.Open = func(ctx context.Context, part Part) (*harness.Target, func(context.Context) error, error) {
			if part.Kind == row.broken {
				return nil, nil, errors.New("nobody is there")
			}
			target, undo, err := whole(ctx, part)
			target.Info.Client = &harness.ClientInfo{Name: "net/http", Version: "1", Capabilities: []harness.Capability{harness.CapCancel}}
			return target, undo, err
		}
		report, err := Examine(t.Context(), s, catalogue(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := report.WriteText(&text, func(s string) string { return s }); err != nil {
			t.Fatal(err)
		}
		if report.Exit != row.exit {
			t.Errorf("%s: exit %d", name, report.Exit)
		}
		for _, want := range row.says {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text.String())
			}
		}
	}
}
