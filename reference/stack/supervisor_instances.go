package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// openInstances binds the sockets that the instances will inherit. The first
// has the address that was asked for, the others any.
func (s *supervisor) openInstances() error {
	addr := s.options.Addr
	for number := 1; number <= s.options.Instances; number++ {
		socket, bound, err := openSocket(addr)
		if err != nil {
			s.closeInstances()
			return err
		}
		s.instances = append(s.instances, &instance{
			number: number, addr: bound, socket: socket, links: s.links, shared: s.settings, log: s.log, limits: s.limits,
			command: s.options.Command, config: s.config(bound), orders: make(chan order),
		})
		host, _, _ := net.SplitHostPort(bound) // bound was made by net itself
		addr = net.JoinHostPort(host, "0")
	}
	return nil
}

func (s *supervisor) closeInstances() {
	for _, in := range s.instances {
		_ = in.socket.Close()
	}
}

// openSocket binds addr and returns the socket as a file for a child to
// inherit. The supervisor never accepts on it.
func openSocket(addr string) (*os.File, string, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, "", fmt.Errorf("listen on %s for the reference: %w; end what listens there, or use port 0 for any free port", addr, err)
	}
	if err != nil {
		return nil, "", fmt.Errorf("listen on %s for the reference: %w", addr, err)
	}
	defer func() { _ = l.Close() }() // the file below is a duplicate
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		return nil, "", fmt.Errorf("duplicate the socket of %s for an instance: %w", addr, err)
	}
	return file, l.Addr().String(), nil
}

func (s *supervisor) config(addr string) InstanceConfig {
	return InstanceConfig{
		Addr: addr, ListenFD: inheritedFD, Store: s.store, StoreVia: s.link.via(), Secret: s.secret, Webhooks: s.webhooks,
		Mutant: s.options.Mutant, Dialect: s.options.Dialect, Scale: s.options.Scale, LogFile: s.logFile,
	}
}

// startInstances returns once every instance is ready, or with the first
// failure. The first instance starts alone, since it creates the store: SQLite
// answers "database is locked", whatever the busy timeout, to two processes that
// turn a new file into a write-ahead log at once. The others start side by side.
func (s *supervisor) startInstances(ctx context.Context, running *sync.WaitGroup) error {
	for _, wave := range [][]*instance{s.instances[:1], s.instances[1:]} {
		first := make(chan error, len(wave))
		for _, in := range wave {
			running.Go(func() { in.keep(ctx, first) })
		}
		for range wave {
			if err := <-first; err != nil {
				return err
			}
		}
	}
	return nil
}
