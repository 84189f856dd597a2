package stub

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// received is one request as the journal keeps it.
type received struct {
	id       string
	at       time.Time
	method   string
	url      string // path and query, escaped
	path     string
	host     string
	protocol string
	client   string // IP
	header   http.Header
	query    url.Values
	body     []byte
	stub     *mapping // nil if nothing matched
}

func receive(r *http.Request, body []byte) received {
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr
	}
	return received{
		id: newID(), at: time.Now(), method: r.Method, url: r.URL.RequestURI(), path: r.URL.EscapedPath(),
		host: r.Host, protocol: r.Proto, client: client, header: r.Header.Clone(), query: r.URL.Query(), body: body,
	}
}

// request returns what the journal tells of the request.
func (r received) request() map[string]any {
	headers := map[string]string{}
	for name, values := range r.header {
		headers[name] = strings.Join(values, ", ")
	}
	query := map[string]any{}
	for name, values := range r.query {
		query[name] = map[string]any{"key": name, "values": values}
	}
	host, port := r.host, 0
	if h, p, err := net.SplitHostPort(r.host); err == nil {
		host = h
		port, _ = strconv.Atoi(p)
	}
	return map[string]any{
		"url": r.url, "absoluteUrl": "http://" + r.host + r.url, "method": r.method, "clientIp": r.client,
		"headers": headers, "queryParams": query, "body": string(r.body),
		"bodyAsBase64": base64.StdEncoding.EncodeToString(r.body), "protocol": r.protocol, "scheme": "http",
		"host": host, "port": port, "loggedDate": r.at.UnixMilli(), "loggedDateString": r.at.UTC().Format(time.RFC3339Nano),
	}
}

// event returns the request with what became of it.
func (r received) event() map[string]any {
	e := map[string]any{"id": r.id, "request": r.request(), "wasMatched": r.stub != nil}
	if r.stub != nil {
		e["stubMapping"] = r.stub.document
		e["responseDefinition"] = map[string]any{
			"status": r.stub.response.status, "body": string(r.stub.response.body), "fromConfiguredStub": true,
		}
	}
	return e
}
