package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// file is one Go file of the module.
type file struct {
	folder string // relative to the module's root, slashes
	name   string
	syntax *ast.File
	set    *token.FileSet
}

func (f file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// at returns where a node stands, as file:line from the module's root.
func (f file) at(p token.Pos) string {
	return fmt.Sprintf("%s/%s:%d", f.folder, f.name, f.set.Position(p).Line)
}

// files parses every Go file of the module, whatever its build constraints.
func files(t *testing.T) []file {
	t.Helper()
	root := moduleRoot(t)
	var all []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		f := file{folder: filepath.ToSlash(folder), name: d.Name(), set: token.NewFileSet()}
		f.syntax, err = parser.ParseFile(f.set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", path, err)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatalf("walk the module at %s: %v", root, err)
	}
	return all
}

// moduleRoot returns the folder with go.mod: this package lies three below it.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(data), "\n"); first != "module "+module {
		t.Fatalf("%s declares %q, and the rules speak of %s", filepath.Join(root, "go.mod"), first, module)
	}
	return root
}

// tops are the folders that the rules speak of. A new one needs a rule first.
var tops = []string{"harness", "scenarios", "reference", "fakes", "reports", "cmd"}

func TestImportsKeepTheRules(t *testing.T) {
	judged := map[string]bool{}
	for _, f := range files(t) {
		top, _, _ := strings.Cut(f.folder, "/")
		if !slices.Contains(tops, top) {
			t.Errorf("%s/%s: no import rule covers the folder %q; add one to package arch", f.folder, f.name, top)
			continue
		}
		if f.isTest() {
			continue
		}
		judged[top] = true
		for _, spec := range f.syntax.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatalf("%s: %v", f.at(spec.Pos()), err)
			}
			if b := judge(f.folder, path); b != nil {
				t.Errorf("%s: %s imports %s: breaks rule %d: %s", f.at(spec.Pos()), f.folder, path, b.Rule, b.Do)
			}
		}
	}
	for _, top := range tops {
		if !judged[top] {
			t.Errorf("no file of %s was judged: the walk missed it, or the folder moved and the rules did not", top)
		}
	}
}
