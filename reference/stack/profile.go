package stack

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/template"
	"time"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

//go:embed profile.yaml.tmpl
var profileText string

// profileData is what the template needs.
type profileData struct {
	Version, URL, Control, Ledger, Dialect string
	Instances                              []string // URLs of those beside the first
	Shim, Log, Expired, Webhooks           string
	Store                                  string // pattern of its files; empty if it has none
	StoreProxy, StoreProxyName             string // the toxiproxy before the server of the store; empty without one
	Flags                                  []string
	Principals                             []principal
	Tokens                                 map[string]string
	Refreshed                              map[string]string // further tokens, by principal
	Listen, Upstreams                      map[string]string // by dependency; Listen is nil where runs attach
	scale                                  float64
}

// Behind returns the lines that say how the calls of a dependency come to the
// run, and where they go on to.
func (d profileData) Behind(dependency string) (string, error) {
	lines := [][2]string{{"attach", d.Control + "/attach"}}
	if address := d.Listen[dependency]; address != "" {
		lines = [][2]string{{"listen", address}, {"upstream", d.Upstreams[dependency]}}
	}
	var text []string
	for _, line := range lines {
		quoted, err := quote(line[1])
		if err != nil {
			return "", err
		}
		text = append(text, line[0]+": "+quoted)
	}
	return strings.Join(text, "\n    "), nil
}

// Gateway returns how the gateway's calls come to the run, which answers them.
func (d profileData) Gateway() (string, error) {
	if address := d.Listen[catalog]; address != "" {
		quoted, err := quote(address)
		return "listen: " + quoted, err
	}
	quoted, err := quote(d.Control + "/attach")
	return "attach: " + quoted, err
}

// CrashPoints returns the points at which an instance can be made to die.
func (profileData) CrashPoints() []string { return crashPoints() }

// MaxAge returns how old a stored result may be to be served.
func (d profileData) MaxAge() string { return gateway.DefaultPolicy().MaxAge.String() }

// Scaled returns a duration of the requirements as this stack keeps it.
func (d profileData) Scaled(specified string) (string, error) {
	t, err := time.ParseDuration(specified)
	if err != nil {
		return "", err
	}
	return time.Duration(float64(t) / d.scale).Round(time.Microsecond).String(), nil
}

// publish mints the tokens, writes the profile if one was asked for and returns
// what callers have to know.
func (s *supervisor) publish(control, shim string) (Info, error) {
	tokens, err := mintTokens(s.secret, time.Now())
	if err != nil {
		return Info{}, err
	}
	expired, err := mintExpired(s.secret, time.Now())
	if err != nil {
		return Info{}, err
	}
	refreshed, err := mintRefreshed(s.secret, time.Now())
	if err != nil {
		return Info{}, err
	}
	info := Info{
		URL: s.url(), ControlURL: control, ShimURL: shim, LedgerURL: s.upstreams.urls[ledger] + "/ledger",
		ProfilePath: s.options.WriteProfile, Tokens: tokens, Listen: s.listen,
	}
	if info.ProfilePath == "" {
		return info, nil
	}
	text, err := renderProfile(profileData{
		Version: version(s.options.Mutant), URL: info.URL, Instances: s.furtherURLs(), Control: control, Ledger: info.LedgerURL,
		Dialect: s.options.Dialect, Shim: shim, Log: s.logFile, Flags: flagNames(),
		Store: s.storeFiles(), StoreProxy: s.link.url(), StoreProxyName: storeProxyName,
		Principals: principals(), Tokens: tokens, Refreshed: refreshed, Expired: expired, Webhooks: s.webhooks,
		Listen: s.listen, Upstreams: s.upstreams.urls, scale: s.options.Scale,
	})
	if err != nil {
		return Info{}, err
	}
	return info, writeProfile(info.ProfilePath, text)
}

func (s *supervisor) url() string { return "http://" + s.instances[0].addr }

// furtherURLs returns where the instances beside the first are called.
func (s *supervisor) furtherURLs() []string {
	var urls []string
	for _, in := range s.instances[1:] {
		urls = append(urls, "http://"+in.addr)
	}
	return urls
}

func renderProfile(data profileData) ([]byte, error) {
	t, err := template.New("profile").Funcs(template.FuncMap{"quote": quote}).Parse(profileText)
	if err != nil {
		return nil, fmt.Errorf("parse the profile's template: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("render the profile: %w", err)
	}
	return text.Bytes(), nil
}

// quote returns text as a JSON string, which is a YAML string too, whatever is
// in it.
func quote(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return string(quoted), err
}

// removeStale removes the profile of an earlier stack: a script that waits for
// the file must not find addresses and tokens of the dead.
func removeStale(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("replace the profile %s: %w; name another file", path, err)
	}
	return nil
}

// writeProfile makes path appear complete or not at all. The mode is 0600,
// which os.CreateTemp gives: the file holds bearer tokens.
func writeProfile(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write the profile %s: %w; name a file in a folder that can be written", path, err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the profile %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}

// version tells builds apart in the evidence, and a broken variant from the
// reference.
func version(mutant string) string {
	v := "devel"
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" && build.Main.Version != "(devel)" {
		v = build.Main.Version
	}
	if mutant != "" {
		v += " mutant " + mutant
	}
	return v
}
