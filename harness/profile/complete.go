package profile

import (
	"net"
	"net/http"
)

// complete fills in what may be left out.
func (p *Profile) complete() {
	if p.Checkout != nil {
		p.Checkout.Keyed = true
	}
	for _, op := range []*Operation{p.Checkout, p.Status} {
		op.complete()
	}
	for name, op := range p.Operations {
		op.complete()
		p.Operations[name] = op
	}
	if p.Gateway != nil {
		p.Gateway.complete()
	}
	if p.Observe != nil && p.Observe.DeadLetters != nil {
		for _, op := range []*Operation{p.Observe.DeadLetters.List, p.Observe.DeadLetters.Redrive, p.Observe.DeadLetters.Resolve} {
			op.complete()
		}
	}
	p.webhook().complete()
	for name, d := range p.Dependencies {
		d.complete()
		p.Dependencies[name] = d
	}
	if p.Sink != nil {
		p.Sink.Listen = loopbackByDefault(p.Sink.Listen)
	}
}

func (op *Operation) complete() {
	if op != nil && op.Method == "" {
		op.Method = op.defaultMethod()
	}
}

func (op Operation) defaultMethod() string {
	if op.Keyed || op.Body != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

func (d *Dependency) complete() {
	d.Listen = loopbackByDefault(d.Listen)
	if d.KeyHeader == "" {
		d.KeyHeader = "Idempotency-Key"
	}
	for name, op := range d.Operations {
		if op.Method == "" {
			op.Method = http.MethodPost
			if op.Query {
				op.Method = http.MethodGet
			}
		}
		d.Operations[name] = op
	}
}

// loopbackByDefault reads ":9003" as a loopback address. Go would listen on
// every interface, and our listeners show what nobody else should see.
func loopbackByDefault(listen string) string {
	if host, port, err := net.SplitHostPort(listen); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}
