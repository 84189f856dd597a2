package stack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

type parsedProfile struct {
	Target  struct{ Name, Version, URL string }
	Dialect struct {
		Base     string `yaml:"base"`
		SameCart string `yaml:"sameCart"`
	}
	Principals map[string]struct {
		Tenant string
		Roles  []string
		Header map[string]string
	}
	Checkout struct {
		Body     map[string]any
		Variants map[string]map[string]string
	}
	Status     struct{ Path string }
	Operations map[string]struct {
		Path, Version string
		Keyed         bool
		Effects       map[string]int
	}
	Effects struct {
		HTTP       struct{ URL, JQ string }
		PerSuccess map[string]int `yaml:"perSuccess"`
	}
	Dependencies map[string]struct {
		Attach, Attribute string
		AttributeHeader   string `yaml:"attributeHeader"`
		Operations        map[string]struct {
			Method, Path, Effect string
			Query                bool
		}
	}
	Webhooks struct {
		Payment struct {
			Path      string
			Body      map[string]any
			Signature struct{ Scheme, Secret string }
		}
	}
	Control struct{ HTTP string }
	Policy  struct {
		Checkout struct {
			Deadline, Retention string
			Attempts            int
		}
		Client struct {
			Connect, Read, Total string
			Retries              int
		}
		Events struct {
			Attempts int
			Window   string
		}
	}
}

func TestProfileDescribesTheStack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "profile.yaml")
	if err := os.WriteFile(path, []byte("of another stack"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{WriteProfile: path, Dialect: "srs-422", Scale: 10})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p parsedProfile
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if p.Target.URL != r.URL || p.Target.Name != "oncecheck-reference" || p.Target.Version == "" || p.Dialect.Base != "srs-422" || p.Dialect.SameCart != "allow" {
		t.Errorf("target %+v, dialect %s", p.Target, p.Dialect)
	}
	if p.Control.HTTP != r.ControlURL || p.Effects.HTTP.URL != r.LedgerURL+"?since={{since}}" || !strings.HasSuffix(r.LedgerURL, "/ledger") {
		t.Errorf("control %s, effects %+v", p.Control.HTTP, p.Effects)
	}
	if p.Checkout.Body["cartId"] != "{{cart}}" || p.Checkout.Body["amount"] != "{{amount}}" || p.Status.Path != "/checkout/{{requestId}}" || p.Checkout.Variants["declined"]["paymentToken"] != "tok_declined" {
		t.Errorf("templates: %+v, %+v", p.Checkout, p.Status)
	}
	if o := p.Operations["cancel"]; !o.Keyed || o.Path != "/checkout/{{requestId}}/cancel" || o.Effects["refund"] != 1 || o.Effects["release"] != 1 {
		t.Errorf("cancel: %+v", o)
	}
	if o := p.Operations["checkoutV2"]; !o.Keyed || o.Path != "/v2/checkout" || o.Version != "v2" {
		t.Errorf("checkoutV2: %+v", o)
	}
	for _, name := range []string{payment, inventory, orders} {
		if d := p.Dependencies[name]; d.Attach != r.ControlURL+"/attach" || d.Attribute != ".reference" || d.AttributeHeader != "X-Correlation-ID" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if o := p.Dependencies[payment].Operations; o["charge"].Effect != "charge" || !o["query"].Query || o["void"].Path != "/charges/{id}/void" {
		t.Errorf("payment: %+v", o)
	}
	if w := p.Webhooks.Payment; w.Path != "/webhooks/payment" || w.Body["data"] == nil || w.Signature.Scheme != "standard-webhooks" || !strings.HasPrefix(w.Signature.Secret, "whsec_") {
		t.Errorf("the provider's webhook: path %s, body %v, scheme %s", w.Path, w.Body, w.Signature.Scheme)
	}
	if c := p.Policy.Client; c.Connect != "200ms" || c.Read != "500ms" || c.Total != "1s" || c.Retries != 2 {
		t.Errorf("client policy at scale 10: %+v", c)
	}
	if c := p.Policy; c.Checkout.Deadline != "3s" || c.Checkout.Retention != "2h24m0s" || c.Checkout.Attempts != 3 || c.Events.Window != "1m30s" || c.Events.Attempts != 8 {
		t.Errorf("policy at scale 10: %+v", c)
	}
	for name, token := range r.Tokens {
		if p.Principals[name].Header["Authorization"] != "Bearer "+token {
			t.Errorf("%s has another token in the profile", name)
		}
	}
	if len(r.Tokens) != 5 || p.Principals["carol"].Tenant != "t2" || p.Principals["support"].Roles[0] != "support" {
		t.Errorf("principals: %+v", p.Principals)
	}
	assertOnly(t, dir, "profile.yaml")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestProfileAppearsOnlyOnceAllAccept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "profile.yaml")
	if err := os.WriteFile(path, []byte("of another stack"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Serve(t.Context(), Options{WriteProfile: path, Command: command(roleBroken)}, func(Info) { t.Error("ready") })
	if err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a stack that never was has a profile: %v", err)
	}
	assertOnly(t, dir)
}

func TestProfileIsNoFolder(t *testing.T) {
	dir := t.TempDir()
	err := Serve(t.Context(), Options{WriteProfile: dir, Command: command(roleStandIn)}, func(Info) { t.Error("ready") })
	if err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	if err := writeProfile(dir, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	assertOnly(t, filepath.Dir(dir), filepath.Base(dir))
}

func TestSpecifiedTimesAtScaleOne(t *testing.T) {
	d := profileData{scale: 1}
	for _, text := range []string{"2s", "30s"} {
		if got, err := d.Scaled(text); err != nil || got != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	d.scale = 3
	got, err := d.Scaled("2s")
	if back, parseErr := time.ParseDuration(got); err != nil || parseErr != nil || back != 666667*time.Microsecond {
		t.Errorf("2s at scale 3 is %s, %v, %v", got, err, parseErr)
	}
}

// assertOnly fails unless dir holds just these files: no temporary ones.
func assertOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("%s holds %v, want %v", dir, entries, names)
	}
}
