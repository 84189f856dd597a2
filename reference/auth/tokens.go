package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// ErrUnauthenticated is wrapped by every refusal of [Tokens.Authenticate].
var ErrUnauthenticated = errors.New("unauthenticated")

// minSecret is the length HS256 asks for (RFC 7518, section 3.2), in bytes.
const minSecret = 32

// Tokens mints and verifies HS256 bearer tokens that share one secret.
type Tokens struct {
	secret []byte
	parser *jwt.Parser
}

type claims struct {
	Tenant string   `json:"tenant"`
	Roles  []string `json:"roles,omitempty"`
	jwt.RegisteredClaims
}

// New returns Tokens for secret, which must have at least 32 bytes. Expiry is
// decided by now.
func New(secret string, now func() time.Time) (*Tokens, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("token secret has %d bytes, HS256 needs at least %d: choose a longer one", len(secret), minSecret)
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), // refuses "none" and key confusion
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(now),
	)
	return &Tokens{secret: []byte(secret), parser: parser}, nil
}

// Mint returns a token for p that is valid until expires.
func (t *Tokens) Mint(p Principal, expires time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		Tenant: p.Tenant,
		Roles:  p.Roles,
		RegisteredClaims: jwt.RegisteredClaims{
			Subject:   p.Subject,
			ExpiresAt: jwt.NewNumericDate(expires),
		},
	})
	signed, err := token.SignedString(t.secret)
	if err != nil {
		return "", fmt.Errorf("sign a token for %s/%s: %w", p.Tenant, p.Subject, err)
	}
	return signed, nil
}

// Authenticate returns the caller that the request's bearer token names. Its
// errors wrap [ErrUnauthenticated]; they are for the log, not for the caller.
func (t *Tokens) Authenticate(r *http.Request) (Principal, error) {
	lines := r.Header.Values("Authorization")
	if len(lines) != 1 {
		return Principal{}, fmt.Errorf("%w: %d Authorization headers, want 1", ErrUnauthenticated, len(lines))
	}
	scheme, token, ok := strings.Cut(lines[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return Principal{}, fmt.Errorf("%w: the Authorization header is not a bearer token", ErrUnauthenticated)
	}
	var c claims
	_, err := t.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.secret, nil })
	if err != nil {
		return Principal{}, fmt.Errorf("%w: %w", ErrUnauthenticated, err)
	}
	if c.Tenant == "" || c.Subject == "" {
		return Principal{}, fmt.Errorf("%w: the token names no tenant or no subject", ErrUnauthenticated)
	}
	return Principal{Tenant: c.Tenant, Subject: c.Subject, Roles: c.Roles}, nil
}
