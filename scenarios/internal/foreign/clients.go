package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// tryClients tests the client behind the shim that each command serves, all at
// once, and returns what differs from what is known of them.
func tryClients(ctx context.Context, expected, binary, out string, commands []string) ([]string, error) {
	if len(commands) == 0 {
		return nil, errors.New("name the commands that serve the shims after --")
	}
	clients, err := clientsOf(expected, commands)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o750); err != nil {
		return nil, fmt.Errorf("make the folder for the evidence: %w", err)
	}
	fmt.Printf("testing %d clients side by side; the slowest, which retries longest, takes some minutes\n", len(clients))
	if err := harness.Parallel(len(clients), func(i int) error { return clients[i].try(ctx, binary, out) }); err != nil {
		return nil, err
	}
	var differences []string
	for _, c := range clients {
		if c.found.unsettled { // the others are through, so it has the machine to itself
			if err := c.again(ctx, binary, out); err != nil {
				return nil, err
			}
		}
		for _, d := range c.found.differences {
			differences = append(differences, c.name+": "+d)
		}
	}
	return differences, nil
}

// client is one client behind a shim.
type client struct {
	name, command string
	known         map[string]expectation
	found         finding
}

// clientsOf reads what is known before anything is started.
func clientsOf(dir string, commands []string) ([]*client, error) {
	var clients []*client
	names := map[string]string{}
	for _, command := range commands {
		name := strings.TrimSuffix(filepath.Base(command), ".exe")
		if other, again := names[name]; again {
			return nil, fmt.Errorf("the evidence of %s and %s would both go to %s: rename one of them", other, command, name)
		}
		names[name] = command
		known, err := readExpected(filepath.Join(dir, name+".tsv"))
		if err != nil {
			return nil, err
		}
		clients = append(clients, &client{name: name, command: command, known: known})
	}
	return clients, nil
}

// again tests a client once more. Of the first time only what it printed is
// kept: whoever looks for the evidence of a client must find one.
func (c *client) again(ctx context.Context, binary, out string) error {
	fmt.Printf("%-16s once more, alone: not everything could be told\n", c.name)
	dir := filepath.Join(out, c.name)
	if err := os.Rename(dir+".log", dir+".first.log"); err != nil {
		return fmt.Errorf("keep what the first test of %s printed: %w", c.name, err)
	}
	if err := os.RemoveAll(dir); err != nil { // the test made it
		return fmt.Errorf("drop the evidence of the first test of %s: %w", c.name, err)
	}
	return c.try(ctx, binary, out)
}

// try tests one client. What that prints goes to a file: that of several at once
// nobody could read.
func (c *client) try(ctx context.Context, binary, out string) error {
	path := filepath.Join(out, c.name+".log")
	log, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep what the test of %s prints: %w", c.name, err)
	}
	defer func() { _ = log.Close() }() // of use for reading only, and nothing is judged by it
	began := time.Now()
	test := test{binary: binary, args: []string{"client"}, out: filepath.Join(out, c.name), command: []string{c.command}, stdout: log, stderr: log}
	if c.found, err = test.compare(ctx, c.known); err != nil {
		return fmt.Errorf("test %s: %w; what it printed is in %s", c.name, err, path)
	}
	said := "as known"
	if n := len(c.found.differences); n > 0 {
		said = fmt.Sprintf("%d difference(s)", n)
	}
	fmt.Printf("%-16s %s, %d s, %s\n", c.name, said, int(time.Since(began).Seconds()), path)
	return nil
}
