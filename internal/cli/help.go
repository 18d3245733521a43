package cli

import (
	"bytes"

	"github.com/spf13/cobra"
)

// helpResult is a command's help where one JSON value is asked for.
type helpResult struct {
	Command string `json:"command"`
	Help    string `json:"help"`
}

// addHelp gives root the help of every command, as one JSON value with --json.
func (a *App) addHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !a.asJSON {
			plain(cmd, args)
			return
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		plain(cmd, args)
		if err := a.printJSON(helpResult{cmd.CommandPath(), text.String()}); err != nil {
			a.exit = a.refuse(err)
		}
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command]", Short: "Help about any command", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, args[0])
			}
			return about.Help()
		},
	})
}

// addCompletion adds cobra's completion command. It comes after the streams are set, which it takes over.
func (a *App) addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("cli: " + err.Error()) // it was added two lines above
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return usageProblem(cmd, cmd.CommandPath()+" needs one of its commands: bash, zsh, fish or powershell.")
	}
	completion.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if a.asJSON {
			return usageProblem(cmd, cmd.CommandPath()+" prints a script, which is no JSON; call it without --json.")
		}
		return nil
	}
}
