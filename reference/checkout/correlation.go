package checkout

import (
	"net/http"

	"github.com/oncecheck/oncecheck/reference/client"
)

// CorrelationHeader carries the id that ties the logs of all parties together.
const CorrelationHeader = "X-Correlation-ID"

// correlationID returns the caller's id, or a new one where the caller sent none
// that is fit to be logged and passed on everywhere: a card number is not.
func correlationID(r *http.Request) string {
	id := r.Header.Get(CorrelationHeader)
	if cardLike(id) {
		id = ""
	}
	return client.Correlate(id)
}
