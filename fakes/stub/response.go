package stub

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// response is what a mapping answers.
type response struct {
	status int
	header map[string]string
	body   []byte
	delay  time.Duration
	fault  string
}

// The faults, which end the connection in place of the answer.
const (
	faultEmpty     = "EMPTY_RESPONSE"           // FIN without a byte
	faultReset     = "CONNECTION_RESET_BY_PEER" // RST without a byte
	faultMalformed = "MALFORMED_RESPONSE_CHUNK" // a status line, then no valid chunk
	faultGarbage   = "RANDOM_DATA_THEN_CLOSE"   // no HTTP at all
)

// garbage is no HTTP and no chunk, and the same each time.
const garbage = "\x00\xffthis is not HTTP\xff\x00\r\n"

func parseResponse(dst *response) reader {
	return func(pointer string, raw json.RawMessage) error {
		var text *string
		var document json.RawMessage
		var binary []byte
		var fixed, distributed *int64
		err := object(map[string]reader{
			"status": into(&dst.status),
			"headers": func(pointer string, raw json.RawMessage) error {
				dst.header = map[string]string{}
				return into(&dst.header)(pointer, raw)
			},
			"body":                   into(&text),
			"jsonBody":               into(&document),
			"base64Body":             into(&binary),
			"fixedDelayMilliseconds": into(&fixed),
			"delayDistribution":      parseDistribution(&distributed),
			"fault":                  into(&dst.fault),
		})(pointer, raw)
		if err != nil {
			return err
		}
		bodies := 0
		if text != nil {
			bodies++
			dst.body = []byte(*text)
		}
		if document != nil {
			bodies++
			dst.body = document
		}
		if binary != nil {
			bodies++
			dst.body = binary
		}
		for _, ms := range []*int64{fixed, distributed} {
			if ms == nil {
				continue
			}
			if *ms < 0 || *ms > int64(time.Hour/time.Millisecond) {
				return &fieldError{pointer, "has a delay that is not between 0 and one hour"}
			}
			dst.delay += time.Duration(*ms) * time.Millisecond
		}
		switch {
		case bodies > 1:
			return &fieldError{pointer, "has more than one of body, jsonBody and base64Body"}
		case dst.status < 200 || dst.status > 599:
			return &fieldError{pointer + "/status", "must be from 200 to 599"}
		}
		switch dst.fault {
		case "", faultEmpty, faultReset, faultMalformed, faultGarbage:
			return nil
		}
		return &fieldError{pointer + "/fault", "is not implemented by this stub server"}
	}
}

// parseDistribution reads a delay of fixed length. Random ones are refused: a
// run that cannot be repeated proves nothing.
func parseDistribution(dst **int64) reader {
	return func(pointer string, raw json.RawMessage) error {
		var kind string
		err := object(map[string]reader{"type": into(&kind), "milliseconds": into(dst)})(pointer, raw)
		if err == nil && (kind != "fixed" || *dst == nil) {
			err = &fieldError{pointer + "/type", "must be fixed, with milliseconds"}
		}
		return err
	}
}

// write answers, or ends the connection as the fault says. It gives up when the
// caller leaves during the delay.
func (a *response) write(ctx context.Context, w http.ResponseWriter) {
	if a.delay > 0 {
		timer := time.NewTimer(a.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			panic(http.ErrAbortHandler)
		}
	}
	if a.fault != "" {
		a.breakOff(w)
		return
	}
	w.Header()["Content-Type"] = nil // send none unless the stub has one; net/http would guess
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a caller that left needs no answer
}

func (a *response) breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// No connection to act on (HTTP/2, or a test's recorder): the nearest is to
		// drop the exchange.
		panic(http.ErrAbortHandler)
	}
	switch a.fault {
	case faultReset:
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // makes Close send RST
		}
	case faultMalformed:
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+garbage)
	case faultGarbage:
		_, _ = io.WriteString(conn, garbage)
	}
	_ = conn.Close()
}
