package stub

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLoadRegistersAllOfAFileOrNothing(t *testing.T) {
	s := New()
	ask := func(path string) int {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if err := s.Load([]byte(`{"request":{"urlPath":"/one"},"response":{"status":202}}`)); err != nil || ask("/one") != 202 {
		t.Errorf("one mapping: %v", err)
	}
	if err := s.Load([]byte(`{"mappings":[]}`)); err != nil {
		t.Errorf("no mapping: %v", err)
	}
	for text, says := range map[string]string{
		`{"mappings":[{"request":{"urlPath":"/two"},"response":{"status":202}},{"request":{"urlPathh":"/x"}}]}`: "read mapping 2: field /request/urlPathh",
		`{"response":{}}`: "field /request",
		`[]`:              "no JSON object",
		``:                "no JSON object",
	} {
		if err := s.Load([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	if got := ask("/two"); got != 404 {
		t.Errorf("half a file was registered: %d", got)
	}
}
