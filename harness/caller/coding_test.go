package caller

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func TestContentCodings(t *testing.T) {
	const plain = `{"requestId":"r1"}`
	sum := sha256.Sum256([]byte(plain))
	for name, row := range map[string]struct{ coding, body, says string }{
		"none":                 {"", plain, ""},
		"identity":             {"identity", plain, ""},
		"gzip":                 {"gzip", gzipped(plain), ""},
		"gzip in capitals":     {"GZIP", gzipped(plain), ""},
		"its old name":         {"x-gzip", gzipped(plain), ""},
		"brotli":               {"br", plain, `coding "br"`},
		"two":                  {"gzip, gzip", gzipped(gzipped(plain)), `coding "gzip, gzip"`},
		"gzip by name only":    {"gzip", plain, "compressed with gzip"},
		"gzip that breaks off": {"gzip", gzipped(plain)[:20], "cut off"},
		"gzip with a tail":     {"gzip", gzipped(plain) + "tail", "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := peer(t, func(head, _ string) string {
				if strings.Contains(strings.ToLower(head), "accept-encoding") {
					t.Errorf("a coding was asked for:\n%s", head)
				}
				coding := ""
				if row.coding != "" {
					coding = "Content-Encoding: " + row.coding + "\r\n"
				}
				return fmt.Sprintf("HTTP/1.1 201 Created\r\n%sContent-Length: %d\r\n\r\n%s", coding, len(row.body), row.body)
			})
			_, a, err := testCaller(address).Send(t.Context(), harness.Attempt{Operation: "checkout"})
			if row.says != "" {
				if err == nil || errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), row.says) || a.Status != 0 {
					t.Errorf("%+v, %v, want %q", a, err, row.says)
				}
				return
			}
			if err != nil || a.Body != plain || a.BodySHA256 != hex.EncodeToString(sum[:]) || a.BodyBytes != int64(len(plain)) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

func TestAnEmptyBodyHasNoCoding(t *testing.T) {
	address, _ := peer(t, func(string, string) string {
		return "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"
	})
	_, a, err := testCaller(address).Send(t.Context(), harness.Attempt{Operation: "checkout"})
	if err != nil || a.Status != 200 || a.BodyBytes != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
