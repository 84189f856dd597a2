package stack

import (
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
)

// openLog returns a logger of JSON lines, and what closes its file.
func openLog(path string) (*slog.Logger, func() error, error) {
	file, closeFile := os.Stderr, func() error { return nil }
	if path != "" {
		opened, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log %s: %w", path, err)
		}
		file, closeFile = opened, opened.Close
	}
	return slog.New(slog.NewJSONHandler(file, &slog.HandlerOptions{ReplaceAttr: redactor()})), closeFile, nil
}

// redactor is the second line of defence: nothing that it would have to hide is
// logged on purpose. It drops the values of telling names, and what looks like a
// card number, a payment token or a bearer token in any text, errors included.
func redactor() func([]string, slog.Attr) slog.Attr {
	telling := regexp.MustCompile(`(?i)token|secret|authorization|password|card|cvc|(^|_)pan$`)
	sensitive := regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){12,18}\b|\btok_[A-Za-z0-9_]+|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+`)
	return func(_ []string, a slog.Attr) slog.Attr {
		if telling.MatchString(a.Key) {
			return slog.String(a.Key, "[redacted]")
		}
		switch value := a.Value.Any().(type) {
		case string:
			return slog.String(a.Key, sensitive.ReplaceAllLiteralString(value, "[redacted]"))
		case error:
			text := strings.ToValidUTF8(value.Error(), "?")
			return slog.String(a.Key, sensitive.ReplaceAllLiteralString(text, "[redacted]"))
		}
		return a
	}
}
