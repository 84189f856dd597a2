package harness

import "strings"

// KeyLine returns the header line that carries the key. In a structured dialect
// that is a string of structured fields (RFC 9651): quoted, with quotes and
// backslashes escaped. A key with characters that such a string cannot hold is
// quoted all the same: the line is then malformed, and a server has to say so.
func (d Dialect) KeyLine(key string) string {
	if d.KeySyntax != "structured" {
		return key
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// KeyOf reads the key out of a header line. It reports false where the syntax
// does not allow the line: neither control characters nor bytes above ASCII in
// any syntax, no outer spaces in a raw key, nothing but one string without
// parameters in a structured one. Where either syntax is allowed, a leading
// quote begins a string.
func (d Dialect) KeyOf(line string) (string, bool) {
	for i := range len(line) {
		if line[i] < 0x20 || line[i] > 0x7e {
			return "", false
		}
	}
	if d.KeySyntax == "structured" || d.KeySyntax == "either" && strings.HasPrefix(line, `"`) {
		return unquote(strings.Trim(line, " "))
	}
	return line, line == strings.Trim(line, " ")
}

// unquote reads one string of structured fields that fills the whole text.
func unquote(text string) (string, bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	var key strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return key.String(), i == len(text)-1
		case '\\':
			i++
			if i == len(text) || text[i] != '"' && text[i] != '\\' {
				return "", false
			}
		}
		key.WriteByte(text[i])
	}
	return "", false // never closed
}
