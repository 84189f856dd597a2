package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Clock moves a target's clock.
type Clock struct {
	set, now Step
	runner   runner
	limit    time.Duration

	mu    sync.Mutex
	base  *skew // before it was moved; nil before the first move
	guard *guard
}

var _ harness.ClockMover = (*Clock)(nil)

// NewClock returns the clock that set sets and now reads. In set, {{offset}} is
// the distance from the true time in whole seconds, {{time}} the time to show in
// RFC 3339, {{unix}} the same in seconds since 1970, and {{leaseMs}} the
// milliseconds after which the target is to put it back by itself, 0 where it is
// being put back. What now says is a time in RFC 3339, or seconds or milliseconds
// since 1970. Commands run in dir. A limit of 0 is 30 s.
func NewClock(set, now Step, dir string, limit time.Duration) *Clock {
	if limit == 0 {
		limit = defaultLimit
	}
	return &Clock{set: set, now: now, runner: runner{dir: dir}, limit: limit}
}

// skew is how far a clock is ahead of ours: somewhere between the two, since
// reading it takes time and its unit may be the second.
type skew struct{ low, high time.Duration }

func (s skew) plus(d time.Duration) skew { return skew{s.low + d, s.high + d} }

func (s skew) meets(other skew) bool { return s.low <= other.high && other.low <= s.high }

func (s skew) String() string {
	middle := (s.low + s.high) / 2
	return fmt.Sprintf("%v (within %v)", middle.Round(time.Millisecond), ((s.high - s.low) / 2).Round(time.Millisecond))
}

// Move implements [harness.ClockMover]. The offset is in whole seconds, and large
// enough to be told from the time that reading the clock takes.
func (c *Clock) Move(ctx context.Context, offset, lease time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, fmt.Errorf("it was given up after %v", c.limit))
	defer cancel()
	if offset%time.Second != 0 {
		return "", fmt.Errorf("an offset of %v is not in whole seconds", offset)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base == nil && offset == 0 {
		return "", fmt.Errorf("%w: it was never moved", harness.ErrBackBefore)
	}
	if c.base == nil {
		before, err := c.read(ctx)
		if err != nil {
			return "", fmt.Errorf("before it was moved: %w", err)
		}
		c.base = &before
	}
	if offset != 0 && c.base.meets(c.base.plus(offset)) {
		return "", fmt.Errorf("an offset of %v cannot be told from none: the clock is known to be ahead of ours by %v only", offset, c.base)
	}
	if err := c.watchOver(offset); err != nil {
		return "", err
	}
	began := time.Now()
	if _, err := c.runner.under(c.guard).carry(ctx, c.set, c.vars(offset, lease)); err != nil {
		return "", err
	}
	late := time.Since(began) // a time that was named at the start may have been set at the end
	after, err := c.read(ctx)
	if err != nil {
		return "", fmt.Errorf("after it was moved: %w", err)
	}
	wanted := c.base.plus(offset)
	wanted.low -= late
	if !after.meets(wanted) || offset != 0 && after.meets(*c.base) {
		return "", fmt.Errorf("the clock was ahead of ours by %v and is by %v: wanted %v, told from before", c.base, after, wanted)
	}
	if offset == 0 {
		c.guard.release()
		c.guard = nil
	}
	return fmt.Sprintf("the clock was ahead of ours by %v and is by %v", c.base, after), nil
}

func (c *Clock) vars(offset, lease time.Duration) map[string]any {
	if offset == 0 {
		lease = 0 // it stays
	}
	to := time.Now().Add((c.base.low+c.base.high)/2 + offset).UTC()
	return map[string]any{"offset": int64(offset / time.Second), "time": to.Format("2006-01-02T15:04:05.000Z07:00"), "unix": to.Unix(), leaseName: lease.Milliseconds()}
}

// watchOver has the clock put back if we die, where a command can do it and does
// not need to be told the time. A request carries its lease instead.
func (c *Clock) watchOver(offset time.Duration) error {
	if offset == 0 || c.guard != nil || c.set.URL != "" {
		return nil
	}
	for _, argument := range c.set.Command {
		for _, found := range openName.FindAllStringSubmatch(argument, -1) {
			if found[1] == "time" || found[1] == "unix" {
				return nil
			}
		}
	}
	g, err := c.runner.guard(c.set.argv(map[string]any{"offset": 0, leaseName: 0}))
	c.guard = g
	return err
}

func (c *Clock) read(ctx context.Context) (skew, error) {
	began := time.Now()
	text, err := c.runner.carry(ctx, c.now, nil)
	if err != nil {
		return skew{}, fmt.Errorf("read the clock: %w", err)
	}
	ended := time.Now()
	shown, err := parseTime(text)
	if err != nil {
		return skew{}, fmt.Errorf("read the clock: %w", err)
	}
	const unit = time.Second // it may have been rounded, up or down
	return skew{shown.Sub(ended) - unit, shown.Sub(began) + unit}, nil
}

func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) || math.Abs(number) > 1e15 {
		return time.Time{}, errors.New("what it says is neither a time in RFC 3339 nor a number of seconds or milliseconds since 1970")
	}
	if math.Abs(number) > 1e11 { // as seconds, thousands of years from now
		number /= 1000
	}
	return time.UnixMilli(int64(number * 1000)), nil
}
