package stub

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// matcher decides about one value; nil is a value that is absent. As in
// WireMock, what is absent neither equals nor contains nor matches anything, so
// the negative matchers accept it.
type matcher func(*string) bool

// parser reads the argument of a matcher.
type parser func(pointer string, raw json.RawMessage) (matcher, error)

// parseMatcher reads {"equalTo": "x"} and its relatives.
func parseMatcher(dst *matcher) reader {
	return func(pointer string, raw json.RawMessage) error {
		var m matcher
		var caseInsensitive, ignoreExtra bool
		var names []string
		set := func(name string, parse parser) reader {
			return func(pointer string, raw json.RawMessage) error {
				names = append(names, name)
				parsed, err := parse(pointer, raw)
				m = parsed
				return err
			}
		}
		present := func(test func(value, want string) bool) parser {
			return func(pointer string, raw json.RawMessage) (matcher, error) {
				var want string
				err := into(&want)(pointer, raw)
				return func(v *string) bool { return v != nil && test(*v, want) }, err
			}
		}
		err := object(map[string]reader{
			"caseInsensitive":     into(&caseInsensitive),
			"ignoreExtraElements": into(&ignoreExtra),
			"equalTo": set("equalTo", present(func(v, want string) bool {
				return v == want || caseInsensitive && strings.EqualFold(v, want)
			})),
			"contains":       set("contains", present(strings.Contains)),
			"doesNotContain": set("doesNotContain", negative(present(strings.Contains))),
			"matches":        set("matches", parseRegexp),
			"doesNotMatch":   set("doesNotMatch", negative(parseRegexp)),
			"absent":         set("absent", parseAbsent),
			"equalToJson": set("equalToJson", func(pointer string, raw json.RawMessage) (matcher, error) {
				return parseEqualToJSON(pointer, raw, &ignoreExtra)
			}),
			"and": set("and", parseLogical(func(all []matcher, v *string) bool {
				for _, m := range all {
					if !m(v) {
						return false
					}
				}
				return true
			})),
			"or": set("or", parseLogical(func(all []matcher, v *string) bool {
				for _, m := range all {
					if m(v) {
						return true
					}
				}
				return false
			})),
			"not": set("not", negative(func(pointer string, raw json.RawMessage) (m matcher, err error) {
				err = parseMatcher(&m)(pointer, raw)
				return m, err
			})),
		})(pointer, raw)
		switch {
		case err != nil:
			return err
		case len(names) != 1:
			return &fieldError{pointer, fmt.Sprintf("must have exactly one matcher, has %q", names)}
		case caseInsensitive && names[0] != "equalTo":
			return &fieldError{pointer + "/caseInsensitive", "is implemented for equalTo only"}
		case ignoreExtra && names[0] != "equalToJson":
			return &fieldError{pointer + "/ignoreExtraElements", "is implemented for equalToJson only"}
		}
		*dst = m
		return nil
	}
}

// compile makes a regular expression that matches in full, as WireMock's do.
func compile(pointer, expr string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(`(?s)\A(?:` + expr + `)\z`)
	if err != nil {
		return nil, &fieldError{pointer, "is no regular expression that Go understands: " + err.Error()}
	}
	return re, nil
}

func parseRegexp(pointer string, raw json.RawMessage) (matcher, error) {
	var expr string
	if err := into(&expr)(pointer, raw); err != nil {
		return nil, err
	}
	re, err := compile(pointer, expr)
	return func(v *string) bool { return v != nil && re.MatchString(*v) }, err
}

func negative(parse parser) parser {
	return func(pointer string, raw json.RawMessage) (matcher, error) {
		m, err := parse(pointer, raw)
		return func(v *string) bool { return !m(v) }, err
	}
}

func parseAbsent(pointer string, raw json.RawMessage) (matcher, error) {
	var absent bool
	if err := into(&absent)(pointer, raw); err != nil || !absent {
		return nil, &fieldError{pointer, "must be true"}
	}
	return func(v *string) bool { return v == nil }, nil
}

func parseLogical(combine func([]matcher, *string) bool) parser {
	return func(pointer string, raw json.RawMessage) (matcher, error) {
		var all []matcher
		err := list(func(pointer string, raw json.RawMessage) error {
			var m matcher
			err := parseMatcher(&m)(pointer, raw)
			all = append(all, m)
			return err
		})(pointer, raw)
		if err == nil && len(all) == 0 {
			err = &fieldError{pointer, "must not be empty"}
		}
		return func(v *string) bool { return combine(all, v) }, err
	}
}
