package exchange

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Forever stands for every wish beyond it, so that adding to one cannot wrap
// around to the past.
const Forever = 100 * 365 * 24 * time.Hour

// RetryAfter reads how long the peer asks to be left alone: seconds, or any of
// the three HTTP date forms. Of several header lines the larger wish counts: to
// wait too long is a delay, to come too early breaks what was asked. What is
// absent, past, negative or garbage is no wish at all.
func RetryAfter(h http.Header, now time.Time) (longest time.Duration) {
	for _, line := range h.Values("Retry-After") {
		line = strings.TrimSpace(line)
		seconds, err := strconv.ParseUint(line, 10, 64) // beyond its range: the largest number
		if at, notDate := http.ParseTime(line); notDate == nil {
			longest = max(longest, min(at.Sub(now), Forever))
		} else if err == nil || errors.Is(err, strconv.ErrRange) {
			longest = max(longest, time.Duration(min(seconds, uint64(Forever/time.Second)))*time.Second)
		}
	}
	return longest
}
