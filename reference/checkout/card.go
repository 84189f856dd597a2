package checkout

import (
	"strings"
	"unicode"
)

// cardLike reports whether s is, or contains as a word of its own, 13 to 19
// digits that satisfy the Luhn check. A digit run inside a longer word, such as a
// hexadecimal id, is not one; a whole value grouped by spaces or dashes is.
func cardLike(s string) bool {
	if luhn(strings.NewReplacer(" ", "", "-", "").Replace(s)) {
		return true
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		if luhn(word) {
			return true
		}
	}
	return false
}

// luhn reports whether s is 13 to 19 digits with a valid check digit.
func luhn(s string) bool {
	if len(s) < 13 || len(s) > 19 {
		return false
	}
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
