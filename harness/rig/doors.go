package rig

import (
	"context"
	"fmt"
	"net/url"

	"github.com/oncecheck/oncecheck/harness/caller"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// openDoors opens a door of the client link for each further instance of the
// target, and returns where every one of them is called, the first instance first.
func (r *Rig) openDoors(p *profile.Profile, first *wire.Link) ([]caller.Door, error) {
	at := func(target, address string) (caller.Door, error) {
		u, err := url.Parse(target)
		if err != nil {
			return caller.Door{}, fmt.Errorf("read the URL of an instance: %w", err)
		}
		return caller.Door{Address: address, Host: u.Host}, nil
	}
	door, err := at(p.Target.URL, first.Addr())
	if err != nil {
		return nil, err
	}
	doors := []caller.Door{door}
	for i, target := range p.Target.Instances {
		link, err := first.OpenDoor(target, i+1)
		if err != nil {
			return nil, fmt.Errorf("open the client link to target.instances: %w", err)
		}
		r.closes(func(context.Context) error { return link.Close() })
		if door, err = at(target, link.Addr()); err != nil {
			return nil, err
		}
		doors = append(doors, door)
	}
	return doors, nil
}
