package checkout

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	runs  = regexp.MustCompile(`[\pL\pN]+(?:[ -][\pL\pN]+)+`)
	uuids = regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`)
)

// cardLike reports whether s is, or contains as words of their own, 13 to 19
// digits that satisfy the Luhn check: in one word, or in groups with a space or a
// dash between them. A digit run inside a longer word, such as a hexadecimal id,
// is not one, and neither are the groups of a UUID.
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
	return groupedCard(s)
}

// groupedCard reports whether some neighbouring groups in s are a card number:
// what is written around it may be digits, too, such as the date of its expiry.
func groupedCard(s string) bool {
	for _, run := range runs.FindAllString(uuids.ReplaceAllString(s, "/"), -1) {
		groups := strings.FieldsFunc(run, func(r rune) bool { return r == ' ' || r == '-' })
		for from := range groups {
			number := ""
			for _, group := range groups[from:] {
				if number += group; len(number) > 19 {
					break
				}
				if issued(number) && luhn(number) {
					return true
				}
			}
		}
	}
	return false
}

// issued reports whether payment cards have numbers that begin as s does. Most
// ids that are made of groups of digits have not: they begin with a year, or with
// the seconds since 1970.
func issued(s string) bool {
	return s >= "22" && s < "28" || s >= "3" && s < "7"
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
