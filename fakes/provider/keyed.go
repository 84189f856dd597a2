package provider

import (
	"crypto/sha256"
	"net/http"
)

// routeKey scopes an idempotency key to the route it was used on.
type routeKey struct{ route, key string }

// memory is what a key is remembered by.
type memory struct {
	fingerprint [sha256.Size]byte // of path and body
	answer      answer
	resource    string // id of what was created, empty for a decline
}

// request is what an effect needs to know of the request that asks for it.
type request struct {
	http          *http.Request
	body          []byte
	key           string
	correlationID string
}

// outcome is what an effect brings.
type outcome struct {
	answer   answer
	resource string // id of what was created, for queries by key
	drop     bool   // commit, but close the connection in place of the answer
	keep     bool   // remember the answer under the key
}

func done(a answer, resource string) outcome {
	return outcome{answer: a, resource: resource, keep: true}
}

// refused is an outcome that leaves the key unused.
func refused(a answer) outcome { return outcome{answer: a} }

// mutate makes a handler of an effect. The effect runs with p.mu held, so that
// it, its ledger entry and the remembered answer become visible together.
func (p *Provider) mutate(route string, effect func(request) outcome) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keys := r.Header.Values("Idempotency-Key")
		if len(keys) > 1 {
			refusal(http.StatusBadRequest, "invalid_request", "more than one Idempotency-Key").write(w)
			return
		}
		body, failed := readBody(w, r)
		if failed != nil {
			failed.write(w)
			return
		}
		req := request{http: r, body: body, correlationID: r.Header.Get("X-Correlation-ID")}
		if len(keys) == 1 {
			req.key = keys[0]
		}
		o := p.once(route, req, effect)
		if o.drop {
			// The documented way to end a connection without an answer.
			panic(http.ErrAbortHandler)
		}
		o.answer.write(w)
	}
}

// once runs the effect, or finds what it brought earlier under the same key.
func (p *Provider) once(route string, req request, effect func(request) outcome) outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if req.key == "" {
		return effect(req)
	}
	at := routeKey{route, req.key}
	fingerprint := sha256.Sum256([]byte(req.http.URL.Path + "\x00" + string(req.body)))
	if m, used := p.keys[at]; used {
		if m.fingerprint != fingerprint {
			return refused(refusal(http.StatusConflict, "idempotency_conflict", "this key was used with another request"))
		}
		return outcome{answer: m.answer}
	}
	o := effect(req)
	if o.keep {
		p.keys[at] = memory{fingerprint: fingerprint, answer: o.answer, resource: o.resource}
	}
	return o
}

// byKey makes a handler that answers GET route?key=K with what the key created.
func (p *Provider) byKey(route string, load func(id string) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Query().Get("key")
		if key == "" {
			refusal(http.StatusBadRequest, "invalid_request", "the query needs key=K").write(w)
			return
		}
		p.mu.Lock()
		a := refusal(http.StatusNotFound, "not_found", "nothing was created under this key")
		if m := p.keys[routeKey{route, key}]; m.resource != "" {
			a = load(m.resource)
		}
		p.mu.Unlock()
		a.write(w)
	}
}
