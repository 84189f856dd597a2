package observe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// The places at which answers of real APIs say what, the usual one first.
func requestPaths() []string {
	return []string{".requestId", ".request_id", ".checkoutId", ".checkout_id", ".checkoutSessionId", ".id", ".data.id"}
}

func orderPaths() []string {
	return []string{".orderId", ".order_id", ".order.id", ".order.orderId", ".data.orderId", ".data.order_id", ".id", ".data.id"}
}

func codePaths() []string { return []string{".code", ".error.code", ".error.type", ".type"} }

// maxText bounds an id or a code: longer texts are neither.
const maxText = 200

// find returns the first of the paths at which the answer's body holds text.
func find(a harness.Answer, paths []string) (path, value string) {
	var body any
	if json.Unmarshal([]byte(a.Body), &body) != nil {
		return "", ""
	}
	for _, path := range paths {
		at := body
		for name := range strings.SplitSeq(path[1:], ".") {
			object, _ := at.(map[string]any)
			at = object[name]
		}
		if text, ok := at.(string); ok && text != "" && len(text) <= maxText {
			return path, text
		}
	}
	return "", ""
}

// named is what an answer says about what it made.
func named(a harness.Answer) string {
	_, request := find(a, requestPaths())
	_, order := find(a, orderPaths())
	return request + "\x00" + order
}

func codeOf(a harness.Answer) string {
	_, code := find(a, codePaths())
	return code
}

func success(a harness.Answer) bool {
	return a.Status >= 200 && a.Status < 300 && a.Status != http.StatusAccepted
}

func refused(a harness.Answer) bool { return a.Status >= 400 && a.Status < 500 }

// seen is an answer in a few words.
func seen(a harness.Answer) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, codeOf(a)))
}

func header(a harness.Answer, name string) string {
	if values := a.Header[http.CanonicalHeaderKey(name)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// marker returns the header that only the replay has, if it says so by its name.
func marker(first, replay harness.Answer) string {
	var names []string
	for name := range replay.Header {
		lower := strings.ToLower(name)
		if _, both := first.Header[name]; !both && (strings.Contains(lower, "replay") || strings.Contains(lower, "idempot") || strings.Contains(lower, "cache")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// format tells the form of a refusal.
func format(a harness.Answer) string {
	var body map[string]any
	switch {
	case strings.HasPrefix(header(a, "Content-Type"), "application/problem+json"):
		return "problem"
	case json.Unmarshal([]byte(a.Body), &body) != nil:
		return ""
	}
	for _, name := range []string{"code", "message", "correlationId", "retryable"} {
		if _, ok := body[name]; !ok {
			return "any"
		}
	}
	return "srs"
}
