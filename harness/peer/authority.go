package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// authority signs the certificates of one run's peers. Its keys live in this
// process only.
type authority struct {
	pem       []byte
	certified *x509.Certificate
	key       *ecdsa.PrivateKey
	right     *tls.Config // for peers that are who they say they are
	wrong     *tls.Config // for peers that show the certificate of another host
}

// elsewhere is a name that no peer has, and that nobody can register.
const elsewhere = "elsewhere.invalid"

// validity is longer than any run, and covers clocks that differ by an hour.
const validity = 7 * 24 * time.Hour

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of an authority: %w", err)
	}
	template := certificate(1, "oncecheck run authority")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of an authority: %w", err)
	}
	a := &authority{key: key, pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})}
	if a.certified, err = x509.ParseCertificate(raw); err != nil {
		return nil, fmt.Errorf("read the certificate of an authority: %w", err)
	}
	if a.right, err = a.sign(2, "localhost", net.IPv4(127, 0, 0, 1)); err != nil {
		return nil, err
	}
	a.wrong, err = a.sign(3, elsewhere)
	return a, err
}

// sign returns what a server needs to be taken for name and the addresses.
// Sessions are not resumed: a client has to look at the certificate each time.
func (a *authority) sign(serial int64, name string, addresses ...net.IP) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", name, err)
	}
	template := certificate(serial, name)
	template.DNSNames, template.IPAddresses = []string{name}, addresses
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certified, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", name, err)
	}
	return &tls.Config{
		Certificates:           []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}},
		NextProtos:             []string{"http/1.1"},
		MinVersion:             tls.VersionTLS12,
		SessionTicketsDisabled: true,
	}, nil
}

func certificate(serial int64, name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
	}
}
