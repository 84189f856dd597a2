package mutants

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// emptyStore is a store that nobody calls.
type emptyStore struct{ checkout.Store }

func (emptyStore) Reserve(context.Context, checkout.Record) (checkout.Record, bool, error) {
	return checkout.Record{}, false, nil
}

func (emptyStore) Due(context.Context, time.Time, int) ([]string, error) { return nil, nil }

// noResults is a store of results that nobody calls.
type noResults struct{ gateway.Store }

// whole is everything that a mutant may change.
type whole struct {
	Checkout checkout.Config
	Gateway  gateway.Config
	Client   client.Config
}

func right(t *testing.T) whole {
	t.Helper()
	tokens, err := auth.New("0123456789abcdef0123456789abcdef", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return whole{
		checkout.Defaults(emptyStore{}, checkout.NewDirectory(nil), tokens),
		gateway.Defaults(noResults{}, "", tokens), client.Defaults(),
	}
}

func (w *whole) breakBy(m Mutant) {
	if m.Wrap != nil {
		m.Wrap(&w.Checkout)
	}
	if m.Gateway != nil {
		m.Gateway(&w.Gateway)
	}
	if m.Client != nil {
		m.Client(&w.Client)
	}
}

// identity lists what makes up a configuration: functions by their code and
// closure, other parts by value.
func identity(v reflect.Value, path string, into map[string]any) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			identity(v.Field(i), path+"."+v.Type().Field(i).Name, into)
		}
	case reflect.Func:
		into[path] = v.Pointer()
	case reflect.Interface:
		into[path] = v.Elem().Type()
	case reflect.Pointer:
		into[path] = v.Pointer()
	case reflect.Int, reflect.Int64:
		into[path] = v.Int()
	}
}

func TestEveryMutantIsComplete(t *testing.T) {
	clause := regexp.MustCompile(`^SRS-(CHK-(00[1-3]|IF|SEC)|RES-001)\.\d\d$`)
	needs := []string{needEffects, needDependencies, needSecondTenant, needSecondPrincipal, needDecline, needKeyless, needDependency,
		needFreshClient, needDeclaredPolicy, needIdempotencyKey, needCancel, needSocketStats, needTLSTrust, needResolver,
		needGateway, needFallbackSeed, needFeatureFlag, needStoreLink, needClock, needMetrics, needSecondOperation, needSecondVersion, needRefreshed, needOptionalField, needLargeAnswer, needWebhook, needKeyFlag, needFields, needStoredRecord, needOutbox, needStorage, needOtherRole, needSupportRole, needLogs,
		needInstances, needProcessControl, needStatus}
	seen := map[string]bool{}
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			if m.Name == "" || seen[m.Name] {
				t.Error("the name is empty or taken")
			}
			seen[m.Name] = true
			if m.Breaks == "" || len(m.Kills) == 0 {
				t.Error("it says neither what it breaks nor who must notice")
			}
			for _, id := range m.Kills {
				if !clause.MatchString(id) {
					t.Errorf("%q is not the id of a clause", id)
				}
			}
			for _, need := range m.Needs {
				if !slices.Contains(needs, need) {
					t.Errorf("%q is not a capability", need)
				}
			}
			before, after := map[string]any{}, map[string]any{}
			cfg := right(t)
			identity(reflect.ValueOf(cfg), "", before)
			cfg.breakBy(m)
			identity(reflect.ValueOf(cfg), "", after)
			if reflect.DeepEqual(before, after) {
				t.Error("it changes nothing")
			}
			_, checkoutErr := checkout.New(cfg.Checkout)
			_, gatewayErr := gateway.New(cfg.Gateway)
			if err := errors.Join(checkoutErr, gatewayErr); err != nil {
				t.Errorf("the service cannot be made: %v", err)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	for _, m := range All() {
		if got, ok := Named(m.Name); !ok || got.Breaks != m.Breaks {
			t.Errorf("%s is not found by its name", m.Name)
		}
	}
	if _, ok := Named("no-such-sin"); ok {
		t.Error("found a mutant that does not exist")
	}
}
