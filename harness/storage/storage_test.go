package storage

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSearchFindsEveryForm: a text is found as it is, in digits and in base64,
// wherever it lies in what was encoded, and nothing else is.
func TestSearchFindsEveryForm(t *testing.T) {
	const secret = "4000001234567899"
	for name, content := range map[string]string{
		"plain": "pan=" + secret + ";",
		"json":  `{"number":"` + secret + `"}`,
		"hex":   hex.EncodeToString([]byte("x" + secret)),
		"HEX":   strings.ToUpper(hex.EncodeToString([]byte(secret + "jklmno"))),
		"b64-0": base64.StdEncoding.EncodeToString([]byte(secret)),
		"b64-1": base64.StdEncoding.EncodeToString([]byte("a" + secret + "z")),
		"b64-2": base64.URLEncoding.EncodeToString([]byte("ab" + secret + "?>")),
		"b64-3": base64.RawStdEncoding.EncodeToString([]byte("abc" + secret + "zz")),
	} {
		dir := t.TempDir()
		write(t, dir, "shop.db", []byte(content))
		got, err := NewFiles([]string{filepath.Join(dir, "*")}).Search(t.Context(), map[string]string{"pan": secret, "other": "4000009999999999"})
		if err != nil || len(got) != 1 || got[0].Found["pan"] != 1 || got[0].Found["other"] != 0 || got[0].Bytes != int64(len(content)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestSearchAcrossChunks: what lies across the end of what is read at once is found,
// and counted once.
func TestSearchAcrossChunks(t *testing.T) {
	const text = "cart-0123456789"
	for _, at := range []int{0, 7, maxChunk - len(text), maxChunk - 3, maxChunk, 2*maxChunk - 1, 3*maxChunk - len(text)} {
		content := bytes.Repeat([]byte{'.'}, 3*maxChunk)
		copy(content[at:], text)
		dir := t.TempDir()
		write(t, dir, "shop.db", content)
		got, err := NewFiles([]string{filepath.Join(dir, "shop.db")}).Search(t.Context(), map[string]string{"cart": text})
		if err != nil || got[0].Found["cart"] != 1 {
			t.Errorf("at %d: %+v, %v", at, got, err)
		}
	}
}

// TestSearchEachFileOnce: patterns may overlap; one that matches nothing beside
// others is no matter, none at all is an error.
func TestSearchEachFileOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "shop.db", []byte("x cart-1 x cart-1"))
	write(t, dir, "shop.db-wal", []byte("cart-1"))
	got, err := NewFiles([]string{filepath.Join(dir, "shop.db*"), filepath.Join(dir, "*"), filepath.Join(dir, "backup-*")}).Search(t.Context(), map[string]string{"cart": "cart-1"})
	if err != nil || len(got) != 2 || got[0].Found["cart"] != 2 || got[1].Name != "shop.db-wal" || got[1].Found["cart"] != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := NewFiles([]string{filepath.Join(dir, "none*")}).Search(t.Context(), map[string]string{"cart": "cart-1"}); err == nil || !strings.Contains(err.Error(), "observe.storage.files") {
		t.Errorf("no file: %v", err)
	}
}
