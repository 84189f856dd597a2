package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
)

// profile is how oncecheck gets to know the shop; address is where it serves
// according to it.
//
//go:embed profile.yaml
var profile string

const address = "127.0.0.1:3000"

func main() {
	addr := flag.String("addr", address, "loopback address `HOST:PORT` to serve on; port 0 takes a free one")
	write := flag.String("write-profile", "", "`FILE` that appears, complete, once the shop accepts")
	until := flag.Bool("until-stdin-closes", false, "end when whoever started the shop closes its input")
	flag.Parse()
	if err := serve(*addr, *write, *until); err != nil {
		fmt.Fprintln(os.Stderr, "fiber:", err)
		os.Exit(1)
	}
}

// middleware is the one under test.
func middleware() fiber.Handler {
	return idempotency.New(idempotency.Config{KeyHeader: "Idempotency-Key"})
}

// serve returns once the shop no longer accepts.
func serve(addr, write string, untilStdinCloses bool) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("serve the shop: %w", err)
	}
	app := new(shop).app(middleware(), authenticate)
	if untilStdinCloses {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // the end of it is all that matters
			_ = app.Shutdown()                   // what stays open ends with the process
		}()
	}
	if write != "" {
		// The listener queues whoever comes before the server is there.
		if err := writeProfile(write, listener.Addr().String()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	fmt.Printf("the shop is at http://%s\n", listener.Addr())
	return app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true})
}

// writeProfile makes the file appear by rename, so that nobody reads half of it.
func writeProfile(path, addr string) error {
	text := strings.ReplaceAll(profile, address, addr)
	if err := os.WriteFile(path+".part", []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	return nil
}
