package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientsOf: whatever could mix two clients up, or leave one unjudged, is
// refused before anything runs.
func TestClientsOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain.tsv"), []byte("A.01\tpass\tx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clients, err := clientsOf(dir, []string{"bin/plain"})
	if err != nil || len(clients) != 1 || clients[0].name != "plain" || clients[0].command != "bin/plain" || len(clients[0].known) != 1 {
		t.Errorf("%+v, %v", clients, err)
	}
	for want, commands := range map[string][]string{
		"would both go to plain":       {"bin/plain", "other/plain"},
		"read the expected verdicts: ": {"bin/unknown"},
	} {
		if _, err := clientsOf(dir, commands); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one that says %q", commands, err, want)
		}
	}
}
