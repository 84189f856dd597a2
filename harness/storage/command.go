package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Command returns a reader of what a program prints: one JSON object, the record.
// It runs in the folder dir; {{requestId}} is filled in its arguments.
func Command(argv []string, dir string) (*Record, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("observe.storage.record: the command names no program")
	}
	argv = slices.Clone(argv)
	return &Record{way: func(ctx context.Context, requestID string) (json.RawMessage, error) {
		arguments := slices.Clone(argv[1:])
		for i := range arguments {
			arguments[i] = requestName.ReplaceAllLiteralString(arguments[i], requestID)
		}
		cmd := exec.CommandContext(ctx, argv[0], arguments...)
		cmd.Dir, cmd.WaitDelay = dir, time.Second
		out, complaint := &bounded{}, &bounded{}
		cmd.Stdout, cmd.Stderr = out, complaint
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("the command %s: %w; it last wrote: %.200q", filepath.Base(argv[0]), err, lastLine(complaint.kept.String()))
		}
		if out.over {
			return nil, fmt.Errorf("the command %s printed more than %d MiB", filepath.Base(argv[0]), maxRecord>>20)
		}
		if out.kept.Len() == 0 {
			return nil, fmt.Errorf("the command %s printed nothing: there is no such record", filepath.Base(argv[0]))
		}
		return out.kept.Bytes(), nil
	}}, nil
}

// bounded keeps the first bytes that are written to it. The buffer is not embedded:
// its ReadFrom would go past the bound.
type bounded struct {
	kept bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxRecord {
		b.over = true
		return len(p), nil
	}
	return b.kept.Write(p)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
