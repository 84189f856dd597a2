package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// finding is a piece of code that no file may contain.
type finding struct {
	pos  token.Pos
	what string
}

// timers are the functions of package time that read the clock or wait for it.
var timers = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

// forbidden finds func init, and selections of the named functions of package
// time under whatever name the file imports it.
func forbidden(f *ast.File, functions ...string) []finding {
	var found []finding
	clock := importedAs(f, "time")
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				found = append(found, finding{n.Pos(), "func init: nothing registers itself; list it where it is used, in order"})
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && clock != "" && x.Name == clock && slices.Contains(functions, n.Sel.Name) {
				found = append(found, finding{n.Pos(), "time." + n.Sel.Name})
			}
		}
		return true
	})
	return found
}

// importedAs returns the name under which the file knows a package, or "".
func importedAs(f *ast.File, path string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path
		}
	}
	return ""
}

func TestNoInitAndNoSleep(t *testing.T) {
	for _, f := range files(t) {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		for _, found := range forbidden(f.syntax, "Sleep") {
			if found.what == "time.Sleep" {
				found.what = "time.Sleep: a pause is luck; wait for the event, poll with a ticker and a context, or use a timer in a select"
			}
			t.Errorf("%s: %s", f.at(found.pos), found.what)
		}
	}
}

// A judge that reads the clock gives another verdict tomorrow.
func TestChecksReadNoClock(t *testing.T) {
	for _, f := range files(t) {
		if f.folder != "harness/check" || f.isTest() {
			continue
		}
		for _, found := range forbidden(f.syntax, timers...) {
			t.Errorf("%s: breaks rule 1: %s in a check; take times from the history", f.at(found.pos), found.what)
		}
	}
}

func TestForbiddenFindsWhatItShould(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"init", `package p; func init() {}`, []string{"func init: nothing registers itself; list it where it is used, in order"}},
		{"method named init", `package p; type t int; func (t) init() {}`, nil},
		{"sleep", `package p; import "time"; func f() { time.Sleep(1) }`, []string{"time.Sleep"}},
		{"sleep as a value", `package p; import "time"; var wait = time.Sleep`, []string{"time.Sleep"}},
		{"sleep under another name", `package p; import t "time"; func f() { t.Sleep(1) }`, []string{"time.Sleep"}},
		{"another Sleep", `package p; import "time"; type x struct{}; func (x) Sleep(time.Duration) {}; func f(y x) { y.Sleep(1) }`, nil},
		{"clock", `package p; import "time"; func f() time.Time { return time.Now() }`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			syntax, err := parser.ParseFile(token.NewFileSet(), "p.go", c.source, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range forbidden(syntax, "Sleep") {
				got = append(got, f.what)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
