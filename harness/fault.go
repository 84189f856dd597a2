package harness

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Fault says where, when and how a link misbehaves. It is a value: comparable,
// printable, and its text form parses back.
//
//	payment/charge#1:after-commit:reset
//	client#2:before-forward:stall
//	inventory#*:status(503)
//
// The index counts exchanges of one case on one operation of one link, never
// time and never a percentage, so that a fault hits the same exchange each run.
type Fault struct {
	Link      string // client, payment, inventory, orders, ...
	Operation string // operation of the link; empty means any
	Exchange  int    // 1-based index within the case; 0 means every exchange
	Cut       Cut
	Action    Action
}

// Point is a place in the life of an exchange where it can be cut.
type Point string

// The cut points. TCP and Stub name the injector as well: a toxic of toxiproxy
// acts on a connection, a stub answers in place of the dependency.
const (
	CutConnect       Point = "connect"
	CutTLS           Point = "tls"
	CutBeforeForward Point = "before-forward" // the request arrived in full, the upstream saw nothing
	CutAfterCommit   Point = "after-commit"   // the upstream answered in full, the caller saw nothing
	CutStatus        Point = "status"         // after the status line
	CutHeaders       Point = "headers"        // after the header block
	CutBody          Point = "body"           // after N bytes of the body
	CutTCP           Point = "tcp"            // toxiproxy, on a connection
	CutStub          Point = "stub"           // WireMock, in place of the dependency
)

// Cut is a cut point; At is the number of body bytes let through at [CutBody].
type Cut struct {
	Point Point
	At    int
}

// String returns "after-commit" or "body@12".
func (c Cut) String() string {
	if c.Point == CutBody {
		return fmt.Sprintf("%s@%d", c.Point, c.At)
	}
	return string(c.Point)
}

// ActionName is what happens at the cut.
type ActionName string

// The actions.
const (
	ActReset     ActionName = "reset"     // RST
	ActClose     ActionName = "close"     // FIN
	ActStall     ActionName = "stall"     // nothing until the fault is lifted or the peer leaves, then on as usual
	ActDelay     ActionName = "delay"     // a fixed time, then on as usual, or that status in place of the upstream's answer
	ActStatus    ActionName = "status"    // that status in place of the upstream's answer
	ActTruncate  ActionName = "truncate"  // N body bytes of a longer announced body, then FIN
	ActGarbage   ActionName = "garbage"   // bytes that are not HTTP
	ActDuplicate ActionName = "duplicate" // the intermediary sends the request upstream twice
	ActLatency   ActionName = "latency"   // a toxic that delays a connection's bytes
	ActAnswer    ActionName = "answer"    // the dependency's own answer of that name, from a stub
)

// Action is an action with its arguments. Only the fields that belong to Name
// are set.
type Action struct {
	Name       ActionName
	Delay      Duration // delay, latency, and reset as a toxic (time until the reset)
	Status     int      // status; delay: 0 is on as usual
	RetryAfter string   // with a status: value of the Retry-After header, empty for none
	Bytes      int      // truncate
	Answer     string   // answer: a name that the profile gives to an answer of the operation
}

// String returns the action as it is written in a fault.
func (a Action) String() string {
	switch a.Name {
	case ActDelay, ActLatency:
		if a.Status != 0 {
			return fmt.Sprintf("%s(%s,%s)", a.Name, a.Delay.Std(), a.status())
		}
		return fmt.Sprintf("%s(%s)", a.Name, a.Delay.Std())
	case ActReset:
		if a.Delay > 0 {
			return fmt.Sprintf("%s(%s)", a.Name, a.Delay.Std())
		}
	case ActStatus:
		return fmt.Sprintf("%s(%s)", a.Name, a.status())
	case ActTruncate:
		return fmt.Sprintf("%s(%d)", a.Name, a.Bytes)
	case ActAnswer:
		return fmt.Sprintf("%s(%s)", a.Name, a.Answer)
	}
	return string(a.Name)
}

// status is the status with the Retry-After that goes with it.
func (a Action) status() string {
	if a.RetryAfter != "" {
		return fmt.Sprintf("%d,%s", a.Status, a.RetryAfter)
	}
	return strconv.Itoa(a.Status)
}

// String returns the canonical one-line form, which [ParseFault] reads back to
// an equal value.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.Link)
	if f.Operation != "" {
		b.WriteString("/" + f.Operation)
	}
	if f.Exchange > 0 {
		fmt.Fprintf(&b, "#%d", f.Exchange)
	} else {
		b.WriteString("#*")
	}
	fmt.Fprintf(&b, ":%s:%s", f.Cut, f.Action)
	return b.String()
}

// MarshalText implements encoding.TextMarshaler.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Fault) UnmarshalText(text []byte) error {
	parsed, err := ParseFault(string(text))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}

// ParseFault reads LINK[/OPERATION][#N|#*][:CUT]:ACTION[(ARGS)]. Without an
// index the fault hits every exchange; without a cut it acts where its action
// naturally does. The error says which part is wrong and what would be right.
func ParseFault(text string) (Fault, error) {
	f, err := parseFault(text)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w (form: payment/charge#1:after-commit:reset)", text, err)
	}
	return f, nil
}

func parseFault(text string) (Fault, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Fault{}, fmt.Errorf("has %d parts between colons, wants link:cut:action or link:action", len(parts))
	}
	var f Fault
	if err := f.parseWhere(parts[0]); err != nil {
		return Fault{}, err
	}
	action, err := parseAction(parts[len(parts)-1])
	if err != nil {
		return Fault{}, err
	}
	f.Action = action
	f.Cut = naturalCut(action.Name)
	if len(parts) == 3 {
		if f.Cut, err = parseCut(parts[1]); err != nil {
			return Fault{}, err
		}
	}
	return f, f.compatible()
}

func (f *Fault) parseWhere(text string) error {
	where, index, indexed := strings.Cut(text, "#")
	f.Link, f.Operation, _ = strings.Cut(where, "/")
	if !isName(f.Link) || (strings.Contains(where, "/") && !isName(f.Operation)) {
		return fmt.Errorf("%q is no link or link/operation (letters, digits, - and _)", where)
	}
	if !indexed || index == "*" {
		return nil
	}
	n, err := strconv.Atoi(index)
	if err != nil || n < 1 || strconv.Itoa(n) != index {
		return fmt.Errorf("index %q is neither * nor a number from 1", index)
	}
	f.Exchange = n
	return nil
}

func naturalCut(a ActionName) Cut {
	switch a {
	case ActTruncate:
		return Cut{Point: CutBody}
	case ActLatency:
		return Cut{Point: CutTCP}
	case ActAnswer:
		return Cut{Point: CutStub}
	}
	return Cut{Point: CutBeforeForward}
}

func parseCut(text string) (Cut, error) {
	point, at, hasAt := strings.Cut(text, "@")
	c := Cut{Point: Point(point)}
	switch c.Point {
	case CutConnect, CutTLS, CutBeforeForward, CutAfterCommit, CutStatus, CutHeaders, CutTCP, CutStub:
		if hasAt {
			return Cut{}, fmt.Errorf("cut %q takes no @", point)
		}
		return c, nil
	case CutBody:
		n, err := strconv.Atoi(at)
		if !hasAt || err != nil || n < 0 || strconv.Itoa(n) != at {
			return Cut{}, fmt.Errorf("cut %q wants body@N with N bytes from 0", text)
		}
		c.At = n
		return c, nil
	}
	return Cut{}, fmt.Errorf("cut %q is none of connect, tls, before-forward, after-commit, status, headers, body@N, tcp, stub", text)
}

func parseAction(text string) (Action, error) {
	name, args, hasArgs := strings.Cut(text, "(")
	if hasArgs {
		var closed bool
		if args, closed = strings.CutSuffix(args, ")"); !closed || args == "" {
			return Action{}, fmt.Errorf("action %q has an empty argument list or misses its closing bracket", text)
		}
	}
	a := Action{Name: ActionName(name)}
	switch a.Name {
	case ActReset:
		if !hasArgs {
			return a, nil
		}
		return a, a.Delay.parse(args)
	case ActClose, ActStall, ActGarbage, ActDuplicate:
		if hasArgs {
			return Action{}, fmt.Errorf("action %q takes no argument", name)
		}
		return a, nil
	case ActDelay:
		return a, a.parseDelay(args)
	case ActLatency:
		return a, a.Delay.parse(args)
	case ActStatus:
		return a, a.parseStatus(args)
	case ActTruncate:
		n, err := strconv.Atoi(args)
		if err != nil || n < 0 || strconv.Itoa(n) != args {
			return Action{}, fmt.Errorf("action %q wants truncate(N) with N bytes from 0", text)
		}
		a.Bytes = n
		return a, nil
	case ActAnswer:
		if !isName(args) {
			return Action{}, fmt.Errorf("action %q wants answer(NAME), the name of an answer that the profile declares", text)
		}
		a.Answer = args
		return a, nil
	}
	return Action{}, fmt.Errorf("action %q is none of reset, close, stall, delay(d), delay(d,n), status(n), truncate(n), garbage, duplicate, latency(d), answer(name)", name)
}

func (d *Duration) parse(text string) error {
	if err := d.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	if *d == 0 {
		return errors.New("a duration of zero does nothing")
	}
	return nil
}

func (a *Action) parseDelay(args string) error {
	after, status, has := strings.Cut(args, ",")
	if has {
		if err := a.parseStatus(status); err != nil {
			return err
		}
	}
	return a.Delay.parse(after)
}

func (a *Action) parseStatus(args string) error {
	code, retryAfter, has := strings.Cut(args, ",")
	n, err := strconv.Atoi(code)
	if err != nil || n < 200 || n > 599 || strconv.Itoa(n) != code {
		return fmt.Errorf("status %q is no number from 200 to 599", code)
	}
	if has && (retryAfter == "" || strings.ContainsAny(retryAfter, ",()\r\n")) {
		return fmt.Errorf("retry-after %q is empty or has brackets or commas", retryAfter)
	}
	a.Status, a.RetryAfter = n, retryAfter
	return nil
}

// compatible refuses combinations no injector can carry out, so that a fault
// that can never fire is an error and not a green run.
func (f Fault) compatible() error {
	ok := true
	switch f.Cut.Point {
	case CutTCP:
		ok = f.Action.Name == ActLatency || f.Action.Name == ActReset
	case CutStub:
		ok = f.Action.Name == ActStatus || f.Action.Name == ActAnswer
	case CutConnect:
		ok = f.Action.Name == ActReset || f.Action.Name == ActClose || f.Action.Name == ActStall
	case CutTLS:
		ok = f.Action.Name == ActReset || f.Action.Name == ActClose || f.Action.Name == ActStall
	case CutStatus, CutHeaders:
		ok = f.Action.Name == ActReset || f.Action.Name == ActClose || f.Action.Name == ActStall || f.Action.Name == ActDelay
	case CutBody:
		ok = f.Action.Name != ActStatus && f.Action.Name != ActDuplicate && f.Action.Name != ActLatency && f.Action.Name != ActGarbage
	case CutBeforeForward, CutAfterCommit:
		ok = f.Action.Name != ActLatency && f.Action.Name != ActTruncate
		if f.Cut.Point == CutAfterCommit && f.Action.Name == ActDuplicate {
			ok = false
		}
	}
	whole := f.Cut.Point == CutBeforeForward || f.Cut.Point == CutAfterCommit // of the answer nothing was sent yet
	if f.Action.Name == ActDelay && f.Action.Status != 0 && !whole || f.Action.Name == ActReset && f.Action.Delay > 0 && f.Cut.Point != CutTCP || f.Action.Name == ActAnswer && f.Cut.Point != CutStub {
		ok = false
	}
	if !ok {
		return fmt.Errorf("action %s cannot happen at %s", f.Action, f.Cut)
	}
	return nil
}

func isName(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return false
		}
	}
	return true
}
