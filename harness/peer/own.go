package peer

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Config is what all peers of a run share.
type Config struct {
	Clock harness.Clock       // base of all times; starts with each address if zero
	Stray func(harness.Event) // told of requests and connections that belong to no case; may be nil
}

// loopback is where peers with an address of their own listen.
const loopback = "127.0.0.1:0"

// Own opens peers that have a loopback address each.
type Own struct {
	cfg       Config
	authority *authority

	mu    sync.Mutex
	names *names // nil until somebody asks for them
}

// New returns peers that have a loopback address each. Those that speak TLS show
// certificates of an authority made for them, which no disk ever sees.
func New(cfg Config) (*Own, error) {
	a, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("open scripted peers: %w", err)
	}
	return &Own{cfg: cfg, authority: a}, nil
}

// CA returns the certificate of the authority, as PEM, for clients to trust.
func (o *Own) CA() []byte { return o.authority.pem }

// Resolver returns the address of a resolver, for clients to ask: it knows those
// peers that have a name, and nobody else.
func (o *Own) Resolver() (address string, err error) {
	names, err := o.called()
	if err != nil {
		return "", err
	}
	return names.address(), nil
}

// called returns the names of peers.
func (o *Own) called() (*names, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names == nil {
		made, err := newNames()
		if err != nil {
			return nil, err
		}
		o.names = made
	}
	return o.names, nil
}

// Close ends the resolver, if there is one. Peers end by themselves.
func (o *Own) Close(context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names != nil {
		o.names.close()
		o.names = nil
	}
	return nil
}

// Open starts a peer at an address of its own. The item is not needed: whoever
// calls the address means this case.
func (o *Own) Open(ctx context.Context, _ string, script harness.Script, see func(harness.Event)) (harness.Peer, error) {
	p, err := newPeer(script, see)
	if err != nil {
		return nil, fmt.Errorf("open a peer: %w", err)
	}
	h := newHost(o.cfg)
	h.only, p.end = p, h.close
	p.wait = func() { h.running.Wait(); p.parts.Wait() }
	scheme := "http"
	switch script.Door.Kind {
	case harness.DoorOpen, harness.DoorNamed, harness.DoorUntold:
	case harness.DoorRefused, harness.DoorFull:
		shut, err := shutDoor(script.Door)
		if err != nil {
			return nil, fmt.Errorf("open a peer behind a door %s: %w", script.Door, err)
		}
		if script.Door.Told {
			shut.left(false) // from now on nobody is missed
		}
		p.url, p.knocks, p.many = scheme+"://"+shut.address(), shut.knocks, shut.many()
		h.running.Go(func() { h.behind(shut, script.Door) })
		return p, nil
	case harness.DoorSilent:
		scheme, h.deaf = "https", true
	case harness.DoorTLS:
		scheme, h.tls = "https", o.authority.right
	case harness.DoorWrongName:
		scheme, h.tls = "https", o.authority.wrong
	default:
		return nil, fmt.Errorf("open a peer: there is no door %q", script.Door.Kind)
	}
	listener, many, err := h.listen(ctx, script.Door)
	if err != nil {
		return nil, fmt.Errorf("open a peer: %w", err)
	}
	h.many, p.many = many, many
	at, err := o.call(p, script.Door.Kind)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("open a peer behind a door %s: %w", script.Door, err)
	}
	p.url = fmt.Sprintf("%s://%s:%d", scheme, at, listener.Addr().(*net.TCPAddr).Port)
	h.running.Go(func() { h.accept(listener, "") })
	return p, nil
}

// call returns what a peer behind a door of that kind is called: by its address,
// unless the door is about names.
func (o *Own) call(p *peer, door harness.DoorKind) (string, error) {
	if door != harness.DoorNamed && door != harness.DoorUntold {
		return "127.0.0.1", nil
	}
	names, err := o.called()
	if err != nil {
		return "", err
	}
	made := names.add(door == harness.DoorUntold)
	if made.silent {
		p.knocks = func() int { return names.questions(made) }
	}
	return made.text, nil
}

func listen(ctx context.Context, address string) (*net.TCPListener, error) {
	listener, err := (&net.ListenConfig{KeepAlive: -1}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return listener.(*net.TCPListener), nil // what Listen returns for tcp
}

// listen opens the address of a peer, and tells whether it is all of this
// machine's own addresses, as a silent door that is told has them.
func (h *host) listen(ctx context.Context, door harness.Door) (listener *net.TCPListener, many bool, err error) {
	if door.Kind == harness.DoorSilent && door.Told {
		if listener, err = listenMany(ctx); err == nil {
			return listener, true, nil
		}
	}
	listener, err = listen(ctx, loopback)
	return listener, false, err
}

// shut is a door that lets nobody in before it opens.
type shut interface {
	address() string
	many() bool // it is at all of this machine's own addresses
	// look counts who waits before the door. It has to be called again and again:
	// nobody is told who gave up in between.
	look()
	// left returns who was seen to wait and was missed since it was asked last, as
	// far as that can be seen; at the end of the door all who wait.
	left(end bool) []wait
	// open lets callers in. Who came from the address skip is none of them.
	open() (listener *net.TCPListener, skip string, err error)
	// begun is when the time of a door begins that opens later. It is closed by
	// then.
	begun() <-chan struct{}
	knocks() int
	close()
}

// wait is somebody's time before a shut door, from when he was seen first until
// he was missed first.
type wait struct {
	from, to time.Time
	at       string // the address that he called, at a door that has many
}

// lookEvery is how often a shut door is looked at: often enough for a caller
// that waits as long as the shortest deadline of a scenario. Where a crowd waits
// a look takes its time, of which it gets a share; but on a machine that is late
// for other reasons it must not come late as well.
const (
	lookEvery   = 25 * time.Millisecond
	lookShare   = 8
	lookAtLeast = 200 * time.Millisecond
)

// behind keeps a door shut as long as it says, for good if it does not, and
// serves who comes in then.
func (h *host) behind(door shut, how harness.Door) {
	defer door.close()
	tell := func(end bool) {
		if !how.Told {
			return
		}
		by := harness.ByCaller
		if end {
			by = harness.ByPeer
		}
		for _, w := range door.left(end) {
			h.tellWait(w, by)
		}
	}
	var begun <-chan struct{}
	if how.For > 0 {
		begun = door.begun()
	}
	var opens <-chan time.Time
	next := time.NewTimer(lookEvery)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			began := time.Now()
			door.look()
			tell(false)
			next.Reset(min(max(lookEvery, lookShare*time.Since(began)), lookAtLeast))
			continue
		case <-begun:
			timer := time.NewTimer(how.For.Std())
			defer timer.Stop()
			begun, opens = nil, timer.C
			continue
		case <-h.ctx.Done():
			door.look()
			tell(false)
			tell(true)
			return
		case <-opens:
		}
		break
	}
	listener, skip, err := door.open()
	if err != nil {
		h.only.see(harness.Event{Type: harness.ConnEvent, Conn: &harness.Connection{
			Opened: h.now(), Closed: h.now(), By: harness.ByPeer, Problem: "the door did not open: " + err.Error()}})
		return
	}
	h.only.see(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkDoorOpened, Detail: how.String()}})
	h.accept(listener, skip)
}

// tellWait records somebody's time before a door that let nobody in.
func (h *host) tellWait(w wait, by string) {
	h.mu.Lock()
	h.last++
	id := h.last
	h.mu.Unlock()
	h.only.see(harness.Event{Type: harness.ConnEvent, Conn: &harness.Connection{
		ID: id, Opened: h.clock.Since(w.from), Closed: h.clock.Since(w.to), By: by, Problem: "it was never let in", At: w.at}})
}
