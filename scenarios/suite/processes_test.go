package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two processes on one target would each see a part of the ledger and take it
// for the whole, or fail at an address without saying why.
func TestWhatSeveralProcessesCannotShare(t *testing.T) {
	for name, row := range map[string]struct{ text, says string }{
		"a fake": {`dependencies: {orders: {listen: "127.0.0.1:9001", fake: provider}}
effects: {perSuccess: {order: 1}}`, "listen on 127.0.0.1:9001 (dependencies.orders), and what our fake did there"},
		"an address": {`dependencies: {orders: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:9002"}}`, "listen on 127.0.0.1:9001 (dependencies.orders);"},
		"a sink":     {`sink: {listen: "127.0.0.1:9001"}`, "listen on 127.0.0.1:9001 (sink)"},
		"a lease":    {`dependencies: {orders: {attach: "http://127.0.0.1:9002/attach"}}`, "its dependencies and its ledger belong to one run"},
		"a ledger":   {`effects: {command: [./ledger], perSuccess: {order: 1}}`, "its dependencies and its ledger belong to one run"},
		"a gateway":  {`gateway: {path: "/catalog/{{sku}}", dependency: {listen: "127.0.0.1:9004"}}`, "listen on 127.0.0.1:9004 (gateway.dependency)"},
		"a held one": {`gateway: {path: "/catalog/{{sku}}", dependency: {attach: "http://127.0.0.1:9002/attach"}}`, "its gateway can call only one of them"},
		"a client":   {`client: {shim: "http://127.0.0.1:9005"}`, "belong to one run"},
		"limits":     {`limits: {requests: 5000}`, "the whole load that its limits allow"},
		"nothing":    {"", ""},
	} {
		path := filepath.Join(t.TempDir(), "profile.yaml")
		text := "target: {name: shop, url: \"http://127.0.0.1:8080\"}\nprincipals: {alice: {tenant: t1}}\ncheckout: {path: /checkout, body: {cartId: \"{{cart}}\"}}\n" + row.text + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := oneProcess(path, 1); err != nil {
			t.Errorf("%s: one process: %v", name, err)
		}
		err := oneProcess(path, 2)
		if row.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "2 processes cannot share the target of "+path) || !strings.HasSuffix(err.Error(), "-procs=1") {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}
