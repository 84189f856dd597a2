package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// paid is a story in which all payment data goes over the wire, with requests that
// end in every way.
func paid() *story {
	s := newStory()
	s.header.Capabilities = append(s.header.Capabilities, harness.CapLogs)
	body := harness.CanaryCard.Marker() + harness.CanaryCVC.Marker() + harness.CanaryToken.Marker()
	ask := func(c, digest string) harness.Request {
		s.call(c, harness.Call{Link: harness.LinkClient, Method: "POST", Path: "/checkout", BodySHA256: digest})
		return harness.Request{Keys: []string{"k"}, Body: body, BodySHA256: digest}
	}
	s.send("a", ask("a", "b1"), created).charge("a", "provider-key-1", "", 201).send("a", ask("a", "b2"), conflict)
	s.send("b", ask("b", "b3"), invalid).send("c", ask("c", "b4"), declined).send("d", ask("d", "b5"), harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE"})
	return s.send("a", statusRead, described())
}

func TestPaymentKeptFromAnswers(t *testing.T) {
	unsent := newStory().send("a", keyK, created).send("a", statusRead, described())
	unseen := paid()
	for i, e := range unseen.events {
		if e.Type == harness.CallEvent && e.Call.Link == harness.LinkClient {
			other := *e.Call
			other.BodySHA256 = "other"
			unseen.events[i].Call = &other
		}
	}
	inHeader := harness.Answer{Status: 200, RequestID: "r1", Header: map[string][]string{"X-Debug": {harness.CanaryToken.Marker()}}}
	judgeAll(t, PaymentKeptFromAnswers(All()),
		judged{"nothing is repeated", paid(), harness.Pass},
		judged{"a card number in an error", paid().send("b", keyK, harness.Answer{Status: 400, Body: "no such field: " + harness.CanaryCard.Marker()}), harness.Fail},
		judged{"a token in a header", paid().send("a", statusRead, inHeader), harness.Fail},
		judged{"a provider's key", paid().send("a", statusRead, harness.Answer{Status: 200, Body: `{"debug":"provider-key-1"}`}), harness.Fail},
		judged{"nothing was sent", unsent, harness.Inconclusive},
		judged{"what was sent did not pass the link", unseen, harness.Inconclusive},
	)
}

func TestPaymentKeptFromLog(t *testing.T) {
	logged := func(s *story, line string) *story {
		s.add(harness.Event{Type: harness.LogEvent, Case: "t/s/a", Log: &harness.LogRecord{Line: line}})
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": 1}}})
	}
	measured := func(text string) *story {
		return logged(paid(), "state").add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkMetrics, Detail: text, Count: map[string]int64{"lines": 1}}})
	}
	half := newStory()
	half.header.Capabilities = paid().header.Capabilities
	half.events = paid().events[:4]
	nobodys := paid().add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": 1}}})
	judgeAll(t, PaymentKeptFromLog(All()),
		judged{"nothing is logged", logged(paid(), "state"), harness.Pass},
		judged{"a token is logged", logged(paid(), harness.CanaryToken.Marker()), harness.Fail},
		judged{"a card number is measured", measured(`errors{pan="` + harness.CanaryCard.Marker() + `"} 1`), harness.Fail},
		judged{"not every outcome was there", logged(half, "state"), harness.Inconclusive},
		judged{"the log was not read", paid(), harness.Inconclusive},
		judged{"the log tells nothing of these requests", nobodys, harness.Inconclusive},
	)
	down := func(body string, answer harness.Answer) *story {
		s := newStory()
		s.header.Capabilities = append(s.header.Capabilities, harness.CapLogs)
		s.call("a", harness.Call{Link: harness.LinkClient, Method: "POST", Path: "/checkout", BodySHA256: "b1"})
		return s.send("a", harness.Request{Keys: []string{"k"}, Body: body, BodySHA256: "b1"}, answer)
	}
	token, unavailable := harness.CanaryToken.Marker(), harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE"}
	judgeAll(t, TokenKeptFromLog(All()),
		judged{"nothing is logged", logged(down(token, unavailable), "state"), harness.Pass},
		judged{"the token is logged", logged(down(token, unavailable), token), harness.Fail},
		judged{"no token was sent", logged(down("{}", unavailable), "state"), harness.Inconclusive},
		judged{"it was available", logged(down(token, created), "state"), harness.Inconclusive},
		judged{"the log was not read", down(token, unavailable), harness.Inconclusive},
		judged{"nothing", newStory(), harness.Inconclusive},
	)
}

func TestPaymentKeptFromStore(t *testing.T) {
	searched := func(s *story, count map[string]int64) *story {
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkStorage, Detail: "shop.db", Count: count}})
	}
	judgeAll(t, PaymentKeptFromStore(All()),
		judged{"only a token", searched(paid(), map[string]int64{"card": 0, "cvc": 0, "token": 2, harness.StoredControl: 1}), harness.Pass},
		judged{"a card number in one of two files", searched(searched(paid(), map[string]int64{"card": 0, "cvc": 0, harness.StoredControl: 1}), map[string]int64{"card": 1, "cvc": 0}), harness.Fail},
		judged{"a verification value", searched(paid(), map[string]int64{"card": 0, "cvc": 1, harness.StoredControl: 1}), harness.Fail},
		judged{"the cart is not found either", searched(paid(), map[string]int64{"card": 0, "cvc": 0}), harness.Inconclusive},
		judged{"no file was searched", paid(), harness.Inconclusive},
		judged{"not for verification values", searched(paid(), map[string]int64{"card": 0, harness.StoredControl: 1}), harness.Inconclusive},
		judged{"nothing was sent", searched(newStory(), map[string]int64{"card": 0, "cvc": 0, harness.StoredControl: 1}), harness.Inconclusive},
	)
}
