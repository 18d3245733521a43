package cli

import (
	"github.com/spf13/cobra"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// docsCommand writes one of the generated pages; make docs and a test use it.
func docsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "docs-page PAGE", Hidden: true, Short: "Print a generated page of the documentation: operations or problems",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := map[string]func() []byte{"operations": func() []byte { return op.Markdown(a.Registry) }, "problems": op.ProblemsMarkdown}
			page, ok := pages[args[0]]
			if !ok {
				return problem.New(problem.InvalidInput, "there is no page %q.", args[0]).Without("the pages are operations and problems")
			}
			_, err := a.Out.Write(page())
			return err
		},
	}
	return cmd
}
