package rig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/oncecheck/oncecheck/harness/profile"
)

// trusted returns how https connections to the target and its ledger are
// verified: by the certificates of target.ca, or by the system's without it.
// Verification is never switched off.
func trusted(p *profile.Profile) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.Target.CA == "" {
		return config, nil
	}
	path := p.File(p.Target.CA)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("target.ca: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("target.ca: %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", path)
	}
	return config, nil
}

// noHTTP1 is the alert of a server that was offered HTTP/1.1 only.
const noHTTP1 = tls.AlertError(120)

// explainTLS says what is wrong with a handshake, and what to do.
func explainTLS(err error) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("its certificate is signed by nobody that is trusted: %w; name a PEM file of that authority, or of the certificate itself where it is self-signed, as target.ca", err)
	case errors.As(err, &name):
		return fmt.Errorf("its certificate is for another name: %w; use a name of the certificate in target.url", err)
	case errors.As(err, &invalid):
		return fmt.Errorf("its certificate is not valid: %w; have it renewed", err)
	case errors.As(err, &plain):
		return fmt.Errorf("it does not speak TLS: %w; begin target.url with http://", err)
	case errors.Is(err, noHTTP1):
		return fmt.Errorf("%w: %w", errHTTP2Only, err)
	}
	return fmt.Errorf("the TLS handshake failed: %w", err)
}
