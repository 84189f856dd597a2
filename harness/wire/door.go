package wire

import (
	"fmt"
	"sync"
)

// rules are what the doors of a link have in common: what is armed, and who has
// to meet whom.
type rules struct {
	mu       sync.Mutex
	armed    []*armed            // in the order in which they were armed
	meetings map[string]*meeting // by case
}

func newRules() *rules { return &rules{meetings: map[string]*meeting{}} }

// OpenDoor opens another door of the link, with an upstream of its own: another
// instance of what answers behind the first. Exchanges are counted over all doors
// and meet the same faults, and those that have to meet do so whichever door they
// take. A door is closed by itself.
func (l *Link) OpenDoor(upstream string, instance int) (*Link, error) {
	cfg := l.cfg
	cfg.Listen, cfg.Upstream, cfg.Handler, cfg.Instance = "", upstream, nil, instance
	door, err := open(cfg, l.journal, l.rules)
	if err != nil {
		return nil, fmt.Errorf("instance %d: %w", instance+1, err)
	}
	return door, nil
}
