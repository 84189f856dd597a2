package harness

import (
	"fmt"
	"strings"
	"time"
)

// String tells the event in one line that stands without the history.
func (e Event) String() string {
	at := e.At.Round(10 * time.Microsecond)
	switch {
	case e.Type == Invoke && e.Request != nil:
		return fmt.Sprintf("%s %s sends %s", at, orNobody(e.Request.Principal), e.Request.describe())
	case e.Type == OK && e.Answer != nil:
		return fmt.Sprintf("%s %s answered %s", at, e.describeRequest(), e.Answer.describe())
	case e.Type == Info || e.Type == Failure:
		return fmt.Sprintf("%s %s got no answer: %s", at, e.describeRequest(), e.Error)
	case e.Fault != nil:
		return fmt.Sprintf("%s fault %s %s %s", at, e.Fault.Fault, e.Fault.Stage, e.Fault.Detail)
	case e.Effect != nil:
		return fmt.Sprintf("ledger %d: %s %s, provider key %s, reference %s, amount %d", e.Effect.Seq, e.Effect.Kind, e.Effect.ID, short(e.Effect.Key), e.Effect.Reference, e.Effect.Amount)
	case e.Call != nil:
		return fmt.Sprintf("%s %s", at, e.Call.describe())
	case e.Conn != nil:
		return fmt.Sprintf("%s %s", at, e.Conn.describe())
	case e.Log != nil:
		return fmt.Sprintf("%s the target logs %s", at, short(e.Log.Line))
	case e.Record != nil:
		return fmt.Sprintf("%s %s", at, e.Record.describe())
	case e.Outbox != nil:
		return fmt.Sprintf("%s %s", at, e.Outbox.describe())
	case e.Mark != nil:
		return fmt.Sprintf("%s %s %s", at, e.Mark.Name, e.Mark.Detail)
	}
	return fmt.Sprintf("%s %s", at, e.Type)
}

func (e Event) describeRequest() string {
	if e.Request == nil {
		return e.Op
	}
	return e.Request.describe()
}

func (r Request) describe() string {
	key := "without a key"
	if len(r.Keys) > 0 {
		quoted := make([]string, len(r.Keys))
		for i, k := range r.Keys {
			quoted[i] = fmt.Sprintf("%q", short(k))
		}
		key = "key " + strings.Join(quoted, " and ")
	}
	if r.Operation == OpStatus {
		key = r.Path
	}
	where := ""
	if r.Instance > 0 {
		where = fmt.Sprintf(" at instance %d", r.Instance+1)
	}
	return fmt.Sprintf("%s attempt %d of %s%s, %s", r.Operation, r.Attempt, orNobody(r.Principal), where, key)
}

func (a Answer) describe() string {
	parts := []string{fmt.Sprint(a.Status)}
	if a.Outcome != "" {
		parts = append([]string{a.Outcome}, parts...)
	}
	for _, p := range []struct{ name, value string }{{"", a.Code}, {"state ", a.State}, {"order ", a.OrderID}, {"request ", a.RequestID}} {
		if p.value != "" {
			parts = append(parts, p.name+short(p.value))
		}
	}
	return strings.Join(parts, ", ")
}

func (c Call) describe() string {
	text := fmt.Sprintf("%s/%s#%d %s %s: %s", c.Link, c.Operation, c.Index, c.Method, c.Path, c.Outcome)
	if c.Upstream > 0 {
		text += fmt.Sprintf(", upstream said %d", c.Upstream)
	}
	if c.Status > 0 {
		text += fmt.Sprintf(", sent back %d", c.Status)
	}
	if c.Key != "" {
		text += ", key " + short(c.Key)
	}
	if c.Fault != "" {
		text += ", fault " + c.Fault
	}
	return text
}

func (c Connection) describe() string {
	text := fmt.Sprintf("connection %d carried %d requests in %s and was closed by the %s", c.ID, c.Requests, (c.Closed - c.Opened).Round(time.Millisecond), c.By)
	if c.Problem != "" {
		text += ": " + c.Problem
	}
	return text
}

func orNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// short keeps long keys and ids readable in one line.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:18]) + "…" + string(r[len(r)-6:]) + fmt.Sprintf(" (%d characters)", len(r))
	}
	return s
}
