// Package telemetry reads what a target tells of its own inside: its metrics, in
// the text form of Prometheus, and its log, a file of JSON lines.
//
// Why not from within: a target is judged by its profile alone, and these two are
// what nearly every service has already. Nothing is asked of it that its
// operators would not ask, too.
//
// Metrics. Names are compared without regard to case, to what separates words,
// and to the ending _total, so that fallback.served, fallback_served_total and
// fallbackServed are one. What has another name is named in the profile:
//
//	fallback.served    counter  failed calls that were answered with a stored result
//	fallback.eligible  counter  failed calls for which a stored result was due
//	feature.enabled    gauge    1 while the feature is on, 0 while it is off; a label
//	                            whose value is the flag's name tells flags apart
//
// A counter is summed over its series: which instance counted is not asked.
//
// Log. A line that is no JSON object is kept as text. Members are found at any
// depth, by names in the same loose sense; attributes of spans may also be a list
// of objects with Key and Value, as the OpenTelemetry exporters write them:
//
//	attempt records   dependency, attempt (from 1), outcome, correlationId, requestId
//	state changes     requestId, fromState or from, toState or to, time, correlationId
//	spans             traceId, spanId, parentSpanId, start, end, failed (or an
//	                  error status), and the members of an attempt as attributes
//
// A file that became shorter was rotated, and is read from its beginning.
package telemetry
