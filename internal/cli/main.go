package cli

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// Main runs the program on this process's arguments, streams and environment and returns its exit status.
func Main(args []string, info Info) int {
	dir, err := os.Getwd()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "Error: the current directory cannot be read: %v; change to another one\n", err)
		return problem.ExitInternal
	}
	tty := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	std := Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, InIsTTY: tty(os.Stdin), OutIsTTY: tty(os.Stdout), ErrIsTTY: tty(os.Stderr),
		Env: os.Getenv, Dir: dir,
	}
	return New(info, std, os.Environ()).Run(args, std)
}

// New is the program with every verb, wired to the machine that std and environ describe.
func New(info Info, std Streams, environ []string) Program {
	w := wiring{std: std, environ: environ}
	return Program{
		Registry: op.New(allOps()...), Services: w.services, Redact: w.mask, Info: info, Commands: extraCommands,
	}
}
