package stack

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

func TestChildEndsWithItsInput(t *testing.T) {
	in, supervisor := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	running := make(chan InstanceConfig, 1)
	go func() {
		ended <- runChild(t.Context(), in, &out, func(ctx context.Context, cfg InstanceConfig, ready func(string, string)) error {
			ready("127.0.0.1:1", "127.0.0.1:2")
			running <- cfg
			<-ctx.Done()
			return nil
		})
	}()
	if _, err := io.WriteString(supervisor, `{"addr":"127.0.0.1:1","scale":2}`); err != nil {
		t.Fatal(err)
	}
	if cfg := <-running; cfg.Addr != "127.0.0.1:1" || cfg.Scale != 2 {
		t.Errorf("it was configured as %+v", cfg)
	}
	if err := supervisor.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if out.String() != "ready 127.0.0.1:1 127.0.0.1:2\n" {
		t.Errorf("it wrote %q", out.String())
	}
}

func TestChildRefusesWhatIsNoConfiguration(t *testing.T) {
	for _, text := range []string{"", "hello", `{"adr":"127.0.0.1:1"}`} {
		err := RunChild(t.Context(), strings.NewReader(text), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "standard input") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFirstLineComesOnceHoweverItIsCut(t *testing.T) {
	for _, c := range []struct {
		name       string
		writes     []string
		line, rest string
	}{
		{"whole", []string{"ready a b\n"}, "ready a b", ""},
		{"in pieces", []string{"rea", "dy a b", "\nmore\n", "and more\n"}, "ready a b", "more\nand more\n"},
		{"without an end", []string{strings.Repeat("x", maxFirstLine+1), "y\n"}, strings.Repeat("x", maxFirstLine), "y\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rest bytes.Buffer
			w := newFirstLine(&rest)
			for _, text := range c.writes {
				if n, err := io.WriteString(w, text); n != len(text) || err != nil {
					t.Fatalf("write: %d, %v", n, err)
				}
			}
			if got := <-w.line; got != c.line || rest.String() != c.rest {
				t.Errorf("line %q, rest %q", got, rest.String())
			}
		})
	}
}

func TestLastLinesKeepTheEnd(t *testing.T) {
	var all bytes.Buffer
	w := newLastLines(&all)
	for range 1000 {
		_, _ = io.WriteString(w, "early\n")
	}
	_, _ = io.WriteString(w, "late\n")
	if got := w.String(); !strings.HasSuffix(got, "early\nlate") || strings.Count(got, "\n") != maxTailLines {
		t.Errorf("remembered %q", got)
	}
	if all.Len() != 6*1000+5 {
		t.Errorf("%d bytes were passed on", all.Len())
	}
	if got := newLastLines(&all).String(); !strings.Contains(got, "wrote nothing") {
		t.Errorf("of nothing it remembers %q", got)
	}
}
