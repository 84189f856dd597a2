package toxiproxy

import (
	"context"
	"fmt"
	"strings"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/oncecheck/oncecheck/harness"
)

// StoreLink is the link between a target and its store, which runs through a proxy
// of a toxiproxy that somebody else runs. Its toxics act on every connection. It
// has no lease: if we die, the link stays as it is until somebody opens it.
//
//   - cut: the proxy is disabled. Open connections are closed, new ones refused.
//   - stall: timeout toxics without end drop whatever is sent either way. The
//     connections they had are closed at the end, since what they carried is torn.
//   - slow: a latency toxic holds back what the target sends. A transaction of
//     several round trips waits at each of them.
//   - lost: not here. A toxic sees bytes, and not which of them answer a
//     reservation.
type StoreLink struct {
	api   *toxiclient.Client
	url   string
	proxy string
	limit time.Duration
}

var _ harness.StoreLink = (*StoreLink)(nil)

const (
	// storeLimit is how long one change may take where nobody says otherwise.
	storeLimit = 30 * time.Second
	// storeToxic begins the names of our toxics, which tells them from others'.
	storeToxic = "oncecheck-store-"
)

// NewStoreLink returns the link that a proxy of the toxiproxy at apiURL carries. A
// limit of 0 is 30 s.
func NewStoreLink(apiURL, proxy string, limit time.Duration) *StoreLink {
	if limit == 0 {
		limit = storeLimit
	}
	apiURL = strings.TrimSuffix(apiURL, "/")
	return &StoreLink{api: toxiclient.NewClient(apiURL), url: apiURL, proxy: proxy, limit: limit}
}

// Disturb implements [harness.StoreLink]. The lease has nobody to keep it.
func (s *StoreLink) Disturb(ctx context.Context, d harness.StoreDisturbance, _ time.Duration) (string, error) {
	want := d.String()
	var toxics []toxiclient.Toxic
	switch d.Mode {
	case harness.StoreCut:
	case harness.StoreStall:
		for _, stream := range []string{"upstream", "downstream"} {
			toxics = append(toxics, toxiclient.Toxic{Name: storeToxic + "stall-" + stream, Type: "timeout", Stream: stream, Attributes: toxiclient.Attributes{"timeout": 0}})
		}
	case harness.StoreSlow:
		if d.Delay < time.Millisecond || d.Delay%time.Millisecond != 0 {
			return "", fmt.Errorf("toxiproxy counts whole milliseconds, not %s", d.Delay)
		}
		toxics = append(toxics, toxiclient.Toxic{Name: storeToxic + "slow", Type: "latency", Stream: "upstream", Attributes: toxiclient.Attributes{"latency": d.Delay.Milliseconds()}})
	default:
		return "", fmt.Errorf("a toxic cannot make the link %s: it sees bytes and not what they answer; only the supervisor can (links.store: control, or links.store.lost: control beside a toxiproxy)", want)
	}
	was, is, err := s.change(ctx, func() error {
		p, err := s.opened()
		if err != nil {
			return err
		}
		for _, t := range toxics {
			if _, err := p.AddToxic(t.Name, t.Type, t.Stream, 1, t.Attributes); err != nil {
				return fmt.Errorf("add a toxic of type %s: %w", t.Type, err)
			}
		}
		if d.Mode == harness.StoreCut {
			return p.Disable()
		}
		return nil
	})
	if err == nil && is != want {
		err = fmt.Errorf("the proxy %s was set to %s and reads %s", s.proxy, want, is)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the proxy %s read %s and reads %s", s.proxy, was, is), nil
}

// Restore implements [harness.StoreLink].
func (s *StoreLink) Restore(ctx context.Context) (string, error) {
	was, is, err := s.change(ctx, func() error { _, err := s.opened(); return err })
	switch {
	case err != nil:
		return "", err
	case is != storeOpen:
		return "", fmt.Errorf("the proxy %s was opened and reads %s", s.proxy, is)
	case was == storeOpen:
		return "", fmt.Errorf("%w: the proxy %s read %s", harness.ErrBackBefore, s.proxy, was)
	}
	return fmt.Sprintf("the proxy %s read %s and reads %s", s.proxy, was, is), nil
}

// change reads the state, does something within the limit, and reads it again.
func (s *StoreLink) change(ctx context.Context, do func() error) (was, is string, err error) {
	var before, after string
	ctx, cancel := context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("it was given up after %v", s.limit))
	defer cancel()
	err = within(ctx, func() error {
		p, err := s.api.Proxy(s.proxy)
		if err != nil {
			return err
		}
		before = stateOf(p)
		if err := do(); err != nil {
			return err
		}
		if p, err = s.api.Proxy(s.proxy); err == nil {
			after = stateOf(p)
		}
		return err
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", "", fmt.Errorf("the toxiproxy at %s: %w", s.url, cause) // it may still be at it
	}
	if err != nil {
		return "", "", fmt.Errorf("the toxiproxy at %s: %w; is it running, and is %q the name of the proxy before the store (links.store)?", s.url, err, s.proxy)
	}
	return before, after, nil
}

// opened takes away what we did to the proxy, in this run or one that died.
func (s *StoreLink) opened() (*toxiclient.Proxy, error) {
	p, err := s.api.Proxy(s.proxy)
	if err != nil {
		return nil, err
	}
	for _, t := range p.ActiveToxics {
		if !strings.HasPrefix(t.Name, storeToxic) {
			return nil, fmt.Errorf("the proxy carries %s, which is not ours; remove it, or name another proxy", t.Name)
		}
		if err := p.RemoveToxic(t.Name); err != nil {
			return nil, fmt.Errorf("remove %s: %w", t.Name, err)
		}
	}
	if !p.Enabled {
		if err := p.Enable(); err != nil {
			return nil, fmt.Errorf("enable it: %w", err)
		}
	}
	return p, nil
}

// storeOpen is the state of a link that nobody disturbs.
const storeOpen = "open"

// stateOf says what a proxy does, in the words of a disturbance.
func stateOf(p *toxiclient.Proxy) string {
	stalls := 0
	for _, t := range p.ActiveToxics {
		switch {
		case t.Type == "latency" && t.Name == storeToxic+"slow":
			ms, _ := t.Attributes["latency"].(float64) // a number in JSON
			return harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: time.Duration(ms) * time.Millisecond}.String()
		case t.Type == "timeout" && strings.HasPrefix(t.Name, storeToxic+"stall-"):
			stalls++
		default:
			return "under " + t.Name
		}
	}
	switch {
	case !p.Enabled:
		return string(harness.StoreCut)
	case stalls == 2:
		return string(harness.StoreStall)
	case stalls > 0:
		return "half stalled"
	}
	return storeOpen
}
