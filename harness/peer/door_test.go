package peer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// trusting is a client that trusts the authority of the peers.
func trusting(t *testing.T, o *opened) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(o.own.CA()) {
		t.Fatal("no certificate in CA()")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: guard}
}

func TestDoorTLS(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorTLS}, Steps: []harness.Step{{Status: 200, Size: 300}}})
	if !strings.HasPrefix(o.URL(), "https://127.0.0.1:") {
		t.Fatal(o.URL())
	}
	_, body, err := ask(t, trusting(t, o), "GET", o.URL(), "")
	if err != nil || len(body) != 300 {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	var unknown x509.UnknownAuthorityError
	if _, _, err := ask(t, client(t), "GET", o.URL(), ""); !errors.As(err, &unknown) {
		t.Errorf("a client that trusts nobody got %v", err)
	}
	_, conns := o.until(t, 1, 1)
	if k := conns[0]; k.Secure || k.Requests != 0 || !strings.Contains(k.Problem, "TLS handshake") || k.By != harness.ByCaller {
		t.Errorf("the handshake of the second was told as %+v", k)
	}
	o.close(t)
	_, conns = o.until(t, 1, 2)
	if k := conns[1]; !k.Secure || k.Requests != 1 || k.Problem != "" || o.Knocks() != 2 {
		t.Errorf("the connection of the first was told as %+v, knocks %d", k, o.Knocks())
	}
}

// Breaks act on the socket below TLS: nothing tells the caller that all is well.
func TestBreaksUnderTLS(t *testing.T) {
	for _, c := range []struct {
		name string
		step harness.Step
		fine bool
	}{
		{"ends with the connection", harness.Step{Status: 200, Size: 400, Open: true}, true},
		{"truncated", harness.Step{Status: 200, Size: 400, Break: harness.BreakShort}, false},
		{"reset in a body that ends with the connection", harness.Step{Status: 200, Size: 400, Open: true, Break: harness.BreakCut}, false},
		{"reset", harness.Step{Break: harness.BreakReset}, false},
		{"delay", harness.Step{Status: 200, Size: 400, Delay: 5 * ms}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorTLS}, Steps: []harness.Step{c.step}})
			_, body, err := ask(t, trusting(t, o), "GET", o.URL(), "")
			if c.fine != (err == nil && len(body) == 400) {
				t.Errorf("%d bytes and %v arrived", len(body), err)
			}
			o.until(t, 1, 0)
		})
	}
}

// A connection that is watched goes on as before afterwards.
func TestWatchedTLSConnectionIsReused(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorTLS}, Steps: []harness.Step{{Status: 200, Delay: 5 * ms}}})
	c := trusting(t, o)
	for range 3 {
		if _, _, err := ask(t, c, "POST", o.URL(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	o.close(t)
	if _, conns := o.until(t, 3, 1); conns[0].Requests != 3 {
		t.Errorf("told as %+v", conns)
	}
}

func TestDoorWrongName(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorWrongName}})
	var wrong x509.HostnameError
	if _, _, err := ask(t, trusting(t, o), "GET", o.URL(), ""); !errors.As(err, &wrong) {
		t.Errorf("a client that trusts the authority got %v", err)
	}
	calls, conns := o.until(t, 0, 1)
	if k := conns[0]; len(calls) != 0 || k.Secure || !strings.Contains(k.Problem, "TLS handshake") || o.Knocks() != 1 {
		t.Errorf("told as %+v", k)
	}
	// A client that does not look at the name gets through, and is seen to.
	careless := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer careless.CloseIdleConnections()
	if _, _, err := ask(t, &http.Client{Transport: careless}, "GET", o.URL(), ""); err != nil || o.Requests() != 1 {
		t.Errorf("a careless client got %v, %d requests", err, o.Requests())
	}
}

func TestDoorNoHello(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorSilent}})
	if !strings.HasPrefix(o.URL(), "https://") {
		t.Error(o.URL())
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	conn := tls.Client(dial(t, o.host()), &tls.Config{ServerName: "localhost"})
	go func() { failed <- conn.HandshakeContext(ctx) }()
	eventually(t, func() bool { return o.Knocks() == 1 })
	left := o.now()
	cancel()
	if err := <-failed; err == nil {
		t.Error("a hello was answered")
	}
	_, conns := o.until(t, 0, 1)
	if k := conns[0]; k.Secure || k.Requests != 0 || k.By != harness.ByCaller || k.Closed < left {
		t.Errorf("told as %+v", k)
	}
}

// resolving is a client that asks the resolver of the peers for names.
func resolving(t *testing.T, o *opened) *http.Client {
	t.Helper()
	address, err := o.own.Resolver()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.own.Close(context.Background()) })
	dialer := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", address)
		if err == nil { // or it would listen on for seconds when nobody waits any more
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: guard}
}

func TestDoorNamed(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorNamed}, Steps: []harness.Step{{Status: 200, Size: 300}}})
	c := resolving(t, o)
	if _, body, err := ask(t, c, "GET", o.URL(), ""); err != nil || len(body) != 300 || o.Knocks() != 1 {
		t.Errorf("%d bytes, %v, %d knocks at %s", len(body), err, o.Knocks(), o.URL())
	}
	var unknown *net.DNSError
	if _, _, err := ask(t, c, "GET", "http://nobody.oncecheck.test/", ""); !errors.As(err, &unknown) || !unknown.IsNotFound {
		t.Errorf("a name that nobody has: %v", err)
	}
}

func TestDoorUntold(t *testing.T) {
	o := open(t, harness.Script{Door: harness.Door{Kind: harness.DoorUntold}})
	c := resolving(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, "GET", o.URL(), nil)
		if err == nil {
			_, err = c.Do(r)
		}
		failed <- err
	}()
	eventually(t, func() bool { return o.Knocks() > 0 })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || o.Requests() != 0 || o.Connections() != 0 {
		t.Errorf("%v, %d requests, %d connections", err, o.Requests(), o.Connections())
	}
}

func TestCA(t *testing.T) {
	block, rest := pem.Decode(open(t, harness.Script{}).own.CA())
	if block == nil || len(rest) != 0 {
		t.Fatal("CA() is not one PEM block")
	}
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil || !ca.IsCA {
		t.Error(ca, err)
	}
}

// An item tells whose request it is only where an address is shared.
func TestOwnAddressTakesEveryPath(t *testing.T) {
	o := steps(t, harness.Step{Status: 200, Body: "mine"})
	_, body, err := ask(t, client(t), "GET", o.URL()+"/another", "")
	if err != nil || string(body) != "mine" {
		t.Error(string(body), err)
	}
}
