package profile

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// variable is how a value of the environment is asked for.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// substitute fills ${NAME}. An empty variable counts as missing: an empty
// credential would be sent, refused, and blamed on the target.
func (d *decoder) substitute(text, path string, tk *token.Token) string {
	if !strings.Contains(text, "${") {
		return text
	}
	d.src.substituted[path] = true
	filled := variable.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		value, ok := d.env(name)
		if !ok || value == "" {
			d.src.reject(tk, "%s needs the environment variable %s, which is not set or empty", path, name)
			return ""
		}
		d.secrets[name] = value
		return value
	})
	if strings.Contains(variable.ReplaceAllString(text, ""), "${") {
		d.src.reject(tk, "%s holds a ${ that does not begin a variable of the form ${NAME}", path)
	}
	return filled
}
