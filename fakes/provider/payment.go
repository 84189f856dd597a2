package provider

import "net/http"

// Tokens with a fate of their own. Any other token succeeds.
const (
	TokenDeclined = "tok_declined" // 402 card_declined, no effect
	TokenRefused  = "tok_refused"  // 402 authorization_refused, no effect
	TokenUnknown  = "tok_unknown"  // commits, then the connection drops
)

// payment is a charge or an authorization.
type payment struct {
	ID        string `json:"id"`
	Status    string `json:"status"` // succeeded, authorized, captured, voided or refunded
	Amount    int64  `json:"amount"` // minor units
	Currency  string `json:"currency"`
	Reference string `json:"reference"`

	kind Kind
}

// pay makes the effect of POST /charges and POST /authorizations.
func (p *Provider) pay(kind Kind, status string) func(request) outcome {
	return func(r request) outcome {
		var in struct {
			Reference string `json:"reference"`
			Amount    int64  `json:"amount"`
			Currency  string `json:"currency"`
			Token     string `json:"token"`
		}
		if bad := decode(r.body, &in); bad != nil {
			return refused(*bad)
		}
		switch {
		case in.Amount <= 0:
			return refused(invalid("amount must be a positive number of minor units"))
		case !isCurrency(in.Currency):
			return refused(invalid("currency must be three upper-case letters"))
		case in.Token == "":
			return refused(invalid("token is missing"))
		case in.Token == TokenDeclined:
			return done(refusal(http.StatusPaymentRequired, "card_declined", "the card was declined"), "")
		case in.Token == TokenRefused:
			return done(refusal(http.StatusPaymentRequired, "authorization_refused", "the issuer refused to authorize the payment"), "")
		}
		made := &payment{ID: newID(string(kind)), Status: status, Amount: in.Amount, Currency: in.Currency, Reference: in.Reference, kind: kind}
		p.payments[made.ID] = made
		p.append(made.entry(kind, r))
		o := done(jsonAnswer(http.StatusCreated, made), made.ID)
		o.drop = in.Token == TokenUnknown
		return o
	}
}

// change makes the effect of voiding, refunding or capturing a payment of kind of. The
// second time it finds the status reached and leaves no entry.
func (p *Provider) change(of, kind Kind, status string) func(request) outcome {
	return func(r request) outcome {
		found := p.payments[r.http.PathValue("id")]
		if found == nil || found.kind != of {
			return refused(refusal(http.StatusNotFound, "not_found", "there is no such "+string(of)))
		}
		if found.Status == status {
			return done(jsonAnswer(http.StatusOK, found), found.ID)
		}
		if found.Status == "voided" || found.Status == "captured" || found.Status == "refunded" {
			return refused(refusal(http.StatusConflict, "invalid_state", "the "+string(of)+" is already "+found.Status))
		}
		found.Status = status
		p.append(found.entry(kind, r))
		return done(jsonAnswer(http.StatusOK, found), found.ID)
	}
}

func (p *Provider) loadPayment(id string) answer { return jsonAnswer(http.StatusOK, p.payments[id]) }

func (y *payment) entry(kind Kind, r request) Entry {
	return Entry{Kind: kind, ID: y.ID, Key: r.key, Reference: y.Reference, CorrelationID: r.correlationID, Amount: y.Amount, Currency: y.Currency}
}

func isCurrency(s string) bool {
	if len(s) != 3 {
		return false
	}
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}
