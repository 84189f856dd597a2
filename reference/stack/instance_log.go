package stack

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
)

// instanceLog is a log of JSON lines: to standard error, and to a file if there
// is one. What is too much to read goes to the file only.
type instanceLog struct {
	*slog.Logger
	file  *slog.Logger
	close func() error
}

// openLog opens the log. Every record is one write that appends, so that several
// instances may share the file.
func openLog(path string) (instanceLog, error) {
	options := &slog.HandlerOptions{ReplaceAttr: redactor()}
	if path == "" {
		return instanceLog{slog.New(slog.NewJSONHandler(os.Stderr, options)), slog.New(slog.DiscardHandler), func() error { return nil }}, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return instanceLog{}, fmt.Errorf("open the log %s: %w", path, err)
	}
	return instanceLog{
		slog.New(slog.NewJSONHandler(io.MultiWriter(file, os.Stderr), options)),
		slog.New(slog.NewJSONHandler(file, options)), file.Close,
	}, nil
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
