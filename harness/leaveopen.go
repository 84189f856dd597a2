package harness

import "maps"

// LeaveOpen says that nobody can find out what became of the case's requests, so
// that asking again until there is an answer would only take time. Its outcome
// counts as unknown: what rests on effects is not proven by this scenario.
func (s *Session) LeaveOpen(c *Case, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := maps.Clone(s.leftOpen)
	if left == nil {
		left = map[*Case]string{}
	}
	left[c] = why
	s.leftOpen = left
}
