package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// inheritedFD is where a child finds its listening socket: the first
// descriptor after the three standard ones.
const inheritedFD = 3

// RunChild runs one instance for a supervisor: it reads the InstanceConfig, one
// JSON document, from in, and writes "ready ADDR ADMINADDR" as the first line
// of out when the instance accepts. It returns when ctx ends or in does: the
// supervisor holds the other end of in, so that a child ends with its
// supervisor however that one ended. Where ctx ends first, one goroutine stays
// behind in a read of in.
func RunChild(ctx context.Context, in io.Reader, out io.Writer) error {
	return runChild(ctx, in, out, RunInstance)
}

type runFunc func(ctx context.Context, cfg InstanceConfig, ready func(addr, adminAddr string)) error

func runChild(ctx context.Context, in io.Reader, out io.Writer, run runFunc) error {
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	var cfg InstanceConfig
	if err := decoder.Decode(&cfg); err != nil {
		return fmt.Errorf("read the instance's configuration from standard input: %w; serve starts instances by itself", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // returns at the end of in, which is all that matters
	}()
	return run(ctx, cfg, func(addr, adminAddr string) {
		if _, err := fmt.Fprintf(out, "ready %s %s\n", addr, adminAddr); err != nil {
			cancel() // nobody listens any more
		}
	})
}
