package observe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// refuse is a refusal of the API, none if the status is 0.
type refuse struct {
	status int
	body   string
}

// api is a checkout in memory that spells the contract as it is told.
type api struct {
	header     string // of the key; another is ignored
	missing    refuse
	mismatch   refuse // none: the first answer again
	execute    bool   // another body under a used key is another order
	malformed  refuse
	inProgress refuse // none: the second waits
	retryAfter string
	keyMax     int
	double     refuse // for two header lines; none: the first counts
	marker     string // header of a replay
	success    string // body with %s for the id
	location   bool
	statusPath string // prefix of the path of a status; none: there is none
	nonOwner   int
	global     bool // keys are shared by all customers
	denied     refuse

	mu     sync.Mutex
	done   map[string]harness.Answer
	bodies map[string]string
	meets  map[string]chan struct{} // keys of which one of two requests has arrived
	owners map[string]string
	sent   int
	paths  map[string]string // of the operations, as the profile says
	keyed  string            // header that the profile says
}

// Send implements [harness.Sender].
func (s *api) Send(_ context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	if a.Ready != nil {
		a.Ready()
		<-a.Release
	}
	s.mu.Lock()
	s.sent++
	s.mu.Unlock()
	if s.denied.status != 0 {
		return harness.Request{}, s.refusal(s.denied), nil
	}
	if a.Operation != harness.OpCheckout {
		return harness.Request{}, s.read(a), nil
	}
	return harness.Request{}, s.checkout(a), nil
}

func (s *api) read(a harness.Attempt) harness.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprint(a.Vars["requestId"])
	path := strings.ReplaceAll(strings.ReplaceAll(s.paths[a.Operation], "{{requestId}}", id), "{{orderId}}", fmt.Sprint(a.Vars["orderId"]))
	owner, known := s.owners[path]
	switch {
	case s.statusPath == "" || !known:
		return answer(404, `{"code":"NOT_FOUND","message":"","correlationId":"","retryable":false}`)
	case owner != a.Principal:
		return answer(s.nonOwner, `{"code":"NO","message":"","correlationId":"","retryable":false}`)
	}
	return answer(200, `{"state":"SUCCEEDED"}`)
}

func (s *api) checkout(a harness.Attempt) harness.Answer {
	keys := a.Keys
	if s.keyed != s.header {
		keys = nil // sent under a name that means nothing here
	}
	body := fmt.Sprint(a.Vars["cart"], a.Vars["amount"])
	switch {
	case len(keys) == 0 && s.missing.status != 0:
		return s.refusal(s.missing)
	case len(keys) == 0:
		return s.order(a, "", body)
	case len(keys) > 1 && s.double.status != 0:
		return s.refusal(s.double)
	case s.malformed.status != 0 && (len(keys[0]) > s.keyMax || strings.ContainsFunc(keys[0], func(r rune) bool { return r < ' ' || r > '~' })):
		return s.refusal(s.malformed)
	}
	key := keys[0]
	if !s.global {
		key = a.Principal + " " + key
	}
	if a.Ready != nil && s.inProgress.status != 0 && s.second(key) {
		r := s.refusal(s.inProgress)
		if s.retryAfter != "" {
			r.Header["Retry-After"] = []string{s.retryAfter}
		}
		return r
	}
	return s.order(a, key, body)
}

// second reports whether another request of the key has arrived before.
func (s *api) second(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, met := s.meets[key]
	s.meets[key] = nil
	return met
}

func (s *api) order(a harness.Attempt, key, body string) harness.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.done[key]; ok && key != "" {
		switch {
		case s.bodies[key] == body || s.mismatch.status == 0 && !s.execute:
			again := first
			if s.marker != "" {
				again.Header = map[string][]string{s.marker: {"true"}, "Content-Type": {"application/json"}}
			}
			return again
		case s.mismatch.status != 0:
			return s.refusal(s.mismatch)
		}
	}
	id := fmt.Sprintf("id-%d", len(s.done)+s.sent*100)
	made := answer(201, fmt.Sprintf(s.success, id))
	if s.location {
		made.Header["Location"] = []string{s.statusPath + id}
	}
	s.done[key], s.bodies[key], s.owners[s.statusPath+id] = made, body, a.Principal
	return made
}

func (s *api) refusal(r refuse) harness.Answer { return answer(r.status, r.body) }

func answer(status int, body string) harness.Answer {
	sum := sha256.Sum256([]byte(body))
	a := harness.Answer{Status: status, Body: body, BodySHA256: hex.EncodeToString(sum[:]), JSON: json.Valid([]byte(body)),
		Header: map[string][]string{"Content-Type": {"application/json"}}}
	if strings.Contains(body, `"title"`) {
		a.Header["Content-Type"] = []string{"application/problem+json"}
	}
	return a
}

// options observe the API as the given customers.
func (s *api) options(names ...string) Options {
	s.done, s.bodies, s.meets, s.owners = map[string]harness.Answer{}, map[string]string{}, map[string]chan struct{}{}, map[string]string{}
	o := Options{URL: "http://127.0.0.1:1", Name: "api", Path: "/checkout", Body: DefaultBody(), Presets: profile.Dialects(),
		Response: func(preset string) Response {
			r := profile.ResponseOf(preset)
			return Response{RequestID: r.RequestID, OrderID: r.OrderID}
		}}
	for _, name := range names {
		o.Identities = append(o.Identities, Identity{Name: name, Header: "Authorization", Prefix: "Bearer ", Variable: strings.ToUpper(name) + "_TOKEN"})
	}
	o.Open = func(_ context.Context, text []byte) (*harness.Target, func(context.Context) error, error) {
		p, err := profile.Parse("sent.yaml", text, tokens)
		if err != nil {
			return nil, nil, err
		}
		s.keyed, s.paths = p.Dialect.Header, map[string]string{}
		for name, op := range p.Operations {
			s.paths[name] = op.Path
		}
		return &harness.Target{Sender: s}, func(context.Context) error { return nil }, nil
	}
	return o
}

func tokens(name string) (string, bool) { return "secret-of-" + name, true }
