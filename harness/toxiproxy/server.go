package toxiproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	toxiserver "github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/rs/zerolog"
)

// server is the part of toxiproxy that is needed: proxies on ports of their
// own, and one toxic at a time on each.
type server interface {
	// create starts a proxy and returns the address it listens on.
	create(name, upstream string) (listen string, err error)
	add(proxy, name string, t toxic) error
	// remove waits for a reset that already waits.
	remove(proxy, name string) error
	close(proxies []string) error
}

// listenAny lets toxiproxy pick the port.
const listenAny = "127.0.0.1:0"

// embedded is toxiproxy in this process. It is spoken to directly: its HTTP API
// would add nothing, and starting and stopping that is a data race in it.
type embedded struct{ api *toxiserver.ApiServer }

func newEmbedded() embedded {
	return embedded{toxiserver.NewServer(toxiserver.NewMetricsContainer(nil), zerolog.Nop())}
}

func (e embedded) create(name, upstream string) (string, error) {
	p := toxiserver.NewProxy(e.api, name, listenAny, upstream)
	if err := e.api.Collection.Add(p, true); err != nil {
		return "", err
	}
	return p.Listen, nil
}

func (e embedded) add(proxy, name string, t toxic) error {
	p, err := e.api.Collection.Get(proxy)
	if err != nil {
		return err
	}
	document, err := json.Marshal(map[string]any{
		"name": name, "type": t.kind, "stream": "downstream", "toxicity": 1, "attributes": t.attributes(),
	})
	if err != nil {
		return err
	}
	_, err = p.Toxics.AddToxicJson(bytes.NewReader(document))
	return err
}

func (e embedded) remove(proxy, name string) error {
	p, err := e.api.Collection.Get(proxy)
	if err != nil {
		return err
	}
	return p.Toxics.RemoveToxic(context.Background(), name)
}

func (e embedded) close([]string) error { return e.api.Collection.Clear() }

// external is a toxiproxy that somebody else runs; only our proxies in it are
// touched. Its client has a timeout of 30 s a request.
type external struct{ api *toxiclient.Client }

func (e external) create(name, upstream string) (string, error) {
	p, err := e.api.CreateProxy(name, listenAny, upstream)
	if err != nil {
		return "", err
	}
	return p.Listen, nil
}

func (e external) add(proxy, name string, t toxic) error {
	_, err := e.api.AddToxic(&toxiclient.ToxicOptions{
		ProxyName: proxy, ToxicName: name, ToxicType: t.kind, Stream: "downstream", Toxicity: 1, Attributes: t.attributes(),
	})
	return err
}

func (e external) remove(proxy, name string) error {
	return e.api.RemoveToxic(&toxiclient.ToxicOptions{ProxyName: proxy, ToxicName: name})
}

func (e external) close(proxies []string) error {
	var first error
	for _, name := range proxies {
		p, err := e.api.Proxy(name)
		if err == nil {
			err = p.Delete()
		}
		if err != nil && first == nil {
			first = fmt.Errorf("delete proxy %s: %w", name, err)
		}
	}
	return first
}
