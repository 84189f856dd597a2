// Package telemetry makes the calls of reference/client visible: a span per call
// and one per attempt, a log record per attempt, and counters.
//
// Retries hide trouble, which is what they are for. So whoever operates a system
// that retries has to see each attempt and not only the call that went well in
// the end: the attempts divided by the calls are the first sign of a dependency
// in trouble, and at their worst the load that we add to it.
//
// What is written down is a short list of words of our own: the dependency's
// name, the method, numbers, outcomes and the correlation id. No URL, header,
// body or text of a peer's can get into it, because [client.Observer] is not
// given any; redaction that is not needed cannot fail. The correlation id is in
// logs and spans only, for as a label of a metric it would make a series per
// call.
//
//	counter    client.attempts       dependency, outcome (a client.Class)
//	histogram  client.call.duration  dependency, outcome (the code of a client.Outcome); in seconds, its count is that of calls
//	log        attempt               dependency, method, attempt, outcome, status, unknown, durationMs, correlationId
//	span       METHOD DEPENDENCY     a call; an error if there was no answer
//	span       attempt               its children; an error if it failed
package telemetry
