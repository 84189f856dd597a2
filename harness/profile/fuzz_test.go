package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Parse must end with an error or with a profile that the rest can use, whatever
// it is given, and must never show a value of the environment.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strings.Repeat("[", 10_000)))
	f.Add([]byte(strings.Repeat("a: {", 10_000)))
	f.Add([]byte("target: |\n  ${HIDDEN}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("profile.yaml", data, environment)
		if err != nil {
			if strings.Contains(err.Error(), hidden) {
				t.Fatalf("the error shows a value of the environment: %v", err)
			}
			return
		}
		tried := p.Checkout != nil || p.gatewayed()
		if p.Target.Name == "" || len(p.SHA256) != 64 || !tried && p.Client == nil || tried && (len(p.Principals) == 0 || p.Target.URL == "") {
			t.Fatalf("an incomplete profile was accepted: %+v", p)
		}
		p.Info()
		p.Secrets()
		if p.Checkout == nil {
			return
		}
		vars := map[string]any{"cart": "c", "amount": 1, "reference": "r", "correlationId": "i"}
		if _, err := p.Render(*p.Checkout, "", vars, Changes{}); err != nil {
			t.Fatalf("a checkout that was accepted cannot be rendered: %v", err)
		}
	})
}
