package provider

import "net/http"

type order struct {
	ID            string `json:"id"`
	Status        string `json:"status"` // created
	Reference     string `json:"reference"`
	Amount        int64  `json:"amount"` // minor units
	Currency      string `json:"currency"`
	ChargeID      string `json:"chargeId"`
	ReservationID string `json:"reservationId"`
}

// create is the effect of POST /orders.
func (p *Provider) create(r request) outcome {
	var made order
	if bad := decode(r.body, &made); bad != nil {
		return refused(*bad)
	}
	switch {
	case made.Amount <= 0:
		return refused(invalid("amount must be a positive number of minor units"))
	case !isCurrency(made.Currency):
		return refused(invalid("currency must be three upper-case letters"))
	}
	made.ID, made.Status = newID("order"), "created"
	p.orders[made.ID] = made
	p.append(Entry{Kind: KindOrder, ID: made.ID, Key: r.key, Reference: made.Reference, CorrelationID: r.correlationID, Amount: made.Amount, Currency: made.Currency})
	return done(jsonAnswer(http.StatusCreated, made), made.ID)
}

func (p *Provider) loadOrder(id string) answer { return jsonAnswer(http.StatusOK, p.orders[id]) }
