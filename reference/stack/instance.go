package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/gateway"
	"github.com/oncecheck/oncecheck/reference/mutants"
	"github.com/oncecheck/oncecheck/reference/store"
)

// InstanceConfig is what the supervisor gives a child on its standard input as
// one JSON document.
type InstanceConfig struct {
	Addr         string            `json:"addr"`               // host:port of the public API
	ListenFD     int               `json:"listenFD,omitempty"` // an inherited listening socket to use instead of binding Addr; 0 is none
	Store        string            `json:"store"`              // sqlite:PATH or postgres:DSN
	StoreVia     string            `json:"storeVia,omitempty"` // host:port to reach the store's server at, or empty for its own
	Secret       string            `json:"secret"`             // HMAC secret of the bearer tokens, at least 32 bytes
	Webhooks     string            `json:"webhooks,omitempty"` // what the payment provider signs its webhooks with; empty: it sends none
	Mutant       string            `json:"mutant,omitempty"`   // a name of package mutants, or empty for the correct service
	Dialect      string            `json:"dialect"`            // srs or srs-422; empty is srs
	Scale        float64           `json:"scale"`              // 1 is the specified times, N divides all of them; 0 is 1
	Dependencies map[string]string `json:"dependencies"`       // payment, bank, inventory, orders, catalog -> base URL
	Settings     Settings          `json:"settings"`           // what holds from the start
	LogFile      string            `json:"logFile,omitempty"`  // JSON lines are appended here as well as to standard error, and spans here only
}

// RunInstance serves one instance of the reference, the checkout and the gateway
// over one store, until ctx ends, and then returns nil. It calls ready once, when
// both listeners accept: addr is the API's host:port and adminAddr the admin
// listener's.
func RunInstance(ctx context.Context, cfg InstanceConfig, ready func(addr, adminAddr string)) (err error) {
	log, err := openLog(cfg.LogFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.close()) }()

	at, err := store.Locate(cfg.Store)
	if err != nil {
		return err
	}
	db, err := at.Open(ctx, cfg.StoreVia)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	measured, err := newMeasured(log.file, cfg.Addr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, measured.close()) }()
	p := parts{crash: &crasher{}, adjustable: newAdjustable(), metrics: measured.handler}
	if err := p.apply(cfg.Settings); err != nil {
		return fmt.Errorf("begin with the settings of the others: %w", err)
	}
	tokens, err := auth.New(cfg.Secret, p.clock.Now)
	if err != nil {
		return err
	}
	buying := checkout.Defaults(crashingCheckouts{p.crash, linkedCheckouts{p.link, db}}, checkout.NewDirectory(cfg.Dependencies), tokens)
	buying.Log, buying.Now = log.Logger, p.clock.Now
	buying.Receipt = itemised
	buying.KeyRequired, buying.Meter = p.flags[flagRequireKey].On, measured.metrics.Meter("checkout")
	if cfg.Webhooks != "" {
		if buying.Webhooks, err = checkout.NewWebhooks(cfg.Webhooks); err != nil {
			return err
		}
	}
	reading := gateway.Defaults(linkedResults{p.link, db.Results()}, cfg.Dependencies[catalog], tokens)
	reading.Log, reading.Now, reading.Resilience = log.Logger, p.clock.Now, p.flags[gateway.FlagResilience]
	reading.Meter = measured.metrics.Meter("gateway")
	if reading.Client.Observer, err = measured.observer(log.file); err != nil {
		return err
	}
	// The checkout writes down its attempts by itself, with what they belong to.
	if buying.Client.Observer, err = measured.observer(slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if err := cfg.apply(&buying, &reading); err != nil {
		return err
	}
	if p.checkout, err = checkout.New(buying); err != nil {
		return err
	}
	if p.gateway, err = gateway.New(reading); err != nil {
		return err
	}
	return serveInstance(ctx, cfg, p, ready)
}

// apply turns the right services into the ones that cfg asks for.
func (cfg InstanceConfig) apply(buying *checkout.Config, reading *gateway.Config) error {
	switch scale := cfg.Scale; {
	case scale < 0:
		return fmt.Errorf("scale %v is negative: 1 is the specified times, N divides them", scale)
	case scale > 0:
		buying.Policy = buying.Policy.Scaled(scale)
		buying.Client.Policy = buying.Client.Policy.Scaled(scale)
		reading.Client.Policy = reading.Client.Policy.Scaled(scale)
	}
	switch cfg.Dialect {
	case "", "srs":
	case "srs-422":
		buying.Conflict = checkout.Conflict(http.StatusUnprocessableEntity)
	default:
		return fmt.Errorf("dialect %q is none of srs, srs-422", cfg.Dialect)
	}
	if cfg.Mutant != "" {
		mutant, ok := mutants.Named(cfg.Mutant)
		if !ok {
			return fmt.Errorf("there is no mutant %q: see oncecheck list mutants", cfg.Mutant)
		}
		breakBy(mutant, buying, reading)
	}
	return nil
}
