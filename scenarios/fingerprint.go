package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func fingerprintFields() harness.Scenario {
	every := check.All()
	fields := check.Labelled(string(harness.FieldCart), string(harness.FieldVersion), string(harness.FieldCurrency), string(harness.FieldAmount), string(harness.FieldPayment), string(harness.FieldQuery))
	return harness.Scenario{
		ID:    "idempotency/fingerprint-fields",
		Title: "cart, version, currency, payment and amount: a request that differs in one of them alone is another request, however little it differs",
		Needs: harness.Needs{"checkout", "effects", string(harness.CapFields)},
		Drive: driveFields,
		Checks: []harness.Check{
			answers("SRS-CHK-001.37", "fingerprint-covers-each-field", check.FingerprintCovers(fields)),
			supplement(answers("SRS-CHK-001.37", "borders-of-fields-count", check.ToldApart(check.Labelled(shiftedLabel)))),
			supplement(answers("SRS-CHK-001.37", "case-and-spaces-count", check.Unless(check.FingerprintOfFields, check.ToldApart(check.Labelled(likenedLabel))))),
			effects("SRS-CHK-001.37", "altered-request-has-no-effect", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// driveFields alters one field at a time, each under a key of its own, of a
// request that succeeded. Beside it, it sends what some digests take for the same.
func driveFields(ctx context.Context, s *harness.Session) error {
	fields := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Target().Fields)), func(f harness.Field) bool { return f == harness.FieldOptional })
	near := nearRequests()
	return harness.Parallel(len(fields)+len(near), func(i int) error {
		if i >= len(fields) {
			return near[i-len(fields)].drive(ctx, s)
		}
		c, a := s.Case(string(fields[i])), harness.Attempt{Principal: s.DefaultPrincipal()}
		r := s.Send(ctx, c, a)
		if r.Err != nil {
			return fmt.Errorf("the request that was to be altered got no answer: %w", r.Err)
		}
		altered, err := alter(s, c, fields[i], r.Sent.Body, a)
		if err != nil {
			return err
		}
		s.Send(ctx, c, altered)
		return nil
	})
}

// alter changes what a field of the request says to something of its kind.
func alter(s *harness.Session, c *harness.Case, f harness.Field, body string, a harness.Attempt) (harness.Attempt, error) {
	name := s.Target().Fields[f]
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		return a, errors.New("the body of the checkout is no JSON object, so that no field of it can be altered (checkout.body)")
	}
	switch f {
	case harness.FieldQuery:
		a.Query = "oncecheck=altered"
	case harness.FieldCart:
		a.Vars = map[string]any{"cart": c.Cart + "-other"}
	case harness.FieldAmount:
		a.Vars = map[string]any{"amount": c.Amount + 1}
	case harness.FieldCurrency:
		other := "USD"
		if string(members[name]) == `"USD"` {
			other = "EUR"
		}
		a.Set = map[string]any{name: other}
	default:
		other, err := next(members[name])
		if err != nil {
			return a, fmt.Errorf("alter %s: %w (checkout.fields.%s)", name, err, f)
		}
		a.Set = map[string]any{name: other}
	}
	return a, nil
}

// next returns another value like the given one: a number that is higher by one,
// or a longer text.
func next(value json.RawMessage) (any, error) {
	var number *int64
	if json.Unmarshal(value, &number) == nil && number != nil {
		return *number + 1, nil
	}
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return nil, errors.New("it is neither a whole number nor a text")
	}
	if strings.HasSuffix(*text, "2") {
		return *text + "3", nil
	}
	return *text + "2", nil
}

func fingerprintSpelling() harness.Scenario {
	words, numbers := check.Labelled(string(harness.SpeltReversed), string(harness.SpeltSpaced)), check.Labelled(string(harness.SpeltDecimal))
	escapes := check.Labelled(string(harness.SpeltEscaped))
	return harness.Scenario{
		ID:    "idempotency/fingerprint-spelling",
		Title: "members in another order, white space, 1.0 for 1, and escapes for letters: the same request in other words is a replay",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			spellings, me := harness.Spellings(), s.DefaultPrincipal()
			if s.Target().Fields[harness.FieldCart] == "" { // no text of the body is known to be ours
				spellings = slices.DeleteFunc(spellings, func(w harness.Spelling) bool { return w == harness.SpeltEscaped })
			}
			return harness.Parallel(2*len(spellings), func(i int) error {
				spelt := spellings[i/2]
				usual, other := harness.Attempt{Principal: me}, harness.Attempt{Principal: me, Spelling: spelt}
				if i%2 == 1 {
					usual, other = other, usual
				}
				c := s.Case(fmt.Sprintf("%s-%s", spelt, []string{"second", "first"}[i%2]))
				s.Send(ctx, c, usual)
				s.Send(ctx, c, other)
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.38", "equal-meaning-replayed", check.EqualMeaningReplayed(words)),
			supplement(answers("SRS-CHK-001.38", "equal-numbers-replayed", check.EqualNumbersReplayed(numbers))),
			supplement(needs(answers("SRS-CHK-001.38", "equal-texts-replayed", check.EqualMeaningReplayed(escapes)), string(harness.CapFields))),
			effects("SRS-CHK-001.38", "one-effect-of-each-kind", check.Unless(check.FingerprintOfBytes, check.EachSucceeded(words, check.EffectsMatchSuccesses(words)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

func fingerprintHeaders() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/fingerprint-headers",
		Title: "trace, date, user agent, correlation id, and what proxies and clients add are of the delivery: a request that differs in them is a replay",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: driveHeaders,
		Checks: []harness.Check{
			answers("SRS-CHK-001.39", "volatile-headers-ignored", check.EachSucceeded(every, check.VolatileHeadersIgnored(check.Labelled("delivered-")))),
			supplement(answers("SRS-CHK-001.39", "added-headers-ignored", check.ReplayedOrRefused(check.Labelled("added-")))),
			effects("SRS-CHK-001.39", "one-effect-of-each-kind", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// driveHeaders repeats a checkout with one header changed at a time, and then
// with all of them. Beside it, each of the headers that proxies and clients add is
// added to another one: a target may refuse what it cannot serve.
func driveHeaders(ctx context.Context, s *harness.Session) error {
	me, added := harness.Attempt{Principal: s.DefaultPrincipal()}, addedHeaders(s)
	return harness.Parallel(1+len(added), func(i int) error {
		if i == len(added) {
			deliverOtherwise(ctx, s)
			return nil
		}
		c, with := s.Case(fmt.Sprintf("added-%d", i+1)), me
		with.Header = added[i]
		s.Send(ctx, c, me)
		s.Send(ctx, c, with)
		return nil
	})
}

func deliverOtherwise(ctx context.Context, s *harness.Session) {
	c, me := s.Case("delivered-otherwise"), s.DefaultPrincipal()
	changes := []map[string]string{
		{"Traceparent": newTrace(s)}, {"Date": "Thu, 01 Jan 2026 00:00:00 GMT"}, {"User-Agent": "oncecheck-other/1"},
		{"Traceparent": newTrace(s), "Date": "Fri, 02 Jan 2026 00:00:00 GMT", "User-Agent": "oncecheck-another/2"},
	}
	s.Send(ctx, c, harness.Attempt{Principal: me})
	for _, header := range changes {
		s.Send(ctx, c, harness.Attempt{Principal: me, Header: header})
	}
	s.Send(ctx, c, harness.Attempt{Principal: me, CorrelationID: "corr-" + s.Key("another-correlation")})
}

func newTrace(s *harness.Session) string {
	return fmt.Sprintf("00-%016x%016x-%016x-01", s.Rand().Uint64(), s.Rand().Uint64(), s.Rand().Uint64()|1)
}

// addedHeaders returns what a repeat may carry that the first request did not. None
// of it asks for another answer.
func addedHeaders(s *harness.Session) []map[string]string {
	added := []map[string]string{
		{"X-Request-Id": s.Key("a request id")},
		{"Traceparent": newTrace(s), "Tracestate": "oncecheck=2", "Baggage": "oncecheck=2"},
		{"X-Forwarded-For": "192.0.2.7"},
		{"Accept": "application/json, */*;q=0.1"}, {"Accept-Language": "*"}, {"Accept-Encoding": "identity"},
		{"Content-Type": "application/json; charset=utf-8"},
	}
	return slices.DeleteFunc(added, func(header map[string]string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(header)), func(name string) bool { return strings.EqualFold(name, s.Target().Dialect.Header) })
	})
}

func fingerprintNull() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/fingerprint-null",
		Title: "a member that is null is not one that was left out",
		Needs: harness.Needs{"checkout", "effects", string(harness.CapOptionalField)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			name, me := s.Target().Fields[harness.FieldOptional], s.DefaultPrincipal()
			absent, null := harness.Attempt{Principal: me}, harness.Attempt{Principal: me, Set: map[string]any{name: nil}}
			return harness.Parallel(2, func(i int) error {
				c := s.Case([]string{"the-member-left-out", "the-member-null"}[i])
				first := s.Send(ctx, c, []harness.Attempt{absent, null}[i])
				if first.Err == nil && i == 0 && strings.Contains(first.Sent.Body, `"`+name+`"`) {
					return fmt.Errorf("checkout.body has the member %s, which is said to be left out (checkout.fields.optional)", name)
				}
				s.Send(ctx, c, []harness.Attempt{null, absent}[i])
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.40", "null-is-not-absent", check.NullIsNotAbsent(every)),
			effects("SRS-CHK-001.40", "one-effect-of-each-kind", check.EffectsMatchSuccesses(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}
