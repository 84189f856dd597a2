package reports

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// CreatedFile lists what a run left in its target, for whoever cleans up.
const CreatedFile = "created.json"

// CreatedSchema is the first field of created.json.
const CreatedSchema = "oncecheck/created/v1"

// Created is what one case of an experiment left, or may have left, behind.
type Created struct {
	Case          string           `json:"case"`
	Reference     string           `json:"reference,omitempty"` // the cart
	CorrelationID string           `json:"correlationId,omitempty"`
	Amount        int64            `json:"amount,omitempty"` // minor units
	Requests      []CreatedRequest `json:"requests"`
	Effects       []CreatedEffect  `json:"effects"` // as the ledger shows them
}

// CreatedRequest is a principal's request under one key.
type CreatedRequest struct {
	Principal string   `json:"principal,omitempty"`
	Operation string   `json:"operation"`
	Keys      []string `json:"keys"`
	RequestID string   `json:"requestId,omitempty"`
	OrderID   string   `json:"orderId,omitempty"`
	// Unknown marks a request that was sent, and no answer names what it made.
	Unknown bool `json:"unknown,omitempty"`
}

// CreatedEffect is an entry of the ledger.
type CreatedEffect struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// WriteCreated renders created.json from the histories of a run folder, one at a
// time. A history that cannot be read is named in it: what it would have shown
// has to be looked for by the run's id.
func WriteCreated(w io.Writer, dir string, run harness.RunInfo) error {
	files, err := filepath.Glob(filepath.Join(dir, "history", "*.jsonl*"))
	if err != nil {
		return fmt.Errorf("look for histories: %w", err)
	}
	slices.Sort(files)
	late, unreadable := lateEffects(files)
	b := bufio.NewWriter(w)
	id, err := json.Marshal(run.ID)
	if err != nil {
		return fmt.Errorf("encode what was created: %w", err)
	}
	fmt.Fprintf(b, "{\n  \"schema\": %q,\n  \"run\": %s,\n  \"created\": [", CreatedSchema, id)
	separator := "\n"
	for _, file := range files {
		if isAftermath(file) {
			continue
		}
		list, err := createdIn(file, late)
		if err != nil {
			unreadable = append(unreadable, file)
		}
		for _, c := range list {
			line, err := json.Marshal(c)
			if err != nil {
				return fmt.Errorf("encode what was created: %w", err)
			}
			fmt.Fprintf(b, "%s    %s", separator, line)
			separator = ",\n"
		}
	}
	names := make([]string, len(unreadable))
	for i, file := range unreadable {
		names[i] = "history/" + filepath.Base(file)
	}
	tail, err := json.Marshal(names)
	if err != nil {
		return fmt.Errorf("encode what was created: %w", err)
	}
	fmt.Fprintf(b, "\n  ],\n  \"unreadable\": %s\n}\n", tail)
	return b.Flush()
}

func isAftermath(file string) bool {
	return strings.HasPrefix(filepath.Base(file), harness.AftermathID)
}

// lateEffects reads what the ledger showed of each case once all had ended.
func lateEffects(files []string) (late map[string][]CreatedEffect, unreadable []string) {
	late = map[string][]CreatedEffect{}
	for _, file := range files {
		if !isAftermath(file) {
			continue
		}
		h, err := harness.OpenHistory(file)
		if err == nil {
			for e := range h.Events() {
				if e.Type == harness.EffectEvent && e.Case != "" {
					late[e.Case] = append(late[e.Case], CreatedEffect{e.Effect.Seq, e.Effect.Kind, e.Effect.ID})
				}
			}
			err = h.Err()
		}
		if err != nil {
			unreadable = append(unreadable, file)
		}
	}
	return late, unreadable
}

// createdIn returns the cases of one history that left something, in their
// order. What was read before an error is returned with it.
func createdIn(file string, late map[string][]CreatedEffect) ([]Created, error) {
	h, err := harness.OpenHistory(file)
	if err != nil {
		return nil, err
	}
	g := gathering{cases: map[string]*gathered{}}
	for e := range h.Events() {
		g.take(e)
	}
	var list []Created
	for _, id := range g.order {
		c := g.cases[id].created
		c.Requests = g.cases[id].requests()
		c.Effects = append(c.Effects, late[id]...)
		if len(c.Requests)+len(c.Effects) > 0 {
			list = append(list, c)
		}
	}
	return list, h.Err()
}

// gathering collects the cases of a history.
type gathering struct {
	order []string
	cases map[string]*gathered
}

type gathered struct {
	created Created
	order   []string
	keyed   map[string]*outcome // by principal, operation and keys
}

// outcome is what became of all attempts at one request.
type outcome struct {
	request CreatedRequest
	named   []CreatedRequest // one for each pair of ids that an answer named
	open    map[string]bool  // attempts that were sent and not answered
}

func (g *gathering) of(id string) *gathered {
	c := g.cases[id]
	if c == nil {
		c = &gathered{created: Created{Case: id, Effects: []CreatedEffect{}}, keyed: map[string]*outcome{}}
		g.cases[id] = c
		g.order = append(g.order, id)
	}
	return c
}

func (g *gathering) take(e harness.Event) {
	switch {
	case e.Type == harness.EffectEvent && e.Case != "":
		c := g.of(e.Case)
		c.created.Effects = append(c.created.Effects, CreatedEffect{e.Effect.Seq, e.Effect.Kind, e.Effect.ID})
	case e.Request != nil && e.Request.Operation != harness.OpStatus:
		g.of(e.Case).sent(e)
	}
}

func (c *gathered) sent(e harness.Event) {
	r := e.Request
	c.created.Reference, c.created.CorrelationID, c.created.Amount = r.Reference, r.CorrelationID, r.Amount
	id := strings.Join(append([]string{r.Principal, r.Operation}, r.Keys...), "\x00")
	if len(r.Keys) == 0 {
		id += "\x00" + e.Op // without a key every attempt is a request of its own
	}
	o := c.keyed[id]
	if o == nil {
		o = &outcome{request: CreatedRequest{Principal: r.Principal, Operation: r.Operation, Keys: append([]string{}, r.Keys...)}, open: map[string]bool{}}
		c.keyed[id] = o
		c.order = append(c.order, id)
	}
	switch e.Type {
	case harness.Invoke: // until its end is recorded: a run that was killed leaves none
		o.open[e.Op] = true
	case harness.Failure: // certainly never sent
		delete(o.open, e.Op)
	case harness.OK:
		delete(o.open, e.Op)
		o.name(e.Answer.RequestID, e.Answer.OrderID)
	}
}

func (o *outcome) name(requestID, orderID string) {
	named := o.request
	named.RequestID, named.OrderID = requestID, orderID
	same := func(n CreatedRequest) bool { return n.RequestID == requestID && n.OrderID == orderID }
	if requestID+orderID != "" && !slices.ContainsFunc(o.named, same) {
		o.named = append(o.named, named)
	}
}

// requests returns what created something, or may have.
func (c *gathered) requests() []CreatedRequest {
	list := []CreatedRequest{}
	for _, id := range c.order {
		o := c.keyed[id]
		list = append(list, o.named...)
		if len(o.named) == 0 && len(o.open) > 0 {
			unknown := o.request
			unknown.Unknown = true
			list = append(list, unknown)
		}
	}
	return list
}
