package cli

import (
	"github.com/spf13/cobra"

	"cortex/internal/op"
)

// versionResult is what the version command prints.
type versionResult struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Built   string `json:"built"`
}

// Text is the line of --version.
func (v versionResult) Text(op.Style) string {
	return Info(v).String()
}

func (a *App) version() versionResult {
	return versionResult{a.Info.Version, a.Info.Commit, a.Info.Built}
}

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.Print(a.version())
		},
	}
}
