package toxiproxy

import (
	"io"
	"net"
	"sync"
	"time"
)

const (
	dialTimeout = 5 * time.Second
	teardown    = time.Second // how long toxiproxy may take to close a connection that it reset
)

// passage is one connection through the relay.
type passage struct {
	near  net.Conn   // to toxiproxy
	far   net.Conn   // to the link
	owner *injection // nil if the fault was lifted before the connection came
	gone  chan struct{}
}

// run forwards both ways until either side ends. Toxiproxy knows no half-close,
// so there is none to preserve.
func (p *passage) run() {
	var requests sync.WaitGroup
	requests.Go(func() {
		_, _ = io.Copy(p.far, p.near) // ends when toxiproxy leaves, or far is closed
		close(p.gone)
		_ = p.far.Close()
	})
	p.answers()
	_ = p.near.Close()
	_ = p.far.Close()
	requests.Wait()
}

// answers forwards what the link sends into the toxic.
func (p *passage) answers() {
	buf := make([]byte, 32<<10)
	first := true
	for {
		n, err := p.far.Read(buf)
		if n > 0 && !p.forward(buf[:n], &first) {
			return
		}
		if err != nil {
			return
		}
	}
}

// forward writes bytes into the toxic and says whether the connection goes on.
// The first answer of a connection is what counts.
func (p *passage) forward(b []byte, first *bool) bool {
	counts := *first && p.owner != nil && p.owner.begin()
	*first = false
	switch {
	case !counts:
		return p.write(b)
	case p.owner.toxic.reset:
		return p.forwardReset(b)
	}
	passed := p.write(b)
	p.owner.end(passed)
	return passed
}

// forwardReset lets only the first byte into the toxic. It triggers the reset,
// the toxic never reads another, and toxiproxy leaks a goroutine for each that
// waits for it.
func (p *passage) forwardReset(b []byte) bool {
	entered := time.Now()
	if !p.write(b[:1]) {
		p.owner.end(false)
		return false
	}
	select {
	case <-p.gone:
	case <-p.owner.liftedC:
		// The toxic is gone. Either it had the byte, and the connection is about to
		// die, or it was removed before the byte came, and the answer goes on.
		timer := time.NewTimer(teardown)
		defer timer.Stop()
		select {
		case <-p.gone:
		case <-timer.C:
			p.owner.end(false)
			return p.write(b[1:])
		}
	}
	p.owner.end(time.Since(entered) >= p.owner.toxic.delay)
	return false
}

func (p *passage) write(b []byte) bool {
	_, err := p.near.Write(b)
	return err == nil
}
