package checkout

import (
	_ "embed" // the description is a document of its own
	"net/http"
)

//go:embed openapi.json
var openAPI string

// OpenAPI returns the description of the API in OpenAPI 3.1: what may be asked, and
// every answer that there is to it.
func OpenAPI() []byte { return []byte(openAPI) }

// pathOpenAPI is where the description is. It says nothing that a caller could not
// find out, so nobody has to prove who he is for it.
const pathOpenAPI = "/openapi.json"

func documented() Answer {
	return Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: OpenAPI()}
}
