package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// forever stands for every wish beyond it, so that adding to one cannot wrap
// around to the past.
const forever = 100 * 365 * 24 * time.Hour

// RetryAfter is the default [Seams.RetryAfter]. Of several header lines the
// larger wish counts: to wait too long is a delay, to come too early breaks what
// was asked. What is absent, past, negative or garbage is no wish at all.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for _, value := range h.Values("Retry-After") {
		longest = max(longest, parseRetryAfter(value, now))
	}
	return longest
}

// parseRetryAfter reads seconds or any of the three HTTP date forms. What is
// absurdly far away becomes [forever].
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(forever/time.Second) {
			return forever
		}
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), forever)
	}
	return 0
}

func digits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
