package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/oncecheck/oncecheck/harness"
)

// failure is an error that is told to the user, with the exit code that goes
// with it and, where there is one, a next step.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// refuse says that the input or the set-up is wrong: nothing was proven and
// nothing was tried.
func refuse(err error, hint string) error {
	return &failure{code: harness.ExitUsage, err: err, hint: hint}
}

// interrupted says that the user ended a command that had nothing to show yet.
func interrupted() error {
	return &failure{code: harness.ExitInconclusive, err: errors.New("interrupted")}
}

// setUp refuses what could not be set up, unless that was the user's own wish.
func setUp(ctx context.Context, err error, hint string) error {
	if ctx.Err() != nil {
		return interrupted()
	}
	return refuse(err, hint)
}

// verdict is a result, not an error: it was printed already, and only its exit
// code is left to return.
type verdict int

func (v verdict) Error() string { return fmt.Sprintf("exit %d", int(v)) }

// conclude returns the code as an error, nil for a green one.
func conclude(code int) error {
	if code == harness.ExitGreen {
		return nil
	}
	return verdict(code)
}

// tell prints an error and returns its exit code.
func tell(log io.Writer, err error) int {
	if err == nil {
		return harness.ExitGreen
	}
	var v verdict
	if errors.As(err, &v) {
		return int(v)
	}
	code, hint := harness.ExitUsage, ""
	var f *failure
	if errors.As(err, &f) {
		code, hint = f.code, f.hint
	}
	fmt.Fprintf(log, "oncecheck: %s\n", printable(err.Error()))
	if hint != "" {
		fmt.Fprintf(log, "hint: %s\n", printable(hint))
	}
	return code
}

// warn tells an error that changes no result.
func warn(log io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(log, "warning: %s\n", printable(err.Error()))
	}
}
