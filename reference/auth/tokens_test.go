package auth

import (
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const secret = "0123456789abcdef0123456789abcdef"

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func tokens(t *testing.T, secret string) *Tokens {
	t.Helper()
	tokens, err := New(secret, func() time.Time { return epoch })
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func sign(t *testing.T, method jwt.SigningMethod, key any, c jwt.Claims) string {
	t.Helper()
	signed, err := jwt.NewWithClaims(method, c).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestMintedTokenNamesItsPrincipal(t *testing.T) {
	own := tokens(t, secret)
	want := Principal{Tenant: "t1", Subject: "alice", Roles: []string{RoleSupport}}
	minted, err := own.Mint(want, epoch.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "bearer "+minted)
	got, err := own.Authenticate(r)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !got.Has(RoleSupport) || got.Has("other") {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func TestRefusals(t *testing.T) {
	own := tokens(t, secret)
	foreign := tokens(t, strings.Repeat("x", 32))
	alice := Principal{Tenant: "t1", Subject: "alice"}
	mint := func(tk *Tokens, p Principal, at time.Time) string {
		s, err := tk.Mint(p, at)
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + s
	}
	later := epoch.Add(time.Hour)
	full := claims{Tenant: "t1", RegisteredClaims: jwt.RegisteredClaims{Subject: "alice", ExpiresAt: jwt.NewNumericDate(later)}}
	good := mint(own, alice, later)
	for name, headers := range map[string][]string{
		"none":           nil,
		"empty":          {""},
		"two":            {good, good},
		"basic":          {"Basic YTpi"},
		"garbage":        {"Bearer a.b.c"},
		"expired":        {mint(own, alice, epoch.Add(-time.Second))},
		"foreign":        {mint(foreign, alice, later)},
		"no tenant":      {mint(own, Principal{Subject: "alice"}, later)},
		"no subject":     {mint(own, Principal{Tenant: "t1"}, later)},
		"alg none":       {"Bearer " + sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, full)},
		"alg HS512":      {"Bearer " + sign(t, jwt.SigningMethodHS512, []byte(secret), full)},
		"without expiry": {"Bearer " + sign(t, jwt.SigningMethodHS256, []byte(secret), claims{Tenant: "t1", RegisteredClaims: jwt.RegisteredClaims{Subject: "alice"}})},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			for _, h := range headers {
				r.Header.Add("Authorization", h)
			}
			if p, err := own.Authenticate(r); !errors.Is(err, ErrUnauthenticated) {
				t.Fatalf("got %+v, %v; want a refusal", p, err)
			}
		})
	}
}

func TestShortSecretIsRefused(t *testing.T) {
	if _, err := New("short", time.Now); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Fatalf("got %v, want a refusal that does not print the secret", err)
	}
}
