package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// plain makes one checkout and repeats it. Everything else builds on the two.
func (x *observer) plain(ctx context.Context) error {
	c := x.cart()
	first, err := x.checkout(ctx, c, 0)
	if err != nil {
		return fmt.Errorf("one plain checkout at %s%s: %w; does it answer curl?", x.o.URL, x.o.Path, err)
	}
	replay := first
	if success(first) {
		if replay, err = x.checkout(ctx, c, 0); err != nil {
			return fmt.Errorf("repeat the checkout at %s%s: %w", x.o.URL, x.o.Path, err)
		}
	}
	// A key under a name that means nothing to the target is no key: it makes
	// another order each time, or is missed.
	unheard := success(replay) && named(replay) != named(first) || first.Status == http.StatusBadRequest || first.Status == http.StatusUnprocessableEntity
	if unheard && x.o.Dialect == "" {
		if c, first, replay, err = x.otherHeader(ctx, c, first, replay); err != nil {
			return err
		}
	}
	if err := x.usable(first); err != nil {
		return err
	}
	x.saw.first, x.saw.replay = &first, &replay
	x.saw.requestPath, _ = find(first, requestPaths())
	x.saw.orderPath, _ = find(first, orderPaths())
	if x.saw.requestPath == "" {
		x.saw.requestPath = x.saw.orderPath // one id stands for both, or nothing could be asked about a request
	}
	switch {
	case success(replay) && named(replay) != named(first):
		x.gap("dialect.header", "a repeat with the same key made another order", "name the header that carries the key, if it is not "+x.keyHeader()+"; if it is, the target does not keep its keys, and a run will show it")
	case !success(replay):
		x.gap("dialect.store", "a repeat of a successful checkout was answered "+seen(replay), "see whether the target replays answers at all")
	}
	x.replayed = c
	return nil
}

// usable says what to do where not even a plain checkout succeeds.
func (x *observer) usable(a harness.Answer) error {
	what := fmt.Sprintf("POST %s%s was answered %s", x.o.URL, x.o.Path, seen(a))
	switch {
	case a.Status == 401 || a.Status == 403:
		return fmt.Errorf("%s: give the credentials of a customer by --token VALUE or --header 'Name: value'", what)
	case a.Status == 404 || a.Status == 405:
		return fmt.Errorf("%s: name the path of the checkout by --path", what)
	case a.Status == 202:
		return fmt.Errorf("%s: the checkout is pending, so a system that it depends on is likely away; start that first", what)
	case refused(a):
		return fmt.Errorf("%s: %s; give a body that it accepts by --body, with \"{{cart}}\" and \"{{amount}}\" where they go (the key was sent in %s)", what, short(a.Body), x.keyHeader())
	case !success(a):
		return fmt.Errorf("%s: %s; one plain checkout has to succeed; if the service calls a listen address of a profile, where only a run answers, point it at the real one for init", what, short(a.Body))
	case !a.JSON:
		return fmt.Errorf("%s as %q: the answer to a checkout has to be a JSON object; is %s the API itself?", what, header(a, "Content-Type"), x.o.URL)
	case strings.Trim(named(a), "\x00") == "":
		x.gap("response", "the answer to a checkout names neither request nor order where they usually are: "+short(a.Body),
			"add response: {requestId: JQ, orderId: JQ}, for example {orderId: .result.order_number}")
	}
	return nil
}

func short(body string) string {
	text := strings.Join(strings.Fields(body), " ")
	if r := []rune(text); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return text
}

// otherHeader tries the other common name of the header.
func (x *observer) otherHeader(ctx context.Context, before cart, first, replay harness.Answer) (cart, harness.Answer, harness.Answer, error) {
	other := "X-Idempotency-Key"
	if x.base.Header == other {
		other = "Idempotency-Key"
	}
	x.header = other
	if err := x.open(ctx); err != nil {
		return before, first, replay, err
	}
	c := x.cart()
	var answers [2]harness.Answer
	for i := range answers {
		a, err := x.checkout(ctx, c, 0)
		if err != nil {
			return before, first, replay, fmt.Errorf("one plain checkout with %s: %w", other, err)
		}
		answers[i] = a
		if !success(a) {
			break
		}
	}
	if success(answers[0]) && success(answers[1]) && named(answers[0]) == named(answers[1]) {
		return c, answers[0], answers[1], nil
	}
	x.header = ""
	return before, first, replay, x.open(ctx)
}

func (x *observer) keyHeader() string {
	if x.header != "" {
		return x.header
	}
	return x.base.Header
}

// optional keeps an answer if there is one. A request without an answer leaves a
// gap and ends nothing.
func (x *observer) optional(key string, a harness.Answer, err error) (*harness.Answer, error) {
	if err != nil {
		x.gap(key, "no answer: "+err.Error(), "see what the target does")
		return nil, err
	}
	return &a, nil
}

// mismatched sends the used key with another body.
func (x *observer) mismatched(ctx context.Context) error {
	c := cart{key: x.replayed.key, vars: maps.Clone(x.replayed.vars)}
	switch {
	case x.o.Body.leaves("amount"):
		c.vars["amount"] = c.vars["amount"].(int64) + 1
	case x.o.Body.leaves("cart"):
		c.vars["cart"] = "cart-" + newID()
	default:
		x.gap("dialect.mismatch", "the body leaves neither cart nor amount open, so it cannot differ", "put \"{{cart}}\" and \"{{amount}}\" into checkout.body")
		return nil
	}
	a, err := x.checkout(ctx, c, 0)
	x.saw.mismatch, err = x.optional("dialect.mismatch", a, err)
	return ignore(err)
}

// ignore lets an observation go on after a request without an answer.
func ignore(err error) error {
	if errors.Is(err, errSpent) {
		return err
	}
	return nil
}

func (x *observer) keyless(ctx context.Context) error {
	a, err := x.send(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(0), Vars: x.cart().vars})
	x.saw.missing, err = x.optional("dialect.missing", a, err)
	return ignore(err)
}

func (x *observer) malformed(ctx context.Context) error {
	for _, bad := range []struct{ what, tail string }{{"a control character", "\x01x"}, {"letters beyond ASCII", "ключ"}} {
		c := x.cart()
		a, err := x.send(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(0), Vars: c.vars, Keys: []string{x.base.KeyLine(c.key + bad.tail)}})
		answer, err := x.optional("dialect.malformed", a, err)
		switch {
		case answer == nil:
			return ignore(err)
		case refused(*answer):
			x.saw.malformed = append(x.saw.malformed, *answer)
		default:
			x.gap("dialect.malformed", "a key with "+bad.what+" was not refused: "+seen(*answer), "nothing; expect SRS-CHK-001.10 to fail")
		}
	}
	return nil
}

// doubled sends two equal header lines.
func (x *observer) doubled(ctx context.Context) error {
	c := x.cart()
	line := x.base.KeyLine(c.key)
	a, err := x.send(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(0), Vars: c.vars, Keys: []string{line, line}})
	x.saw.duplicate, err = x.optional("dialect.duplicateHeader", a, err)
	return ignore(err)
}

// lengths looks for the longest key: first beyond the bounds that real APIs have,
// upwards, and where the lowest of them is too long already, below it.
func (x *observer) lengths(ctx context.Context) error {
	for _, bound := range []int{128, 255, 256, 1024} {
		longer, err := x.accepts(ctx, bound+1)
		switch {
		case err != nil:
			return ignore(err)
		case longer:
			continue
		case x.saw.longest == bound:
			return nil
		}
		if fits, err := x.accepts(ctx, bound); fits || err != nil {
			return ignore(err)
		}
		break
	}
	for _, bound := range []int{64, 36} {
		fits, err := x.accepts(ctx, bound)
		if err == nil && fits {
			_, err = x.accepts(ctx, bound+1)
		}
		if fits || err != nil {
			return ignore(err)
		}
	}
	return nil
}

// accepts reports whether a key of n characters makes a checkout.
func (x *observer) accepts(ctx context.Context, n int) (bool, error) {
	c := x.cart()
	key := strings.Repeat(c.key, n/len(c.key)+1)[:n]
	a, err := x.send(ctx, harness.Attempt{Operation: harness.OpCheckout, Principal: x.name(0), Vars: c.vars, Keys: []string{x.base.KeyLine(key)}})
	switch {
	case err != nil:
		return false, err
	case success(a):
		x.saw.longest = max(x.saw.longest, n)
		return true, nil
	case refused(a):
		x.saw.shortestRefused = n
		x.saw.malformed = append(x.saw.malformed, a)
	}
	return false, nil
}
