package harness

import "time"

// Maintenance is a window in which the target is declared not to be available.
type Maintenance struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Why  string    `json:"why"`
}

// Covers reports whether t lies in the window.
func (m Maintenance) Covers(t time.Time) bool { return !t.Before(m.From) && t.Before(m.To) }
