package exchange

import (
	"net/http"
	"testing"
	"time"
)

func one(value string, now time.Time) time.Duration {
	return RetryAfter(http.Header{"Retry-After": {value}}, now)
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 8, 8, 49, 30, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "x": 0,
		"9223372036854775807": Forever, "99999999999999999999": Forever,
		"Sun, 08 Nov 2026 08:49:37 GMT":  7 * time.Second,
		"Sunday, 08-Nov-26 08:49:37 GMT": 7 * time.Second,
		"Sun Nov  8 08:49:37 2026":       7 * time.Second,
		"Sun, 08 Nov 2025 08:49:37 GMT":  0,
	} {
		if got := one(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "Sun, 08 Nov 2026 08:49:37 GMT", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if got := one(value, time.Unix(0, 0)); got < 0 || got > Forever {
			t.Fatalf("%q: %v is outside 0 to %v", value, got, Forever)
		}
	})
}

func TestTheLargerWishCounts(t *testing.T) {
	now := time.Unix(0, 0)
	for name, tc := range map[string]struct {
		values []string
		want   time.Duration
	}{
		"none":              {nil, 0},
		"two":               {[]string{"1", "5"}, 5 * time.Second},
		"larger one first":  {[]string{"5", "1"}, 5 * time.Second},
		"one of them lies":  {[]string{"soon", "3"}, 3 * time.Second},
		"two on one line":   {[]string{"1, 5"}, 0},
		"seconds and a day": {[]string{"7", "Thu, 01 Jan 1970 00:00:09 GMT"}, 9 * time.Second},
	} {
		if got := RetryAfter(http.Header{"Retry-After": tc.values}, now); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
