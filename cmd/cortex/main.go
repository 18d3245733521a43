// Command cortex keeps the proof of what was changed in a repository and why.
package main

import (
	"os"

	"cortex/internal/cli"
)

// Set by the linker in a released build.
var (
	version = "dev"
	commit  = "none"
	built   = "unknown"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Info{Version: version, Commit: commit, Built: built}))
}
