package observe

import (
	"bytes"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness/profile"
)

func srsError(code string) string {
	return `{"code":"` + code + `","message":"m","correlationId":"c","retryable":false}`
}

// plain speaks the dialect of the requirements.
func plainAPI() *api {
	return &api{
		header: "Idempotency-Key", missing: refuse{400, srsError("VALIDATION_ERROR")}, mismatch: refuse{409, srsError("IDEMPOTENCY_CONFLICT")},
		malformed: refuse{400, srsError("VALIDATION_ERROR")}, inProgress: refuse{409, srsError("REQUEST_IN_PROGRESS")}, retryAfter: "1",
		keyMax: 128, double: refuse{400, srsError("VALIDATION_ERROR")}, success: `{"requestId":"%[1]s","orderId":"o-%[1]s"}`,
		statusPath: "/checkout/", nonOwner: 403,
	}
}

func stripeAPI() *api {
	return &api{
		header: "Idempotency-Key", mismatch: refuse{400, `{"error":{"type":"idempotency_error","message":"m"}}`},
		malformed: refuse{400, `{"error":{"type":"invalid_request_error"}}`}, inProgress: refuse{409, `{"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}}`},
		keyMax: 255, marker: "Idempotent-Replayed", success: `{"id":"%s","object":"charge"}`, statusPath: "/v1/charges/", location: true,
	}
}

func TestWhatIsLearned(t *testing.T) {
	other := plainAPI()
	other.mismatch, other.inProgress, other.keyMax = refuse{422, srsError("KEY_REUSED")}, refuse{425, srsError("TOO_EARLY")}, 64
	other.header, other.nonOwner = "X-Idempotency-Key", 404
	waits := plainAPI()
	waits.inProgress, waits.execute, waits.mismatch = refuse{}, true, refuse{}
	replays := plainAPI()
	replays.mismatch, replays.missing = refuse{}, refuse{}
	problems := plainAPI()
	problem := `{"type":"https://example.com/p","title":"no"}`
	problems.missing.body, problems.mismatch.body, problems.inProgress.body = problem, problem, problem
	hostile := plainAPI()
	hostile.mismatch.body = srsError(`\u001b[31m\n\"}: {{x}} # `)
	hostile.statusPath, hostile.location = "/a b/", true
	shared := plainAPI()
	shared.global = true
	deaf := plainAPI()
	deaf.header, deaf.missing = "Request-Id", refuse{}
	elsewhere := plainAPI() // refuses as the commerce protocol does, and names ids as the requirements do
	elsewhere.missing, elsewhere.mismatch, elsewhere.inProgress, elsewhere.double = refuse{}, refuse{409, `{"code":"","content":"no"}`}, refuse{}, refuse{422, `{"content":"no"}`}
	elsewhere.keyMax = 255
	shop := stripeAPI() // as many a shop is: like Stripe, but each customer has keys of their own
	shop.missing, shop.malformed, shop.mismatch = refuse{400, `{"error":"bad_key"}`}, refuse{400, `{"error":"bad_key"}`}, refuse{422, `{"error":"key_reused"}`}
	shop.inProgress, shop.success, shop.statusPath, shop.location, shop.nonOwner = refuse{409, `{"error":"in_progress"}`}, `{"orderId":"%s","status":"paid"}`, "/checkout/", false, 404
	account := stripeAPI() // one key space for all customers, as Stripe has it
	account.global = true
	blind := plainAPI()
	blind.statusPath, blind.malformed, blind.double = "", refuse{}, refuse{}
	for _, row := range []struct {
		name   string
		api    *api
		as     []string
		file   []string // the profile says
		gaps   []string // the report says
		absent []string // the profile does not say
	}{
		{"the requirements' own dialect", plainAPI(), []string{"alice"},
			[]string{"\ndialect: srs\n", `status: {path: "/checkout/{{requestId}}"}`, "#   keyMax           128 characters accepted, 129 refused", "#:   bob:"},
			[]string{"dialect.scope: one customer"}, []string{"secret-of-", "response:"}},
		{"two customers", plainAPI(), []string{"alice", "bob"},
			[]string{"\ndialect: srs\n", "#   statusNonOwner   403", `  bob: {tenant: t1, header: {Authorization: "Bearer ${BOB_TOKEN}"}}`}, nil, []string{"#:   bob:", "secret-of-"}},
		{"nobody's credentials", plainAPI(), nil, []string{"  alice: {tenant: t1}\n", `#:   carol: {tenant: t2, sameNameAs: alice, header: {Authorization: "Bearer ${CAROL_TOKEN}"}}`}, nil, nil},
		{"everything else", other, []string{"alice", "bob"},
			[]string{"  header: X-Idempotency-Key # seen:", `mismatch: {mode: refuse, statuses: [422], code: "KEY_REUSED"} # seen: 422 KEY_REUSED`,
				`inProgress: {mode: refuse, statuses: [425], code: "TOO_EARLY", retryAfter: true}`, "  keyMax: 64 # seen: 64 characters accepted, 65 refused", "statusNonOwner"}, nil, nil},
		{"as one knows it from payments", stripeAPI(), []string{"alice"},
			[]string{"stripe", `status: {path: "/v1/charges/{{requestId}}"}`, `code: ".error.type"`}, nil, []string{`requestId:`, `orderId:`}},
		{"ids that its base has elsewhere", elsewhere, []string{"alice"}, []string{"ucp", `requestId: ".requestId"`, `orderId: ".orderId"`}, nil, nil},
		{"waits and executes", waits, []string{"alice"}, []string{"  mismatch: execute # seen: 201"}, []string{"dialect.inProgress: both of two requests"}, nil},
		{"replays whatever the body", replays, []string{"alice"}, []string{"mismatch: replay", "missing: execute"}, nil, nil},
		{"problems", problems, []string{"alice"}, []string{"problem"}, nil, nil},
		{"what no profile should hold", hostile, []string{"alice"}, []string{`code: "\x1b[31m\n\"}: {{x}} # "} # seen: 409 ?[31m "}: {{x}} #`}, nil, []string{"\x1b"}},
		{"keys of all customers together", shared, []string{"alice", "bob"}, nil, []string{"dialect.scope: the key of one customer, used by another"}, nil},
		{"a shop with keys for each customer", shop, []string{"alice", "bob"},
			[]string{"principal] # seen: 201 and an order of its own for another customer", `response: {requestId: ".orderId", orderId: ".orderId"}`, `status: {path: "/checkout/{{requestId}}"}`}, nil, []string{"  scope: [tenant]"}},
		{"an account's keys", account, []string{"alice", "bob"}, []string{"stripe keeps failures", "#   scope: the key of one customer"}, []string{"stripe takes that for right and leaves SRS-CHK-001.18 out"}, []string{"\n  scope: "}},
		{"a header that nobody guesses", deaf, []string{"alice"}, nil, []string{"dialect.header: a repeat with the same key made another order"}, nil},
		{"little to see", blind, []string{"alice"}, []string{`#: status: {path: "/PATH/{{requestId}}"}`},
			[]string{"dialect.malformed: a key with a control character was not refused", "status: no checkout can be read", "dialect.keyMax"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, err := Observe(t.Context(), row.api.options(row.as...))
			if err != nil {
				t.Fatal(err)
			}
			if f.Sent > MaxRequests || f.Sent != row.api.sent {
				t.Errorf("%d requests said, %d sent, at most %d allowed", f.Sent, row.api.sent, MaxRequests)
			}
			text := string(f.Profile())
			for _, part := range row.file {
				if !strings.Contains(text, part) {
					t.Errorf("the profile does not say %q:\n%s", part, text)
				}
			}
			for _, part := range row.absent {
				if strings.Contains(text, part) {
					t.Errorf("the profile says %q:\n%s", part, text)
				}
			}
			var report bytes.Buffer
			if err := f.WriteText(&report, func(s string) string { return s }); err != nil {
				t.Fatal(err)
			}
			for _, part := range row.gaps {
				if !strings.Contains(report.String(), part) {
					t.Errorf("the report does not say %q:\n%s", part, report.String())
				}
			}
			if _, err := profile.Parse("profile.yaml", f.Profile(), tokens); err != nil {
				t.Errorf("the profile cannot be read: %v", err)
			}
			// The templates have to be right as well, the words in capitals being such.
			whole := strings.ReplaceAll(text, "\n#: ", "\n")
			for _, name := range []string{"LEDGER", "PAYMENT", "INVENTORY", "ORDERS", "CONTROL"} {
				whole = strings.ReplaceAll(whole, name+"_URL", "http://127.0.0.1:1/"+name)
			}
			if _, err := profile.Parse("profile.yaml", []byte(whole), tokens); err != nil {
				t.Errorf("with its templates filled in, the profile cannot be read: %v", err)
			}
		})
	}
}

func TestWhatCannotBeObserved(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		says   string
	}{
		"no credentials": {401, srsError("UNAUTHENTICATED"), "--token VALUE"},
		"no such path":   {404, "", "--path"},
		"another body":   {422, srsError("VALIDATION_ERROR"), "--body"},
		"down":           {503, srsError("SERVICE_UNAVAILABLE"), "one plain checkout has to succeed"},
		"parked":         {202, `{"requestId":"r"}`, "start that first"},
		"a page":         {200, "<html>", "has to be a JSON object"},
		"moved":          {302, "", "one plain checkout has to succeed"},
	} {
		a := plainAPI()
		a.denied = refuse{row.status, row.body}
		if _, err := Observe(t.Context(), a.options("alice")); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, wanted %q", name, err, row.says)
		}
		if a.sent > 2 { // the second with the other name of the header
			t.Errorf("%s: %d requests sent after a first one that failed", name, a.sent)
		}
	}
}

func TestParseBody(t *testing.T) {
	for _, row := range []struct{ in, out, guessed, err string }{
		{`{"b": 1, "a": {"x":"y:z,"}}`, `{"b": 1, "a": {"x": "y:z,"}}`, "", ""},
		{`{"cart": "{{cart}}", "total": 5}`, `{"cart": "{{cart}}", "total": 5}`, "", ""},
		{`{"order_reference": "A-1", "total": 1999, "price": 2}`, `{"order_reference": "{{cart}}", "total": "{{amount}}", "price": 2}`, "order_reference is taken for the cart; total is taken for the amount", ""},
		{`{"amount": 12.5}`, `{"amount": 12.5}`, "", ""},
		{`[1]`, "", "", "no JSON object"},
		{`{"a": 1} {}`, "", "", "one whole JSON object"},
		{`{"a": }`, "", "", "invalid"},
		{``, "", "", "no JSON object"},
	} {
		b, err := ParseBody([]byte(row.in))
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) {
				t.Errorf("%s: %v, wanted %q", row.in, err, row.err)
			}
			continue
		}
		if err != nil || b.text != row.out || strings.Join(b.guessed, "; ") != row.guessed {
			t.Errorf("%s: %q %q %v", row.in, b.text, b.guessed, err)
		}
	}
}

func FuzzParseBody(f *testing.F) {
	for _, seed := range []string{`{"a": "b"}`, `{"cart":"x","amount":1}`, `{"a":{"b":[1,"\\\"",{}]}}`, `{`, `{"a":"é"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := ParseBody(text)
		if err != nil {
			return
		}
		if again, err := ParseBody([]byte(b.text)); err != nil || again.text != b.text && len(b.guessed) == 0 && len(again.guessed) == 0 {
			t.Errorf("%q was written as %q, which is read as %q: %v", text, b.text, again.text, err)
		}
	})
}
