package stack

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"

	"github.com/oncecheck/oncecheck/reference/store"
	"github.com/oncecheck/oncecheck/reference/store/postgrestest"
)

// TestInstancesShareAServer: two instances over one PostgreSQL make one checkout of
// a key, and the link between them and it is a proxy that the profile names.
func TestInstancesShareAServer(t *testing.T) {
	dsn := postgrestest.Start(t, "-F")
	path := filepath.Join(t.TempDir(), "profile.yaml")
	r := start(t, Options{Command: command(roleReal), Store: dsn, Instances: 2, WriteProfile: path})

	status, body := r.checkout("key-1", "cart-1")
	if status != http.StatusCreated {
		t.Fatalf("checkout answered %d %s\n%s", status, body, r.log)
	}
	first := r.URL
	r.URL = "http://" + r.info().Instances[1].Addr
	if status, again := r.checkout("key-1", "cart-1"); status != http.StatusCreated || string(again) != string(body) {
		t.Errorf("the other instance answered %d %s", status, again)
	}
	r.URL = first

	var made struct{ RequestID string }
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	var record store.Inspected
	if status := r.call("GET", r.ControlURL+"/records/"+made.RequestID, nil, &record); status != http.StatusOK || record.State != "SUCCEEDED" || len(record.Unique) != 5 {
		t.Errorf("its record: status %d, %+v", status, record)
	}

	outboxOf(t, r)

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), `links: {store: {toxiproxy: "`)
	url, after, _ := strings.Cut(rest, `"`)
	if !strings.HasPrefix(after, ", proxy: postgres, lost: control}}") || strings.Contains(string(text), "files:") {
		t.Fatalf("the profile does not say how the store is reached:\n%s", text)
	}
	for name, said := range map[string]string{"profile": string(text), "log": r.log.String()} {
		if strings.Contains(said, postgrestest.Password) {
			t.Errorf("the password is in the %s", name)
		}
	}

	proxy, err := toxiclient.NewClient(url).Proxy("postgres")
	if err != nil {
		t.Fatal(err)
	}
	if err := proxy.Disable(); err != nil {
		t.Fatal(err)
	}
	if status, body := r.checkout("key-2", "cart-2"); status != http.StatusServiceUnavailable {
		t.Errorf("with its store cut off checkout answered %d %s", status, body)
	}
	if err := proxy.Enable(); err != nil {
		t.Fatal(err)
	}
	if status, body := r.checkout("key-2", "cart-2"); status != http.StatusCreated {
		t.Errorf("with its store back checkout answered %d %s", status, body)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections() // those of the toxiproxy client
}
