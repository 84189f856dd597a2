package stub

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRefusesWhatItDoesNotImplement(t *testing.T) {
	for _, tt := range []struct{ body, pointer string }{
		{`{"request":{"url":"/","host":{"equalTo":"h"}},"response":{}}`, "/request/host"},
		{`{"request":{"urlPathTemplate":"/{x}"}}`, "/request/urlPathTemplate"},
		{`{"request":{"basicAuthCredentials":{}}}`, "/request/basicAuthCredentials"},
		{`{"request":{"headers":{"A/b~c":{"matchesXPath":"/x"}}}}`, "/request/headers/A~1b~0c/matchesXPath"},
		{`{"request":{"queryParameters":{"a":{"hasExactly":[]}}}}`, "/request/queryParameters/a/hasExactly"},
		{`{"request":{"bodyPatterns":[{"equalTo":"x"},{"matchesJsonPath":"$.a"}]}}`, "/request/bodyPatterns/1/matchesJsonPath"},
		{`{"request":{"bodyPatterns":[{"equalToJson":"{}","ignoreArrayOrder":true}]}}`, "/request/bodyPatterns/0/ignoreArrayOrder"},
		{`{"request":{"bodyPatterns":[{"equalToJson":"${json-unit.any-string}"}]}}`, "/request/bodyPatterns/0/equalToJson"},
		{`{"request":{"bodyPatterns":[{"contains":"x","caseInsensitive":true}]}}`, "/request/bodyPatterns/0/caseInsensitive"},
		{`{"request":{"bodyPatterns":[{"equalTo":"x","contains":"y"}]}}`, "/request/bodyPatterns/0"},
		{`{"request":{"bodyPatterns":[{}]}}`, "/request/bodyPatterns/0"},
		{`{"request":{"bodyPatterns":[{"and":[{"or":[{"equalToXml":"<a/>"}]}]}]}}`, "/request/bodyPatterns/0/and/0/or/0/equalToXml"},
		{`{"request":{"urlPattern":"(?=x)"}}`, "/request/urlPattern"},
		{`{"request":{"url":5}}`, "/request/url"},
		{`{"request":{},"response":{"transformers":["response-template"]}}`, "/response/transformers"},
		{`{"request":{},"response":{"status":99}}`, "/response/status"},
		{`{"request":{},"response":{"status":200.5}}`, "/response/status"},
		{`{"request":{},"response":{"body":"a","jsonBody":1}}`, "/response"},
		{`{"request":{},"response":{"fixedDelayMilliseconds":-1}}`, "/response"},
		{`{"request":{},"response":{"delayDistribution":{"type":"uniform","lower":1,"upper":2}}}`, "/response/delayDistribution/lower"},
		{`{"request":{},"response":{"fault":"SLOW"}}`, "/response/fault"},
		{`{"request":{},"response":{"proxyBaseUrl":"http://x"}}`, "/response/proxyBaseUrl"},
		{`{"request":{},"postServeActions":[]}`, "/postServeActions"},
		{`{"request":{},"requiredScenarioState":"x"}`, "/scenarioName"},
		{`{"request":{},"priority":0}`, "/priority"},
		{`{"request":{},"id":"a","uuid":"b"}`, "/uuid"},
		{`{"response":{}}`, "/request"},
		{`[]`, ""},
		{`nope`, ""},
		{`null`, ""},
	} {
		_, err := parseMapping([]byte(tt.body))
		var field *fieldError
		if !errors.As(err, &field) || field.pointer != tt.pointer {
			t.Errorf("%s: %v, wanted pointer %q", tt.body, err, tt.pointer)
		}
	}
}

func TestARefusalNamesTheFieldOverHTTP(t *testing.T) {
	for _, path := range []string{"/__admin/mappings", "/__admin/requests/count", "/__admin/requests/find", "/__admin/requests/remove"} {
		w := httptest.NewRecorder()
		New().Handler().ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(`{"cookies":{}}`)))
		if w.Code != 422 || !strings.Contains(w.Body.String(), `"pointer":"/cookies"`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestAnAdminRouteThatIsNotImplementedIsNoStub(t *testing.T) {
	s := New()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/__admin/recordings/status", nil))
	if w.Code != 404 || len(s.journal) != 0 {
		t.Errorf("%d, %d journaled", w.Code, len(s.journal))
	}
}

// WireMock lists repeated headers as an array, which go-wiremock cannot read.
func TestRepeatedHeadersAreJournaledAsText(t *testing.T) {
	s := New()
	r := httptest.NewRequest("GET", "/x", nil)
	r.Header["X-Two"] = []string{"a", "b"}
	s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/__admin/requests", nil))
	if !strings.Contains(w.Body.String(), `"X-Two":"a, b"`) {
		t.Errorf("%s", w.Body)
	}
}

func TestARequestThatIsTooLargeIsNotJournaled(t *testing.T) {
	s := New()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/x", strings.NewReader(strings.Repeat("x", maxBody+1))))
	if w.Code != 413 || len(s.journal) != 0 {
		t.Errorf("%d, %d journaled", w.Code, len(s.journal))
	}
}

// Whatever comes in is refused by naming a field, or can be listed and matched.
func FuzzParseMapping(f *testing.F) {
	f.Add([]byte(`{"id":"1","request":{"method":"GET","urlPathPattern":"/a/.*","headers":{"X":{"absent":true}}},"response":{"status":503,"headers":{"Retry-After":"1"},"jsonBody":{"a":1}}}`))
	f.Add([]byte(`{"request":{"bodyPatterns":[{"and":[{"equalToJson":{"a":[1,2.0]},"ignoreExtraElements":true},{"not":{"matches":"a|b"}}]}]},"response":{"base64Body":"AA==","delayDistribution":{"type":"fixed","milliseconds":1}},"scenarioName":"s","newScenarioState":"t","priority":1}`))
	f.Add([]byte(`{"request":null}`))
	f.Add([]byte(`{"request":{"url":"/","queryParameters":{"a":{"equalTo":"A","caseInsensitive":true}}},"response":{"fault":"EMPTY_RESPONSE"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMapping(raw)
		if err != nil {
			var field *fieldError
			if !errors.As(err, &field) {
				t.Fatalf("%q: %v names no field", raw, err)
			}
			return
		}
		s := New()
		s.add(m)
		if again, err := parseMapping(m.document); err != nil || again.id != m.id {
			t.Fatalf("%q is listed as %q, which does not parse: %v", raw, m.document, err)
		}
		s.take(receive(httptest.NewRequest("GET", "/a/b?a=b", nil), []byte(`{"a":[1,2]}`)))
	})
}
