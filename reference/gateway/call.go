package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
)

// call is one operation of a caller.
type call struct {
	caller         auth.Principal
	method, target string
	key            string // empty for none
	contentType    string
	body           []byte
	id             string // correlation id
	until          time.Time
}

// make calls the dependency and answers with what it says, or else with what is
// safe instead.
func (g *Gateway) make(r *http.Request, c call) Answer {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(g.stopped, cancel)()
	c.until = time.Now().Add(g.Client.Policy.Total + g.Policy.Grace)
	resource := g.ResourceOf(c.caller, c.method, c.target, c.key, c.body)
	request := client.Request{
		Dependency: Dependency, Method: c.method, URL: *g.base.Load() + c.target, Header: http.Header{},
		Key: c.key, CorrelationID: c.id, Body: c.body,
	}
	if c.contentType != "" {
		request.Header.Set("Content-Type", c.contentType)
	}
	resp, err := g.client.Do(ctx, request)
	failure := g.Judge(resp, err)
	switch {
	case failure == nil:
		g.keep(ctx, c, resource, resp)
		g.instruments.answer(ctx, "dependency")
		return g.Pass(resp)
	case failure.Code == client.CodeCancelled:
		// Nobody waits for a result, and nothing says that the dependency failed.
		g.instruments.answer(context.WithoutCancel(ctx), "cancelled")
		return g.Refuse(*failure, c.id)
	case g.Resilience.On():
		if answer, ok := g.fallBack(ctx, r, c, resource); ok {
			return answer
		}
	}
	g.instruments.answer(ctx, failure.Code)
	return g.Refuse(*failure, c.id)
}

// keep stores an answer that is safe to serve later. That it could not be is not
// the caller's trouble.
func (g *Gateway) keep(ctx context.Context, c call, resource Resource, resp client.Response) {
	if !g.Safe(resource, resp) {
		return
	}
	now := g.Now()
	entry := Entry{Resource: resource, Status: resp.Status, Header: representation(resp.Header), Body: resp.Body, StoredAt: now}
	// The result is committed, whether or not its caller still waits for it.
	_, err := within(context.WithoutCancel(ctx), g.patience(c), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, g.Store.Keep(ctx, entry, now.Add(-g.Policy.Retention))
	})
	if err != nil {
		g.Log.Warn("result not stored", "correlationId", c.id, "error", err)
	}
}

// fallBack answers with a stored result, if there is one that may be served.
func (g *Gateway) fallBack(ctx context.Context, r *http.Request, c call, resource Resource) (Answer, bool) {
	if !resource.Repeatable() {
		return Answer{}, false
	}
	entry, err := within(ctx, g.patience(c), func(ctx context.Context) (Entry, error) { return g.Store.Find(ctx, resource) })
	age := g.Now().Sub(entry.StoredAt)
	switch {
	case errors.Is(err, ErrNone), err == nil && !g.Fresh(age, g.Policy.MaxAge):
		return Answer{}, false // none was due
	case err != nil && ctx.Err() != nil:
		return Answer{}, false // the caller left while we looked
	case err != nil:
		g.instruments.eligible.Add(ctx, 1, g.instruments.labels)
		g.Log.Warn("no look at stored results", "correlationId", c.id, "error", err)
		return Answer{}, false
	}
	// The call may have outlasted the right to see its result.
	now, err := g.Authenticate(r)
	if err != nil {
		g.Log.Info("unauthenticated", "correlationId", c.id)
		return g.Refuse(unauthenticated(), c.id), true
	}
	if !g.Authorize(now, entry.Resource) {
		return Answer{}, false
	}
	g.instruments.eligible.Add(ctx, 1, g.instruments.labels)
	g.instruments.serve(ctx, age)
	g.instruments.answer(ctx, "fallback")
	g.Log.Info("fallback", "correlationId", c.id, "dependency", Dependency, "ageMs", age.Milliseconds())
	return g.Serve(entry, age), true
}

// patience is how long the store may take: what is left of the operation, and
// not longer than a look has to take.
func (g *Gateway) patience(c call) time.Duration {
	return min(g.Policy.Lookup, time.Until(c.until))
}
