package observe

import (
	"context"
	"net/url"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// rounds is how often two requests are sent at the same time.
const rounds = 3

// together sends a checkout twice at the same time, until one is told that the
// other is at work.
func (x *observer) together(ctx context.Context) error {
	for range rounds {
		answers, err := x.pair(ctx)
		if err != nil {
			x.gap("dialect.inProgress", "two requests at the same time: "+err.Error(), "see what a second request gets while the first is at work")
			return ignore(err)
		}
		for i, a := range answers {
			switch {
			case refused(a) && success(answers[1-i]):
				x.saw.loser = &answers[i]
				return nil
			case success(a) && success(answers[1-i]) && named(a) != named(answers[1-i]):
				x.gap("dialect.inProgress", "two requests with one key at the same time made two orders", "nothing; expect SRS-CHK-001.44 to fail")
				return nil
			}
		}
	}
	x.gap("dialect.inProgress", "both of two requests at the same time got the same success: the second waits, or the first is too quick to be met",
		"inProgress: wait, if a second request waits for the first")
	return nil
}

// pair sends one checkout on two connections, released together.
func (x *observer) pair(ctx context.Context) ([2]harness.Answer, error) {
	if x.sent+2 > MaxRequests {
		return [2]harness.Answer{}, errSpent
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, release := x.cart(), make(chan struct{})
	var ready, done sync.WaitGroup
	var answers [2]harness.Answer
	var errs [2]error
	for i := range answers {
		ready.Add(1)
		var once sync.Once
		arrived := func() { once.Do(ready.Done) }
		a := harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(0), Keys: []string{x.base.KeyLine(c.key)}, Vars: c.vars,
			CaseID: x.run, RunID: x.run, CorrelationID: "corr-" + x.run, Ready: arrived, Release: release}
		x.sent++
		a.Number = x.sent
		done.Go(func() {
			_, answers[i], errs[i] = x.target.Sender.Send(ctx, a)
			arrived()
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
	for _, err := range errs {
		if err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// statusRoute looks for the checkout where its answer says it is, and below the
// checkout's own path.
func (x *observer) statusRoute(ctx context.Context) error {
	_, request := find(*x.saw.first, requestPaths())
	_, order := find(*x.saw.first, orderPaths())
	if request == "" {
		request = order
	}
	ids := map[string]string{"requestId": request, "orderId": order}
	x.status = nil
	location := header(*x.saw.first, "Location")
	for _, name := range []string{"requestId", "orderId"} {
		if u, err := url.Parse(location); err == nil && ids[name] != "" && strings.Contains(u.EscapedPath(), ids[name]) {
			x.status = append(x.status, strings.Replace(u.EscapedPath(), ids[name], "{{"+name+"}}", 1))
			break
		}
	}
	for _, name := range []string{"requestId", "orderId"} {
		if ids[name] != "" {
			x.status = append(x.status, x.o.Path+"/{{"+name+"}}")
			break
		}
	}
	if len(x.status) == 0 {
		x.gap("status", "the answer to a checkout names nothing that could be asked for", `status: {path: "/PATH/{{requestId}}"}`)
		return nil
	}
	if err := x.open(ctx); err != nil {
		return err
	}
	for i, path := range x.status {
		a, err := x.send(ctx, harness.Attempt{Operation: guess(i), Principal: x.name(0), Vars: map[string]any{"requestId": request, "orderId": order}})
		if err != nil {
			return ignore(err)
		}
		if a.Status == 200 && a.JSON {
			x.saw.statusPath = path
			if len(x.o.Identities) > 1 {
				a, err := x.send(ctx, harness.Attempt{Operation: guess(i), Principal: x.name(1), Vars: map[string]any{"requestId": request, "orderId": order}})
				x.saw.stranger, err = x.optional("dialect.statusNonOwner", a, err)
				return ignore(err)
			}
			return nil
		}
	}
	x.gap("status", "no checkout can be read at "+strings.Join(x.status, " or "), `status: {path: "/PATH/{{requestId}}"}, if there is such a route`)
	return nil
}

// stranger uses the first customer's key as the second one, for another cart: it
// is the second one's own where it makes an order of its own.
func (x *observer) stranger(ctx context.Context) error {
	if len(x.o.Identities) < 2 {
		return nil
	}
	c := x.cart()
	c.key = x.replayed.key
	a, err := x.checkout(ctx, c, 1)
	x.saw.strangersKey, err = x.optional("dialect.scope", a, err)
	return ignore(err)
}

// guess names the operation that reads a status at the i-th of the guessed paths.
func guess(i int) string { return "status-guess-" + string(rune('a'+i)) }
