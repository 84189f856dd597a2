package mutants

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"

	"github.com/oncecheck/oncecheck/reference/client"
)

func brokenMutants() []Mutant {
	return []Mutant{{
		Name:   "reset-is-final",
		Breaks: "gives up when a connection is reset",
		Kills:  []string{"SRS-RES-001.31", "SRS-RES-001.33", "SRS-RES-001.65"},
		Client: final(func(a client.Attempt) bool { return errors.Is(a.Err, syscall.ECONNRESET) }),
	}, {
		Name:   "empty-reply-is-final",
		Breaks: "gives up when a connection is closed without a word",
		Kills:  []string{"SRS-RES-001.32", "SRS-RES-001.65"},
		Client: final(func(a client.Attempt) bool { return errors.Is(a.Err, io.EOF) }),
	}, {
		Name:   "timeout-is-final",
		Breaks: "gives up when an attempt is not answered in time",
		Kills:  []string{"SRS-RES-001.34"},
		Client: final(func(a client.Attempt) bool { return a.Class == client.Timeout }),
	}, {
		Name:   "partial-success",
		Breaks: "returns what came of an answer before the connection broke",
		Kills:  []string{"SRS-RES-001.33"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				inner := resp.Body
				resp.ContentLength, resp.TransferEncoding = -1, []string{"chunked"}
				resp.Body = body{readFunc(func(b []byte) (int, error) {
					n, err := inner.Read(b)
					if err != nil && r.Context().Err() == nil {
						err = io.EOF
					}
					return n, err
				}), inner.Close}
			}
			return resp, err
		}),
	}, {
		Name:   "garbage-is-success",
		Breaks: "takes an answer that is not HTTP for an empty one",
		Kills:  []string{"SRS-RES-001.42"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err != nil && strings.Contains(err.Error(), "malformed") {
				return answer(r, http.StatusOK, ""), nil
			}
			return resp, err
		}),
	}}
}
