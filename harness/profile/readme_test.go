package profile

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestProfilesOfTheReadmeLoad: what the README shows is what people copy. Its first
// block is a whole profile, and each other block says more of the same.
func TestProfilesOfTheReadmeLoad(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllSubmatch(text, -1)
	if len(blocks) < 4 {
		t.Fatalf("%d blocks of YAML, want a profile, more of an API, staging, and a client", len(blocks))
	}
	if whole := string(blocks[0][1]); !strings.HasPrefix(whole, "# profile.yaml\n") {
		t.Fatalf("the first block is no profile:\n%s", whole)
	}
	value := func(name string) (string, bool) {
		if name == "WEBHOOK_SECRET" { // which has a form
			return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw", true
		}
		return "the value of " + name, true
	}
	if _, err := Parse("README.md", blocks[0][1], value); err != nil {
		t.Errorf("the profile: %v", err)
	}
	for _, block := range blocks[1:] {
		merged, err := json.Marshal(over(mapping(t, blocks[0][1]), mapping(t, block[1])))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("README.md", merged, value); err != nil {
			t.Errorf("the profile with what this adds: %v\n%s", err, block[1])
		}
	}
}

func mapping(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := yaml.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// over lays one mapping over another, member by member.
func over(whole, more map[string]any) map[string]any {
	for key, value := range more {
		below, isMapping := whole[key].(map[string]any)
		if above, ok := value.(map[string]any); ok && isMapping {
			value = over(below, above)
		}
		whole[key] = value
	}
	return whole
}
