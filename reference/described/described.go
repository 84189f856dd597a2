package described

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Description is an API's description. It is safe for concurrent use.
type Description struct{ router routers.Router }

// New reads a document, which has to be a valid one.
func New(ctx context.Context, document []byte) (*Description, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	if err := doc.Validate(ctx); err != nil {
		return nil, fmt.Errorf("the description is no valid OpenAPI document: %w", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("read the routes of the description: %w", err)
	}
	return &Description{router}, nil
}

// Answer says what is wrong with an answer. Known is false for a route that the
// document does not describe.
func (d *Description) Answer(ctx context.Context, method, path string, status int, header http.Header, body []byte) (known bool, err error) {
	request, err := http.NewRequestWithContext(ctx, method, path, nil)
	if err != nil {
		return false, nil // no URL, so no route either
	}
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		return false, nil
	}
	err = openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: route, PathParams: parameters},
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		return true, fmt.Errorf("%s %s answered %d: %w", method, path, status, err)
	}
	return true, nil
}
