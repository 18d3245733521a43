package cli

import (
	"github.com/spf13/cobra"

	"cortex/internal/mcpserver"
	"cortex/internal/op"
	"cortex/internal/problem"
)

// extraCommands are the commands that are no verbs.
func extraCommands(a *App) []*cobra.Command {
	return []*cobra.Command{serveCommand(a), demoCommand(a)}
}

func serveCommand(a *App) *cobra.Command {
	var profile string
	cmd := &cobra.Command{
		Use: "serve", Aliases: []string{"mcp"}, Short: "Serve the verbs as MCP tools on standard input and output", Args: noArguments,
		Long: "Serve the verbs as MCP tools on standard input and output, until the input ends. Each call may name its own\n" +
			"workspace; the default is -C. Profile agent has what an agent needs for its work, all has the reading verbs too.",
		Example: "  cortex serve\n  cortex -C ~/src/project serve --profile all",
		RunE: func(cmd *cobra.Command, _ []string) error {
			profiles := map[string]op.Profile{"agent": op.Agent, "all": op.All}
			served, ok := profiles[profile]
			if !ok {
				return problem.New(problem.InvalidInput, "profile must be one of: agent, all (got %q).", profile).
					On("profile", profile, "agent, all").With(problem.Step{Command: "cortex serve --profile agent", Why: "serve what an agent needs"})
			}
			return mcpserver.Serve(cmd.Context(), a.In, a.Out, mcpserver.Options{
				Registry: a.Registry, Services: a.Services, Profile: served, Version: a.Info.Version,
				DefaultWorkspace: a.Workspace(), Redact: a.Redact, Debug: a.call.Debug,
			})
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "agent", "which tools to serve: agent or all")
	return cmd
}
