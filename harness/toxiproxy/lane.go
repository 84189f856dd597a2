package toxiproxy

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// lane is a proxy of toxiproxy with the relay behind it. One injection at a
// time owns it.
type lane struct {
	injector *Injector
	link     string
	name     string // of the proxy
	via      string // where the proxy listens
	listener net.Listener
	done     sync.WaitGroup

	// Guarded by injector.mu.
	current *injection // nil when lifted
	conns   map[net.Conn]bool
	passing int // connections not ended yet
	ended   bool
}

// takeLane returns a lane that nobody owns and no connection uses.
func (i *Injector) takeLane(ctx context.Context, link string) (*lane, error) {
	i.mu.Lock()
	if i.closed {
		i.mu.Unlock()
		return nil, errClosed
	}
	if n := len(i.idle[link]); n > 0 {
		l := i.idle[link][n-1]
		i.idle[link] = i.idle[link][:n-1]
		i.mu.Unlock()
		return l, nil
	}
	name := fmt.Sprintf("%s-%s-%d", i.prefix, link, len(i.lanes)+1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		i.mu.Unlock()
		return nil, err
	}
	l := &lane{injector: i, link: link, name: name, listener: listener, conns: map[net.Conn]bool{}}
	i.lanes = append(i.lanes, l) // before it is complete, so that Close finds it
	i.mu.Unlock()

	l.done.Go(l.accept)
	var via string
	err = within(ctx, func() error {
		listen, err := i.server.create(name, listener.Addr().String())
		via = listen
		return err
	})
	if err != nil {
		return nil, err
	}
	l.via = via
	return l, nil
}

// release gives the lane back once its last connection ended. The caller holds
// injector.mu.
func (l *lane) release() {
	if l.current == nil && l.passing == 0 && !l.ended {
		l.injector.idle[l.link] = append(l.injector.idle[l.link], l)
	}
}

func (l *lane) accept() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return // closed; nothing else ends a loopback listener
		}
		l.done.Go(func() { l.relay(conn) })
	}
}

// relay forwards one connection of toxiproxy's and tells its injection what
// passed.
func (l *lane) relay(near net.Conn) {
	defer func() { _ = near.Close() }()
	l.injector.mu.Lock()
	owner, live := l.current, !l.ended
	l.passing++
	l.conns[near] = true
	l.injector.mu.Unlock()
	defer func() {
		l.injector.mu.Lock()
		defer l.injector.mu.Unlock()
		delete(l.conns, near)
		l.passing--
		l.release()
	}()
	if !live {
		return
	}
	far, err := net.DialTimeout("tcp", l.injector.links[l.link], dialTimeout)
	if err != nil {
		return // the caller sees the close, as it would see a refusal
	}
	p := &passage{near: near, far: far, owner: owner, gone: make(chan struct{})}
	p.run()
}

// close ends the relay and waits for it.
func (l *lane) close() {
	l.injector.mu.Lock()
	l.ended = true
	conns := make([]net.Conn, 0, len(l.conns))
	for c := range l.conns {
		conns = append(conns, c)
	}
	l.injector.mu.Unlock()
	_ = l.listener.Close()
	for _, c := range conns {
		_ = c.Close()
	}
	l.done.Wait()
}
