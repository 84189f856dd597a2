package profile

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// listener is an address of ours, with the key that declares it.
type listener struct{ key, address string }

// listeners returns every address that a run listens on, in a fixed order.
func (p *Profile) listeners(dependencies []string) []listener {
	var all []listener
	for _, name := range dependencies {
		all = append(all, listener{"dependencies." + name + ".listen", p.Dependencies[name].Listen})
	}
	if p.Gateway != nil && p.Gateway.Dependency != nil {
		all = append(all, listener{"gateway.dependency.listen", p.Gateway.Dependency.Listen})
	}
	if p.Sink != nil {
		all = append(all, listener{"sink.listen", p.Sink.Listen})
	}
	return slices.DeleteFunc(all, func(l listener) bool { return l.address == "" })
}

// validateListeners refuses two keys that mean one address. The second of them
// could not be listened on, or worse: with localhost bound to one of its two
// addresses, which of them the target calls would be luck.
func (p *Profile) validateListeners(src *source, dependencies []string) {
	all := p.listeners(dependencies)
	for i, l := range all {
		for _, other := range all[:i] {
			if !meet(l.address, other.address) {
				continue
			}
			if l.address == other.address {
				src.wrong(l.key, "is the address of %s, too", other.key)
			} else {
				src.wrong(l.key, "is the address of %s, too: %s and %s are one port of this machine", other.key, src.show(l.key, l.address), src.show(other.key, other.address))
			}
			break
		}
	}
}

// meet reports whether a listener on one address can take what is meant for the
// other. Port 0 is a new port each time.
func meet(a, b string) bool {
	hostA, portA, errA := splitAddress(a)
	hostB, portB, errB := splitAddress(b)
	if errA != nil || errB != nil || portA != portB || portA == 0 {
		return false
	}
	if anywhere(hostA) || anywhere(hostB) {
		return true
	}
	return slices.ContainsFunc(addresses(hostA), func(ip net.IP) bool {
		return slices.ContainsFunc(addresses(hostB), ip.Equal)
	})
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

func anywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// addresses returns what a host may stand for, without a lookup: localhost is
// either of two.
func addresses(host string) []net.IP {
	if strings.EqualFold(host, "localhost") {
		return []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	if ip := net.ParseIP(host); ip != nil {
		return []net.IP{ip}
	}
	return nil
}

// addressOf returns host:port of a URL, the port of its scheme included.
func addressOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
