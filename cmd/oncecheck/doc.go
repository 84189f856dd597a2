// Command oncecheck proves that a system may be retried.
//
// Why so little happens here: a command line must not have an opinion of its
// own about what is proven. Each subcommand reads its input, hands it to the
// package that knows, and prints what came back. What this package owns is the
// part that scripts rely on:
//
//   - the exit code: 0 green, 1 something failed, 2 usage, profile or set-up,
//     3 nothing failed but something stayed open. It is made in one place,
//     [execute], from one typed error;
//   - results on standard output, progress and logs on standard error, and not
//     one escape sequence where no terminal is;
//   - that wrong input is refused before anything is started, sent or written.
//
// There is one way to a target, the profile. The embedded reference is no
// exception: run and mutants start this very binary as "serve" and test what it
// serves by URL.
package main
