package provider

import "net/http"

type reservation struct {
	ID        string `json:"id"`
	Status    string `json:"status"` // reserved or released
	Reference string `json:"reference"`
	Quantity  int64  `json:"quantity"`
}

// reserve is the effect of POST /reservations.
func (p *Provider) reserve(r request) outcome {
	var in struct {
		Reference string `json:"reference"`
		Quantity  int64  `json:"quantity"`
	}
	if bad := decode(r.body, &in); bad != nil {
		return refused(*bad)
	}
	if in.Quantity <= 0 {
		return refused(invalid("quantity must be positive"))
	}
	made := &reservation{ID: newID("reservation"), Status: "reserved", Reference: in.Reference, Quantity: in.Quantity}
	p.reservations[made.ID] = made
	p.append(Entry{Kind: KindReservation, ID: made.ID, Key: r.key, Reference: made.Reference, CorrelationID: r.correlationID})
	return done(jsonAnswer(http.StatusCreated, made), made.ID)
}

// release is the effect of POST /reservations/{id}/release. The second time it
// finds the reservation released and leaves no entry.
func (p *Provider) release(r request) outcome {
	found := p.reservations[r.http.PathValue("id")]
	if found == nil {
		return refused(refusal(http.StatusNotFound, "not_found", "there is no such reservation"))
	}
	if found.Status != "released" {
		found.Status = "released"
		p.append(Entry{Kind: KindRelease, ID: found.ID, Key: r.key, Reference: found.Reference, CorrelationID: r.correlationID})
	}
	return done(jsonAnswer(http.StatusOK, found), found.ID)
}

func (p *Provider) loadReservation(id string) answer {
	return jsonAnswer(http.StatusOK, p.reservations[id])
}
