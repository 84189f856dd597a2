package peer

import (
	"fmt"
	"net"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// names is a resolver of this run's own. It knows the names of peers, each of
// which is this machine or is never told: who asks for one of those hears nothing.
type names struct {
	socket  *net.UDPConn
	running sync.WaitGroup

	mu    sync.Mutex
	known map[string]*name
	last  int
}

// name is what a peer is called, in the domain that RFC 6761 keeps for tests: no
// other resolver knows it.
type name struct {
	text   string
	silent bool
	asked  int
}

func newNames() (*names, error) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("listen for the questions of resolvers: %w", err)
	}
	n := &names{socket: socket, known: map[string]*name{}}
	n.running.Go(n.serve)
	return n, nil
}

func (n *names) address() string { return n.socket.LocalAddr().String() }

func (n *names) close() {
	_ = n.socket.Close()
	n.running.Wait()
}

// add makes a name, silent or not.
func (n *names) add(silent bool) *name {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	made := &name{text: fmt.Sprintf("peer-%d.oncecheck.test", n.last), silent: silent}
	n.known[made.text] = made
	return made
}

// questions returns how often a name was asked for: once for each kind of record
// and each time that somebody asked again.
func (n *names) questions(of *name) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return of.asked
}

// serve answers until the socket is closed.
func (n *names) serve() {
	buf := make([]byte, 64<<10)
	for {
		size, from, err := n.socket.ReadFromUDP(buf)
		if err != nil {
			return
		}
		if reply := n.reply(buf[:size]); reply != nil {
			_, _ = n.socket.WriteToUDP(reply, from) // who does not hear it asks again
		}
	}
}

// reply answers one question. Nil is silence.
func (n *names) reply(asked []byte) []byte {
	var parser dnsmessage.Parser
	header, err := parser.Start(asked)
	if err != nil || header.Response {
		return nil
	}
	question, err := parser.Question()
	if err != nil {
		return nil
	}
	header = dnsmessage.Header{ID: header.ID, Response: true, Authoritative: true, RecursionDesired: header.RecursionDesired, RecursionAvailable: true}
	known, silent := n.hear(question.Name.String())
	if silent {
		return nil
	}
	if !known {
		header.RCode = dnsmessage.RCodeNameError
	}
	message := dnsmessage.Message{Header: header, Questions: []dnsmessage.Question{question}}
	if known && question.Type == dnsmessage.TypeA {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	packed, err := message.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// hear counts a question for a name.
func (n *names) hear(text string) (known, silent bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := n.known[strings.ToLower(strings.TrimSuffix(text, "."))]
	if found == nil {
		return false, false
	}
	found.asked++
	return true, found.silent
}
