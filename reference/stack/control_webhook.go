package stack

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// webhookTimeout bounds one webhook, as a provider would.
const webhookTimeout = 5 * time.Second

// postWebhook has the payment provider tell the service of a charge. A run does
// that by itself, for any target; this is for who wants to see what happens.
func (s *supervisor) postWebhook(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Key string `json:"key"`
	}
	if err := readJSON(w, r, &in); err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	body := s.upstreams.world.Webhook(in.Key)
	if body == nil {
		writeError(w, http.StatusNotFound, errors.New("the provider has no charge under that key; the ledger tells which there are"))
		return
	}
	status, err := s.tell(r.Context(), body)
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]int{"status": status})
}

// tell sends a webhook to the first instance and returns how it was answered.
func (s *supervisor) tell(ctx context.Context, body []byte) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	signer, err := standardwebhooks.NewWebhook(s.webhooks)
	if err != nil {
		return 0, fmt.Errorf("sign a webhook: %w", err)
	}
	id, now := "evt_"+rand.Text(), time.Now()
	signature, err := signer.Sign(id, now, body)
	if err != nil {
		return 0, fmt.Errorf("sign a webhook: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url()+"/webhooks/payment", bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("make a webhook: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return 0, fmt.Errorf("send a webhook to the service: %w; is it up?", err)
	}
	return resp.StatusCode, resp.Body.Close()
}
