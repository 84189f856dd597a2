package stub

import (
	"net/http"
	"slices"
)

func (s *Server) listRequests(*http.Request, []byte) (int, any) {
	found := s.find(func(received) bool { return true })
	slices.Reverse(found) // newest first, as WireMock lists them
	return 200, map[string]any{"requests": events(found), "meta": total(len(found)), "requestJournalDisabled": false}
}

func (s *Server) listUnmatched(*http.Request, []byte) (int, any) {
	found := s.find(func(r received) bool { return r.stub == nil })
	return 200, map[string]any{"requests": requests(found), "requestJournalDisabled": false}
}

func (s *Server) showRequest(r *http.Request, _ []byte) (int, any) {
	found := s.find(withRequestID(r.PathValue("id")))
	if len(found) == 0 {
		return missing("request")
	}
	return 200, found[0].event()
}

func (s *Server) deleteRequest(r *http.Request, _ []byte) (int, any) {
	s.forget(withRequestID(r.PathValue("id")))
	return empty()
}

func (s *Server) countRequests(_ *http.Request, body []byte) (int, any) {
	var p pattern
	if err := parsePattern(&p)("", body); err != nil {
		return refusal(err)
	}
	return 200, map[string]any{"count": len(s.find(p.matches)), "requestJournalDisabled": false}
}

func (s *Server) findRequests(_ *http.Request, body []byte) (int, any) {
	var p pattern
	if err := parsePattern(&p)("", body); err != nil {
		return refusal(err)
	}
	return 200, map[string]any{"requests": requests(s.find(p.matches)), "requestJournalDisabled": false}
}

func (s *Server) removeRequests(_ *http.Request, body []byte) (int, any) {
	var p pattern
	if err := parsePattern(&p)("", body); err != nil {
		return refusal(err)
	}
	return 200, map[string]any{"serveEvents": events(s.forget(p.matches))}
}

func withRequestID(id string) func(received) bool {
	return func(r received) bool { return r.id == id }
}

func events(all []received) []any {
	list := []any{}
	for _, r := range all {
		list = append(list, r.event())
	}
	return list
}

func requests(all []received) []any {
	list := []any{}
	for _, r := range all {
		list = append(list, r.request())
	}
	return list
}
