// Package stub is an in-memory server that speaks the part of WireMock's admin
// API that go-wiremock uses, so that canned answers need no Java.
//
// Why not everything: a stub server that quietly ignores a matcher answers
// requests it should not, and a test built on it passes for the wrong reason.
// So a mapping or a query with any field that this package does not carry out
// is refused with 422 and a JSON pointer to that field.
//
// Implemented:
//
//   - request: method, url, urlPattern, urlPath, urlPathPattern, headers,
//     queryParameters, bodyPatterns
//   - values: equalTo (caseInsensitive), contains, doesNotContain, matches,
//     doesNotMatch, absent, equalToJson (ignoreExtraElements), and, or, not
//   - response: status, headers, one of body, jsonBody and base64Body,
//     fixedDelayMilliseconds, delayDistribution of type fixed, fault
//   - priority, scenarioName, requiredScenarioState, newScenarioState
//   - the request journal: all, by id, unmatched, count, find, remove
//
// As in WireMock, patterns match in full, the newest mapping wins within a
// priority, a delay comes before a fault, and a fault ignores status and body.
// Patterns are Go's regular expressions: one that only Java knows is refused.
//
// Different from WireMock, on purpose: finding a mapping and advancing its
// scenario is one atomic step, so "fail once" fails once however many requests
// arrive together; garbage is the same bytes each time; repeated request headers
// are journaled joined by ", ", since arrays break go-wiremock's reader.
package stub
