package profile

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
)

// Attribute returns the value that says which case a call with that body belongs
// to, as text, or nothing if the body is not JSON or holds no such value. A
// whole number is spelt without fraction and exponent, as the amount of a case
// is.
func (d Dependency) Attribute(body []byte) string {
	if d.AttributePath == "" {
		return ""
	}
	// Numbers stay as they are spelt: an amount or a reference may have more
	// digits than a float keeps.
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return ""
	}
	for name := range strings.SplitSeq(d.AttributePath[1:], ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[name]
	}
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return plainNumber(value.String())
	}
	return ""
}

// FormAttribute returns the same of a call whose body is a form. Providers that
// take forms spell members of members as metadata[order].
func (d Dependency) FormAttribute(body []byte) string {
	form, err := url.ParseQuery(string(body))
	if err != nil || d.AttributePath == "" {
		return ""
	}
	name, inside, _ := strings.Cut(d.AttributePath[1:], ".")
	for inner := range strings.SplitSeq(inside, ".") {
		if inner == "" {
			break
		}
		name += "[" + inner + "]"
	}
	return form.Get(name)
}

// plainNumber spells 1010.00 and 1.01e3 as 1010. Long exponents stay: the exact
// number would fill the memory.
func plainNumber(text string) string {
	const longest = 40
	if !strings.ContainsAny(text, ".eE") || len(text) > longest {
		return text
	}
	if _, exponent, _ := strings.Cut(strings.ToLower(text), "e"); len(exponent) > 3 {
		return text
	}
	if exact, ok := new(big.Rat).SetString(text); ok && exact.IsInt() {
		return exact.Num().String()
	}
	return text
}
