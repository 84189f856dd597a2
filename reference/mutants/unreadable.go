package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// unreadableMutants leave a body that is no JSON object to whatever reads it.
func unreadableMutants() []Mutant {
	return []Mutant{{
		Name:   "bad-json-has-a-code-of-its-own",
		Breaks: "answers a body that is no JSON with a code that is no public one",
		Kills:  []string{"SRS-CHK-IF.02"},
		Wrap: unreadable(func(body []byte) bool { return len(body) > 0 && !json.Valid(body) },
			func(a *checkout.Answer) {
				a.Body = bytes.Replace(a.Body, []byte(checkout.CodeValidation), []byte("BAD_REQUEST"), 1)
			}),
	}, {
		Name:   "empty-body-has-a-page",
		Breaks: "lets its framework answer a request without a body, with a page for people",
		Kills:  []string{"SRS-CHK-IF.02", "SRS-CHK-IF.03"},
		Wrap: unreadable(func(body []byte) bool { return len(body) == 0 },
			func(a *checkout.Answer) {
				a.Header.Set("Content-Type", "text/html")
				a.Body = []byte("<h1>Bad Request</h1>")
			}),
	}, {
		Name:   "array-body-has-a-list-of-errors",
		Breaks: "answers an array in place of an object with a list of errors",
		Kills:  []string{"SRS-CHK-IF.02", "SRS-CHK-IF.03"},
		Wrap: unreadable(func(body []byte) bool { return bytes.HasPrefix(body, []byte("[")) && json.Valid(body) },
			func(a *checkout.Answer) { a.Body = []byte(`{"errors":["body must be an object"]}`) }),
	}}
}

// unreadable changes the answer to the bodies that it is about.
func unreadable(about func(body []byte) bool, change func(*checkout.Answer)) func(*checkout.Config) {
	why := errors.New("the body cannot be read")
	return func(c *checkout.Config) {
		decode, write := c.Decode, c.Write
		c.Decode = func(body []byte) (checkout.Order, error) {
			if about(body) {
				return checkout.Order{}, why
			}
			return decode(body)
		}
		c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
			if a.Status == http.StatusBadRequest && bytes.Contains(a.Body, []byte(why.Error())) {
				change(&a)
			}
			write(w, r, a)
		}
	}
}
