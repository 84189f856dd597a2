package doctor

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
)

// Subject is a profile as the doctor sees it.
type Subject struct {
	Info         harness.TargetInfo
	URL          string
	CheckoutPath string
	// Headers are the credentials of the principals. They are compared with one
	// another and never shown.
	Headers      map[string]map[string]string
	Dependencies []Dependency // in order of their names
	Shim         string       // URL of the client's, empty without
	GatewayWay   string       // how the gateway's calls come to us, in words; empty without
	ControlURL   string       // of a supervisor, empty without
	ControlWays  []string     // how the target can be controlled otherwise
	ToldTime     []string     // keys of the commands that set a time which only we could tell
	Unguarded    []string     // keys of what changes the target and would stay so if we died
	FakeLedger   bool         // the effects are those of our own provider fake
	Known        []Capability // every capability there is, in order

	// Open reaches the target and opens the part, and nothing else of what the
	// profile declares. Undo closes it again.
	Open func(ctx context.Context, part Part) (target *harness.Target, undo func(context.Context) error, err error)
}

// Dependency is a dependency that the profile declares.
type Dependency struct {
	Name string
	Way  string // how its calls come to us and where they go, in words
}

// Capability is a row of the list of what a target may let us do or see.
type Capability struct {
	Name    harness.Capability
	Key     string // the profile key that declares it
	Meaning string
	Offered bool // this version of the suite makes use of it
}

// Part is a part of a target that can be opened alone. The requests of the
// profile can be sent with each of them.
type Part struct {
	Kind PartKind
	Name string // of a dependency
}

// PartKind says what is opened.
type PartKind string

// The parts.
const (
	PartCaller     PartKind = "caller" // the requests alone, with the doctor's own operations
	PartEffects    PartKind = "effects"
	PartDependency PartKind = "dependency"
	PartClient     PartKind = "client"
	PartGateway    PartKind = "gateway"
	PartWhole      PartKind = "whole" // all that a run opens
)

// The operations that [PartCaller] offers besides those of the profile.
const (
	OpBare    = "oncecheck-bare"     // the checkout's method and path, without a body
	OpGuess   = "oncecheck-guess"    // GET checkout path/{{requestId}}: where a status often lies
	OpNowhere = "oncecheck-no-route" // GET {{requestId}} below a path that nobody has
)

// Options say how far the doctor goes.
type Options struct {
	Send bool // make plain checkouts, and try each control and operation once
}
