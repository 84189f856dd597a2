package checkout

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// CorrelationHeader carries the id that ties the logs of all parties together.
const CorrelationHeader = "X-Correlation-ID"

const correlationAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"

// correlationID returns the caller's id, or a new one where the caller sent none
// that is fit to be logged and passed on everywhere.
func correlationID(r *http.Request) string {
	id := r.Header.Get(CorrelationHeader)
	if id == "" || len(id) > 128 || strings.Trim(id, correlationAlphabet) != "" || cardLike(id) {
		return rand.Text()
	}
	return id
}
