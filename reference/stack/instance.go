package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/mutants"
	"github.com/oncecheck/oncecheck/reference/store"
)

// InstanceConfig is what the supervisor gives a child on its standard input as
// one JSON document.
type InstanceConfig struct {
	Addr         string            `json:"addr"`               // host:port of the public API
	ListenFD     int               `json:"listenFD,omitempty"` // an inherited listening socket to use instead of binding Addr; 0 is none
	Store        string            `json:"store"`              // sqlite:PATH
	Secret       string            `json:"secret"`             // HMAC secret of the bearer tokens, at least 32 bytes
	Mutant       string            `json:"mutant,omitempty"`   // a name of package mutants, or empty for the correct service
	Dialect      string            `json:"dialect"`            // srs or srs-422; empty is srs
	Scale        float64           `json:"scale"`              // 1 is the specified times, N divides all of them; 0 is 1
	Dependencies map[string]string `json:"dependencies"`       // payment, inventory, orders -> base URL
	LogFile      string            `json:"logFile,omitempty"`  // JSON lines are appended here; empty is standard error
}

// RunInstance serves one instance of the reference checkout until ctx ends, and
// then returns nil. It calls ready once, when both listeners accept: addr is the
// API's host:port and adminAddr the admin listener's.
func RunInstance(ctx context.Context, cfg InstanceConfig, ready func(addr, adminAddr string)) (err error) {
	log, closeLog, err := openLog(cfg.LogFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()

	path, ok := strings.CutPrefix(cfg.Store, "sqlite:")
	if !ok {
		return fmt.Errorf("store %q is not of the form sqlite:PATH", cfg.Store)
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	tokens, err := auth.New(cfg.Secret, time.Now)
	if err != nil {
		return err
	}
	settings := checkout.Defaults(db, checkout.NewDirectory(cfg.Dependencies), tokens)
	settings.Log = log
	if err := cfg.apply(&settings); err != nil {
		return err
	}
	service, err := checkout.New(settings)
	if err != nil {
		return err
	}
	return serveInstance(ctx, cfg, service, ready)
}

// apply turns the right service into the one that cfg asks for.
func (cfg InstanceConfig) apply(settings *checkout.Config) error {
	switch scale := cfg.Scale; {
	case scale < 0:
		return fmt.Errorf("scale %v is negative: 1 is the specified times, N divides them", scale)
	case scale > 0:
		settings.Policy = settings.Policy.Scaled(scale)
		settings.Client.Policy = settings.Client.Policy.Scaled(scale)
	}
	switch cfg.Dialect {
	case "", "srs":
	case "srs-422":
		settings.Conflict = checkout.Conflict(http.StatusUnprocessableEntity)
	default:
		return fmt.Errorf("dialect %q is none of srs, srs-422", cfg.Dialect)
	}
	if cfg.Mutant != "" {
		mutant, ok := mutants.Named(cfg.Mutant)
		if !ok {
			return fmt.Errorf("there is no mutant %q: see oncecheck list mutants", cfg.Mutant)
		}
		mutant.Wrap(settings)
	}
	return nil
}
