package provider

import "time"

// Webhook returns what the payment provider tells by itself of the charge that was
// made under a key, as the body of a webhook; nil if there is none. Who is told, and
// how that is signed, is the business of whoever sends it.
func (p *Provider) Webhook(key string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.payments[p.keys[routeKey{"charges", key}].resource]
	if made == nil {
		return nil
	}
	type told struct {
		*payment
		Key string `json:"key"`
	}
	return jsonAnswer(0, struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      told      `json:"data"`
	}{string(made.kind) + "." + made.Status, p.now().UTC(), told{made, key}}).body
}
