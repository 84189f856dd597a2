package rig

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/fakes/stub"
)

// stubsIn returns a server of the WireMock mappings in a folder: the JSON files
// in its mappings/, as WireMock keeps them, or in the folder itself. A file that
// cannot be used is an error: a stub left out would answer 404, and the target
// would be blamed.
func stubsIn(dir string) (http.Handler, error) {
	if inner := filepath.Join(dir, "mappings"); isFolder(inner) {
		dir = inner
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".json") {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it holds no .json file")
	}
	if err != nil {
		return nil, fmt.Errorf("read the stubs in %s: %w; name a folder of WireMock mappings", dir, err)
	}
	slices.Sort(files) // the newest of equals answers, so the order is part of it
	server := stub.New()
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err == nil {
			err = server.Load(text)
		}
		if err != nil {
			return nil, fmt.Errorf("read the stub %s: %w", path, err)
		}
	}
	return stubsOnly(server.Handler()), nil
}

// stubsOnly keeps the target away from the server's own administration.
func stubsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/__admin") {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
