package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// openStore returns the store that the instances share, and what to do at the
// end: a store that nobody named is a temporary one.
func openStore(named string) (store string, remove func() error, err error) {
	if named != "" {
		return named, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp(temporaryRoot(), "oncecheck-stack-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for the temporary store: %w; name a store with sqlite:PATH", err)
	}
	return "sqlite:" + filepath.Join(dir, "checkout.db"), func() error { return os.RemoveAll(dir) }, nil
}

// temporaryRoot returns a folder in memory where the system has one. A temporary
// store has to survive a killed process, not a power cut, and a disk that is busy
// with other things would make the store look broken for seconds.
func temporaryRoot() string {
	const memory = "/dev/shm"
	if probe, err := os.MkdirTemp(memory, "oncecheck-probe-"); err == nil {
		_ = os.Remove(probe)
		return memory
	}
	return ""
}

// storeProxy stands between the instances and the server of their store. It is a
// toxiproxy with its usual API, so that whoever tests us disturbs this link as he
// would disturb anybody else's.
type storeProxy struct {
	toxics *toxiproxy.ApiServer
	api    *server
	addr   string // where the instances dial
}

// storeProxyName is what the proxy is called in its toxiproxy.
const storeProxyName = "postgres"

// proxyStore starts a proxy before the server of the store, or returns nil for a
// store that is reached through files: nothing can stand before those.
func (s *supervisor) proxyStore(ctx context.Context) (*storeProxy, error) {
	upstream, err := s.at.Server()
	if err != nil || upstream == "" {
		return nil, err
	}
	l, err := listenLoopback("the toxiproxy of the store")
	if err != nil {
		return nil, err
	}
	toxics := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(toxics, storeProxyName, "127.0.0.1:0", upstream)
	if err := toxics.Collection.Add(proxy, true); err != nil {
		return nil, errors.Join(fmt.Errorf("start a proxy before the store at %s: %w", upstream, err), l.Close())
	}
	return &storeProxy{toxics: toxics, api: serveOn(ctx, l, localOnly(toxics.Routes()), s.log), addr: proxy.Listen}, nil
}

// via returns where the instances reach the server of the store, nothing for its
// own address.
func (p *storeProxy) via() string {
	if p == nil {
		return ""
	}
	return p.addr
}

// url returns where the proxy is driven, nothing if there is none.
func (p *storeProxy) url() string {
	if p == nil {
		return ""
	}
	return p.api.url
}

func (p *storeProxy) close() error {
	if p == nil {
		return nil
	}
	p.api.close()
	return p.toxics.Collection.Clear()
}
