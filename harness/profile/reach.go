package profile

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// CheckReach reports whether the target may be disturbed at all. A host that is
// not loopback needs two independent statements: owned in the profile, by whoever
// wrote it, and the host among allowHosts, by whoever starts the run.
func (p *Profile) CheckReach(allowHosts []string) error {
	if p.Target.URL == "" {
		return nil // a client behind a shim, which is on this machine
	}
	if err := p.checkReach("target.url", p.Target.URL, allowHosts); err != nil {
		return err
	}
	for _, instance := range p.Target.Instances {
		if err := p.checkReach("target.instances", instance, allowHosts); err != nil {
			return err
		}
	}
	if link := p.Links["store"]; link.Toxiproxy != "" {
		return p.checkReach("links.store.toxiproxy", link.Toxiproxy, allowHosts)
	}
	return nil
}

func (p *Profile) checkReach(at, target string, allowHosts []string) error {
	u, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("check the reach of %s: it is no URL", at)
	}
	allowed := slices.ContainsFunc(allowHosts, func(host string) bool {
		return strings.EqualFold(host, u.Hostname()) || strings.EqualFold(host, u.Host)
	})
	if isLoopback(u.Hostname()) || p.Target.Owned && allowed {
		return nil
	}
	return fmt.Errorf("%s %s", at, p.reachText(at, u))
}

func (p *Profile) reachText(at string, u *url.URL) string {
	host := u.Hostname()
	if p.source != nil && p.source.substituted[at] {
		host = "HOST" // it came from the environment
	}
	return fmt.Sprintf("points at %s, which is not this machine: faults and duplicate payments are only sent to a system whose owner agrees. It needs both owned: true under target and --allow-host %s on the command line (owned is %t)", host, host, p.Target.Owned)
}

// listen checks an address of ours. Whoever can reach it can see and change what
// passes between a target and its payment provider, so it is loopback.
func (s *source) listen(path, address string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		s.wrong(path, "must be host:port, for example 127.0.0.1:9001; it is %s", s.show(path, address))
		return
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		s.wrong(path, "must end in a port number from 0 to 65535")
	}
	if !isLoopback(host) {
		s.wrong(path, "must be a loopback address: whoever reaches it can read and change payments; use 127.0.0.1, and a tunnel where the target runs elsewhere")
	}
}

// IsLoopback reports whether the host of a URL is this machine.
func IsLoopback(host string) bool { return isLoopback(host) }

// isLoopback tells by the name alone: a lookup could say one thing now and
// another when it matters.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
