package stub

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
)

// adminFunc answers one admin request: a status and a JSON body.
type adminFunc func(r *http.Request, body []byte) (int, any)

// admin returns the admin API.
func (s *Server) admin() http.Handler {
	routes := map[string]adminFunc{
		"GET /__admin/health": func(*http.Request, []byte) (int, any) {
			return 200, map[string]any{"status": "healthy", "message": "stub server is ok"}
		},
		"POST /__admin/reset":           func(*http.Request, []byte) (int, any) { s.reset(true, true, true); return empty() },
		"POST /__admin/scenarios/reset": func(*http.Request, []byte) (int, any) { s.reset(false, false, true); return empty() },
		"GET /__admin/scenarios":        s.listScenarios,

		"GET /__admin/mappings":         s.listMappings,
		"POST /__admin/mappings":        s.createMapping,
		"DELETE /__admin/mappings":      func(*http.Request, []byte) (int, any) { s.reset(true, false, true); return empty() },
		"POST /__admin/mappings/reset":  func(*http.Request, []byte) (int, any) { s.reset(true, false, true); return empty() },
		"GET /__admin/mappings/{id}":    s.showMapping,
		"DELETE /__admin/mappings/{id}": s.deleteMapping,

		"GET /__admin/requests":           s.listRequests,
		"DELETE /__admin/requests":        func(*http.Request, []byte) (int, any) { s.reset(false, true, false); return empty() },
		"GET /__admin/requests/unmatched": s.listUnmatched,
		"GET /__admin/requests/{id}":      s.showRequest,
		"DELETE /__admin/requests/{id}":   s.deleteRequest,
		"POST /__admin/requests/count":    s.countRequests,
		"POST /__admin/requests/find":     s.findRequests,
		"POST /__admin/requests/remove":   s.removeRequests,
	}
	mux := http.NewServeMux()
	for route, answer := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			body, ok := readBody(w, r)
			if !ok {
				return
			}
			status, v := answer(r, body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(v) // a caller that left needs no answer
		})
	}
	return mux
}

func empty() (int, any) { return 200, struct{}{} }

// refusal answers as WireMock does for a document it cannot use.
func refusal(err error) (int, any) {
	problem := map[string]any{"code": 10, "title": err.Error()}
	var field *fieldError
	if errors.As(err, &field) {
		problem["source"] = map[string]string{"pointer": field.pointer}
		problem["detail"] = field.reason
	}
	return 422, map[string]any{"errors": []any{problem}}
}

func missing(what string) (int, any) {
	return 404, map[string]any{"errors": []any{map[string]any{"code": 50, "title": "there is no such " + what}}}
}

func (s *Server) createMapping(_ *http.Request, body []byte) (int, any) {
	m, err := parseMapping(body)
	if err != nil {
		return refusal(err)
	}
	s.add(m)
	return 201, m.document
}

func (s *Server) listMappings(*http.Request, []byte) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	documents := []json.RawMessage{}
	for _, m := range slices.Backward(s.mappings) {
		documents = append(documents, m.document)
	}
	return 200, map[string]any{"mappings": documents, "meta": total(len(documents))}
}

func (s *Server) showMapping(r *http.Request, _ []byte) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.mappings {
		if m.id == r.PathValue("id") {
			return 200, m.document
		}
	}
	return missing("mapping")
}

func (s *Server) deleteMapping(r *http.Request, _ []byte) (int, any) {
	if !s.remove(r.PathValue("id")) {
		return missing("mapping")
	}
	return empty()
}

func (s *Server) listScenarios(*http.Request, []byte) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for _, m := range s.mappings {
		if m.scenario != "" {
			names[m.scenario] = true
		}
	}
	scenarios := []any{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		scenarios = append(scenarios, map[string]string{"id": name, "name": name, "state": s.state(name)})
	}
	return 200, map[string]any{"scenarios": scenarios}
}

func total(n int) map[string]int { return map[string]int{"total": n} }
