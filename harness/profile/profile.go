package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/oncecheck/oncecheck/harness"
)

// maxFile bounds a profile: a person wrote it. The YAML parser takes quadratic
// time on deep nesting, so size and depth are both kept small.
const (
	maxFile  = 64 << 10
	maxDepth = 100
)

// Profile is everything that a target declares.
type Profile struct {
	Target       TargetSpec                   `yaml:"target" jsonschema:"required" jsonschema_description:"The system under test."`
	Dialect      DialectSpec                  `yaml:"dialect" jsonschema_description:"A preset by name, or a mapping that overrides single knobs of the preset named by base."`
	Requirements string                       `yaml:"requirements" jsonschema:"enum=srs,enum=own" jsonschema_description:"srs: a policy looser than the requirement fails. own: the declared numbers are judged."`
	Principals   map[string]PrincipalSpec     `yaml:"principals" jsonschema_description:"Identities to act as, by name. Values may come from the environment as ${NAME}."`
	Refusing     map[string]map[string]string `yaml:"refused" jsonschema_description:"Headers whose credentials have to be refused, by kind: expired, foreign (signed by somebody else), malformed. The last two are made of a principal's where that can be done."`
	Checkout     *Operation                   `yaml:"checkout" jsonschema_description:"The keyed operation that has the effects. Only a client, or a gateway, is tried without one."`
	Status       *Operation                   `yaml:"status" jsonschema_description:"Asks what became of a checkout by its {{requestId}}."`
	Operations   map[string]Operation         `yaml:"operations" jsonschema_description:"Further operations by name."`
	Response     *Response                    `yaml:"response" jsonschema_description:"Where answers say what, as jq expressions. Those left out are the dialect's."`
	Effects      *Effects                     `yaml:"effects" jsonschema_description:"How to read the ledger."`
	Dependencies map[string]Dependency        `yaml:"dependencies" jsonschema_description:"The systems that the target calls, by link name."`
	Gateway      *Gateway                     `yaml:"gateway" jsonschema_description:"A route of the target that calls a dependency, which the run plays."`
	Client       *Client                      `yaml:"client" jsonschema_description:"The API client, behind its shim. Without checkout and gateway it is the target."`
	Sink         *Sink                        `yaml:"sink" jsonschema_description:"Where the target delivers its events to."`
	Consumer     *Consumer                    `yaml:"consumer" jsonschema_description:"The endpoint that consumes events."`
	Webhooks     *Webhooks                    `yaml:"webhooks" jsonschema_description:"What the systems that the target calls tell it by themselves; the run sends it in their place."`
	Control      *Control                     `yaml:"control" jsonschema_description:"Acts on the target's processes."`
	Links        map[string]Link              `yaml:"links" jsonschema_description:"Links inside the target, for example store."`
	Injectors    *Injectors                   `yaml:"injectors" jsonschema_description:"Fault injectors that already run, in place of the embedded ones."`
	Observe      *Observe                     `yaml:"observe" jsonschema_description:"What the target lets us see of its inside."`
	Policy       harness.Policy               `yaml:"policy" jsonschema_description:"The target's declared numbers. Those left out are the required ones."`
	Limits       *Limits                      `yaml:"limits" jsonschema_description:"How much load the target bears."`

	// SHA256 is the hash of the file's bytes, before anything was substituted.
	SHA256 string `yaml:"-"`

	secrets map[string]string // substituted values, by the name of their variable
	source  *source
}

// Load reads the profile at path. Variables come from the process environment.
func Load(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the profile %s: %w", path, err)
	}
	return Parse(path, data, os.LookupEnv)
}

// File returns the path of a file that the profile names: relative ones start
// at the profile's own folder, so that the two can move together.
func (p *Profile) File(path string) string {
	if p.source == nil || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(p.source.name), path)
}

// Parse reads a profile from data. The name is used in errors, and env looks up
// the variables of ${NAME}. Errors join one [Problem] for each thing that is
// wrong.
func Parse(name string, data []byte, env func(string) (string, bool)) (*Profile, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("read the profile %s: it is larger than %d KiB", name, maxFile>>10)
	}
	sum := sha256.Sum256(data)
	p := &Profile{
		Dialect:      DialectSpec{Dialect: srs()},
		Requirements: "srs",
		Policy:       harness.RequiredPolicy(),
		SHA256:       hex.EncodeToString(sum[:]),
	}
	src := newSource(name, data)
	root, err := src.parse(data)
	if err != nil {
		return nil, err
	}
	d := &decoder{src: src, env: env, secrets: map[string]string{}}
	d.decode(root, p)
	if err := src.err(); err != nil {
		return nil, err
	}
	p.secrets, p.source = d.secrets, src
	p.complete()
	p.validate(src)
	if err := src.err(); err != nil {
		return nil, err
	}
	return p, nil
}
