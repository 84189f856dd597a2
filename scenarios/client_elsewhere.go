package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientElsewhere are the scenarios about peers that are not, or may not be, the
// one that the caller meant.
func clientElsewhere() []harness.Scenario {
	return []harness.Scenario{redirects(), certificate(), unknownHost()}
}

// successWatch is longer than the wait that an answer asks for.
const successWatch = 2 * time.Second

// redirects need a second dependency, at an origin of its own, so they go through
// the shim only.
func redirects() harness.Scenario {
	change := func(method, key string) harness.ClientCall {
		c := post(key)
		c.Method = method
		return c
	}
	read := get()
	read.Header = [][2]string{{"Authorization", "Bearer of-this-origin-only"}, {"Cookie", "session=of-this-origin-only"}}
	calls := []struct {
		label string
		code  int
		call  harness.ClientCall
	}{
		{"307-post", 307, change("POST", "")}, {"307-keyed", 307, change("POST", ownKey)}, {"307-put", 307, change("PUT", "")},
		{"302-post", 302, change("POST", "")}, {"302-keyed", 302, change("POST", ownKey)}, {"302-delete", 302, harness.ClientCall{Method: "DELETE"}},
		{"308-post", 308, change("POST", "")}, {"303-post", 303, change("POST", "")},
		{"307-get", 307, read}, {"302-get", 302, read},
	}
	var changing, reading []string
	for _, c := range calls {
		if c.call.Method == "GET" {
			reading = append(reading, c.label)
		} else {
			changing = append(changing, c.label)
		}
	}
	return harness.Scenario{
		ID:    "client/redirects",
		Title: "a dependency redirects to another origin; what changes something is not sent there, and no credentials are",
		Needs: harness.Needs{string(harness.CapDependency)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			if !slices.Contains(s.Routes(), harness.RouteShim) {
				return nil
			}
			return harness.Parallel(len(calls), func(i int) error {
				return driveRedirect(ctx, s, calls[i].label, calls[i].code, freshly(s.Target(), calls[i].call))
			})
		},
		Checks: []harness.Check{
			answers("SRS-RES-001.40", "redirects-are-not-followed", check.Every(
				check.NotFollowed(at(changing...)),
				check.CredentialsStay(at(reading...)))),
		},
	}
}

func driveRedirect(ctx context.Context, s *harness.Session, label string, code int, call harness.ClientCall) error {
	target := s.Case(check.RedirectTarget(label + "@" + string(harness.RouteShim)))
	elsewhere, err := s.Dependency(ctx, target, harness.RouteShim, answering(status(200)))
	if err != nil {
		return err
	}
	step := status(code, [2]string{"Location", elsewhere.URL() + "/items/" + harness.Item(target)})
	if err := driveCalling(ctx, s, calling{label: label, script: answering(step), call: call, watch: check.Cleanup}, harness.RouteShim); err != nil {
		return err
	}
	s.Note(target, harness.MarkWatchedPeer, "the target of the redirect was watched until here", nil)
	return elsewhere.Close(ctx)
}

// certificate shows that the client trusts our authority before it judges what
// the client makes of a certificate for another host.
func certificate() harness.Scenario {
	wrong, right := at("wrong-name"), at("right-name")
	return pacedScenario("client/certificate",
		"a dependency shows a certificate for another host; the client sends it nothing, and does not ask for the same certificate again",
		"dependency tls-trust",
		func(t harness.TargetInfo) []calling {
			behind := func(k harness.DoorKind) harness.Script {
				return harness.Script{Door: harness.Door{Kind: k}, Steps: []harness.Step{status(200)}}
			}
			return []calling{
				{label: "wrong-name", script: behind(harness.DoorWrongName), call: freshly(t, get()), only: harness.RouteShim},
				{label: "right-name", script: behind(harness.DoorTLS), call: freshly(t, get()), only: harness.RouteShim},
			}
		},
		answers("SRS-RES-001.43", "untrusted-peer-is-not-retried", check.Given(
			check.Returns(right, succeeded()),
			check.Every(check.Sends(wrong, 0, 0), check.Connects(wrong, 1, 1), check.Returns(wrong, check.Outcome{Failure: true})))),
	)
}

// unknownHost asks for a name of the top-level domain that RFC 6761 keeps free:
// nobody has it, and resolvers need ask nobody.
func unknownHost() harness.Scenario {
	all := at("unknown")
	return harness.Scenario{
		ID:    "client/unknown-host",
		Title: "the dependency's name cannot be resolved; the client says so in time",
		Needs: harness.Needs{string(harness.CapDependency)},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			if !slices.Contains(s.Routes(), harness.RouteShim) {
				return nil
			}
			c := s.Case("unknown@" + string(harness.RouteShim))
			call := freshly(s.Target(), get())
			call.URL = fmt.Sprintf("http://oncecheck.invalid/items/%s", harness.Item(c))
			s.Call(ctx, c, harness.RouteShim, call)
			return nil
		},
		Checks: []harness.Check{
			timed(answers("SRS-RES-001.44", "unknown-host-is-bounded", check.Every(
				check.Sends(all, 0, 0),
				check.Lasts(all, check.UpTo(check.TotalLimit)),
				check.Returns(all, typed503())))),
		},
	}
}
