package storage

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// form is a way in which a text may stand in a file.
type form struct {
	name  string // of the text
	bytes []byte
}

// formsOf returns the forms of every text: as it is, in hexadecimal digits of
// either case, and in base64 wherever it may lie in what was encoded.
func formsOf(texts map[string]string) []form {
	var all []form
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if text == "" {
			continue
		}
		digits := hex.EncodeToString([]byte(text))
		spelt := []string{text, digits}
		if upper := strings.ToUpper(digits); upper != digits {
			spelt = append(spelt, upper)
		}
		for _, s := range append(spelt, inBase64(text)...) {
			all = append(all, form{name, []byte(s)})
		}
	}
	return all
}

// inBase64 returns what of a text's base64 does not depend on its neighbours, for
// each of the three places at which it may begin within a group of three bytes.
// A text too short to leave eight characters is not looked for: by chance it would
// be found anywhere.
func inBase64(text string) []string {
	var all []string
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
		first := (shift*8 + 5) / 6          // characters that hold bits of what stands before
		last := (shift + len(text)) * 8 / 6 // those after hold bits of what follows
		if part := encoded[first:last]; len(part) >= 8 {
			all = append(all, part)
			if other := strings.NewReplacer("+", "-", "/", "_").Replace(part); other != part {
				all = append(all, other)
			}
		}
	}
	return all
}
