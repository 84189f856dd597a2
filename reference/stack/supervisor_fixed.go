package stack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// fixed returns the addresses that the instances call for good, by dependency,
// or nil where runs attach. Nobody listens there but a run of the profile, which
// forwards to our upstreams.
func (o Options) fixed() (map[string]string, error) {
	if !o.ListenDependencies {
		return nil, nil
	}
	addresses := map[string]string{}
	for _, name := range dependencyNames() {
		address, err := unusedAddress(addresses)
		if err != nil {
			return nil, fmt.Errorf("choose an address for %s: %w", name, err)
		}
		addresses[name] = address
	}
	return addresses, nil
}

// The ports to choose from lie below those that systems hand out by themselves:
// an address that waits for a run must not go to a connection meanwhile.
const (
	lowestPort  = 10240
	highestPort = 32767
	portTries   = 100
)

func unusedAddress(taken map[string]string) (string, error) {
	for range portTries {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if holds(taken, address) {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no port on 127.0.0.1 seems to be free")
}

func holds(addresses map[string]string, address string) bool {
	for _, a := range addresses {
		if a == address {
			return true
		}
	}
	return false
}

// baseURLs turns addresses into what an instance is told to call.
func baseURLs(addresses map[string]string) map[string]string {
	urls := map[string]string{}
	for name, address := range addresses {
		urls[name] = "http://" + address
	}
	return urls
}
