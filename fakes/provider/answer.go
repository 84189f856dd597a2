package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxBody is more than any honest request needs and little enough that a run of
// thousands of them fits in memory.
const maxBody = 64 << 10

// answer is a complete answer, kept as bytes so that a replay is byte-equal.
type answer struct {
	status int
	body   []byte
}

func (a answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a caller that left is the caller's business; the effect stands
}

// jsonAnswer encodes v, which is always one of this package's own structs.
func jsonAnswer(status int, v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return answer{status: status, body: append(body, '\n')}
}

// problem is the body of every refusal.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func refusal(status int, code, message string) answer {
	return jsonAnswer(status, problem{Code: code, Message: message})
}

// readBody reads at most maxBody bytes. The answer is set if reading failed.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *answer) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, nil
	}
	a := refusal(http.StatusBadRequest, "invalid_request", "the body could not be read: "+err.Error())
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		a = refusal(http.StatusRequestEntityTooLarge, "invalid_request", fmt.Sprintf("the body exceeds %d bytes", maxBody))
	}
	return nil, &a
}

// decode reads one JSON object into v: 400 if it is none, 422 if a member has
// the wrong type. Unknown members are ignored, as most providers do.
func decode(body []byte, v any) *answer {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) {
		a := refusal(http.StatusBadRequest, "invalid_request", "the body is no JSON object")
		return &a
	}
	err := json.Unmarshal(body, v)
	if err == nil {
		return nil
	}
	a := refusal(http.StatusBadRequest, "invalid_request", "the body is no JSON: "+err.Error())
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		a = refusal(http.StatusUnprocessableEntity, "invalid_request", fmt.Sprintf("member %s cannot be a %s", wrongType.Field, wrongType.Value))
	}
	return &a
}

func invalid(message string) answer {
	return refusal(http.StatusUnprocessableEntity, "invalid_request", message)
}
