package caller

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// decoded returns the body without its content coding. None is ever asked for,
// but some servers and proxies compress all the same. Gzip is undone, since two
// answers may be the same and their compressed bytes not; anything else is an
// error, since a body that nobody can read must not be judged.
func decoded(r *http.Response) (io.Reader, error) {
	coding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ", ")))
	switch coding {
	case "", "identity":
		return r.Body, nil
	case "gzip", "x-gzip":
		body := bufio.NewReader(r.Body)
		if _, err := body.Peek(1); err == io.EOF {
			return body, nil // no body has no coding, whatever the head says
		}
		plain, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("it says that it is compressed with gzip: %w", err)
		}
		return plain, nil
	}
	return nil, fmt.Errorf("it is in the content coding %q, which was not asked for; have the target send it only to callers that accept it", coding)
}
