package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/observe"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// initFlags are the flags of init as they were given.
type initFlags struct {
	url     string
	dialect string
	out     string
	path    string
	body    string
	ca      string
	tokens  []string
	headers []string
	allow   []string
	owned   bool
	force   bool
}

func newInit() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init --url URL",
		Short: "Observes a target and writes a profile to go on from",
		Long: fmt.Sprintf(`Sends at most %d requests to a checkout API, real checkouts among them, learns
how it spells the contract, and writes a commented profile: what was seen is
filled in, what was not is named, with what to write there by hand. Beside it
lies the JSON Schema of profiles, for editors.

Credentials are used and never written: the profile names the environment
variables ALICE_TOKEN and BOB_TOKEN in their place. A second one shows whether
customers are kept apart.`, observe.MaxRequests),
		Example: `  oncecheck init --url http://127.0.0.1:8080 --token "$ALICE_TOKEN"
  oncecheck init --url http://127.0.0.1:8080 --token "$ALICE" --token "$BOB" \
      --path /v1/orders --body '{"reference": "{{cart}}", "total": "{{amount}}"}'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.init(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "`URL` of the target")
	flags.StringVar(&f.dialect, "dialect", "", "`NAME` of the preset to begin with (default: the one that fits best)")
	flags.StringVarP(&f.out, "out", "o", "profile.yaml", "`FILE` to write the profile to")
	flags.StringVar(&f.path, "path", "/checkout", "`PATH` of the checkout")
	flags.StringVar(&f.body, "body", "", "`FILE|JSON` of the checkout's body, with \"{{cart}}\" and \"{{amount}}\" where they go")
	flags.StringArrayVar(&f.tokens, "token", nil, "bearer token, `VALUE`, of a customer; a second one is another customer of the same tenant")
	flags.StringArrayVar(&f.headers, "header", nil, "'Name: value' `HEADER` that carries the credential, in place of --token; may be given twice")
	flags.StringVar(&f.ca, "ca", "", "`FILE` of PEM certificates that an https target is trusted by, for example its own self-signed one")
	flags.StringArrayVar(&f.allow, "allow-host", nil, "`HOST` off this machine that may be disturbed; may be repeated")
	flags.BoolVar(&f.owned, "owned", false, "say in the profile that whoever runs the suite may disturb the target")
	flags.BoolVar(&f.force, "force", false, "overwrite the file")
	return cmd
}

func (f initFlags) init(cmd *cobra.Command) error {
	o, secrets, err := f.options()
	if err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	ctx := cmd.Context()
	fmt.Fprintf(cmd.ErrOrStderr(), "sending at most %d requests to %s, real checkouts among them\n", observe.MaxRequests, oneLine(f.url))
	o.Open = func(ctx context.Context, text []byte) (*harness.Target, func(context.Context) error, error) {
		p, err := profile.Parse("what init sends", text, lookup(secrets))
		if err != nil {
			return nil, nil, err
		}
		opened, err := rig.Open(ctx, p, rig.Options{UserAgent: "oncecheck/" + thisBuild().suite().Version, AllowHosts: f.allow})
		if err != nil {
			return nil, nil, err
		}
		return opened.Target, opened.Close, nil
	}
	found, err := observe.Observe(ctx, o)
	if err != nil {
		return setUp(ctx, err, "")
	}
	if err := f.write(found, secrets); err != nil {
		return err
	}
	if err := found.WriteText(cmd.OutOrStdout(), oneLine); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nwritten: %s\nnext:    oncecheck doctor --profile %s\n", f.out, shellWord(f.out))
	return nil
}

// options reads the flags. The secrets are the credentials by the variable that
// stands for them.
func (f initFlags) options() (observe.Options, map[string]string, error) {
	o := observe.Options{URL: f.url, Owned: f.owned, Path: f.path, Dialect: f.dialect, Presets: profile.Dialects()}
	o.Response = func(preset string) observe.Response {
		r := profile.ResponseOf(preset)
		return observe.Response{RequestID: r.RequestID, OrderID: r.OrderID}
	}
	if f.url == "" {
		return o, nil, refuse(errors.New("init needs --url URL"), "for example: oncecheck init --url http://127.0.0.1:8080 --token \"$ALICE_TOKEN\"")
	}
	u, err := url.Parse(f.url)
	if err != nil || u.Host == "" {
		return o, nil, refuse(errors.New("--url is no absolute http or https URL"), "")
	}
	o.Name, o.Remote = u.Host, !profile.IsLoopback(u.Hostname())
	if f.dialect != "" {
		if _, err := profile.Dialect(f.dialect); err != nil {
			return o, nil, refuse(err, "")
		}
	}
	if f.ca != "" {
		if o.CA, err = filepath.Abs(f.ca); err != nil { // the profile may lie elsewhere
			return o, nil, refuse(fmt.Errorf("--ca: %w", err), "")
		}
	}
	if o.Body, err = f.readBody(); err != nil {
		return o, nil, err
	}
	secrets, err := f.identities(&o)
	return o, secrets, err
}

func (f initFlags) readBody() (observe.Body, error) {
	if f.body == "" {
		return observe.DefaultBody(), nil
	}
	text := []byte(f.body)
	if !strings.HasPrefix(strings.TrimSpace(f.body), "{") {
		var err error
		if text, err = os.ReadFile(f.body); err != nil {
			return observe.Body{}, refuse(fmt.Errorf("read --body: %w", err), "give a file, or JSON that begins with a brace")
		}
	}
	body, err := observe.ParseBody(text)
	if err != nil {
		return body, refuse(fmt.Errorf("--body: %w", err), "")
	}
	return body, nil
}

// identities turns credentials into identities without them.
func (f initFlags) identities(o *observe.Options) (map[string]string, error) {
	given := f.headers
	for _, token := range f.tokens {
		given = append(given, "Authorization: Bearer "+token)
	}
	names := []string{"alice", "bob"}
	if len(f.tokens) > 0 && len(f.headers) > 0 || len(given) > len(names) {
		return nil, refuse(errors.New("at most two credentials are used, all by --token or all by --header"), "the first is a customer's, the second another customer's of the same tenant")
	}
	secrets := map[string]string{}
	for n, line := range given {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" || value == "Bearer" {
			return nil, refuse(fmt.Errorf("credential %d is not of the form 'Name: value', or empty", n+1), "is the variable set?")
		}
		i := observe.Identity{Name: names[n], Header: name, Variable: strings.ToUpper(names[n]) + "_TOKEN"}
		if scheme, credential, ok := strings.Cut(value, " "); ok && strings.EqualFold(name, "Authorization") {
			i.Prefix, value = scheme+" ", strings.TrimSpace(credential)
		}
		secrets[i.Variable] = value
		o.Identities = append(o.Identities, i)
	}
	return secrets, nil
}

func lookup(secrets map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}
}
