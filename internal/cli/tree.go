package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cortex/internal/op"
	"cortex/internal/problem"
)

const about = `Cortex keeps the case of a change: its goal, evidence, hypotheses, plan and boundary, and receipts that bind a
verdict to the exact bytes of the worktree. It refuses "done" without proof.

The way through: open → investigate → plan → begin-change → verify → remember.
Set a repository up with init and setup --trust-commands; see it all happen with demo. Every answer ends with what can be
done next. A task id may be left out when the repository has exactly one active case, and a unique prefix is enough.

Exit status: 0 ok, 1 internal, 2 bad input, 3 not found, 4 conflict or busy, 5 refused by a rule, 6 finished and not green.`

// tree builds the whole command tree.
func (a *App) tree() *cobra.Command {
	root := a.group("cortex", "keep proof of what was changed and why")
	root.Long = about
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagProblem)
	root.PersistentFlags().BoolVar(&a.asJSON, "json", a.asJSON, "print one JSON value")
	root.PersistentFlags().StringVarP(&a.dir, "workspace", "C", "", "work in `DIR` instead of the current directory")
	root.Flags().BoolP("version", "v", false, "print the version")

	for _, d := range a.Registry.All() {
		a.addVerb(root, d)
	}
	root.AddCommand(a.versionCommand())
	if a.Commands != nil {
		root.AddCommand(a.Commands(a)...)
	}
	a.addHelp(root)
	return root
}

// group is a command that only has commands below it.
func (a *App) group(use, short string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version := cmd.Flags().Lookup("version"); version != nil && version.Changed {
				return a.Print(a.version())
			}
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if cmd.HasParent() {
				return usageProblem(cmd, cmd.CommandPath()+" needs one of its commands.")
			}
			return cmd.Help()
		},
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	message := fmt.Sprintf("%s has no command %q.", cmd.CommandPath(), name)
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		message += " Did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageProblem(cmd, message)
}

// usageProblem refuses a command line that names no verb or cannot be parsed.
func usageProblem(cmd *cobra.Command, message string) *problem.Problem {
	return problem.New(problem.InvalidInput, "%s", message).
		With(problem.Step{Command: cmd.CommandPath() + " --help", Why: "see what it takes"})
}

// noArguments is for commands that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageProblem(cmd, fmt.Sprintf("%s takes no argument %q.", cmd.CommandPath(), args[0]))
}

func flagProblem(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usageProblem(cmd, "--"+bad.GetFlag().Name+" cannot be used: "+bad.Unwrap().Error())
	}
	return usageProblem(cmd, cmd.CommandPath()+": "+err.Error()+".")
}

// addVerb adds a verb's command, with groups for the words before its last.
func (a *App) addVerb(root *cobra.Command, d *op.Def) {
	words := strings.Fields(d.Name)
	parent := root
	for _, word := range words[:len(words)-1] {
		parent = a.childGroup(parent, word)
	}
	name := words[len(words)-1]
	parent.AddCommand(a.verbCommand(d, name))
	if parent != root {
		parent.Short = strings.TrimPrefix(parent.Short+", "+name, ", ")
	}
}

func (a *App) childGroup(parent *cobra.Command, name string) *cobra.Command {
	for _, c := range parent.Commands() {
		if c.Name() == name {
			return c
		}
	}
	g := a.group(name, "")
	parent.AddCommand(g)
	return g
}

func (a *App) verbCommand(d *op.Def, name string) *cobra.Command {
	values := map[string]any{}
	var input string
	var bad badFlag
	cmd := &cobra.Command{
		Use: strings.TrimSpace(name + " " + d.Positionals()), Short: d.Title, Long: d.Title + ".\n\n" + d.Help,
		Example: indentLines(d.Example), Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: false,
	}
	for _, alias := range d.Aliases {
		words := strings.Fields(alias)
		cmd.Aliases = append(cmd.Aliases, words[len(words)-1])
	}
	for _, f := range d.Fields() {
		if f.Role == op.Flag && !f.HideCLI {
			addFlag(cmd, &flagValue{field: f, values: values, bad: &bad})
		}
	}
	cmd.Flags().StringVar(&input, "input", "", "read arguments as a JSON object from `FILE`, - for stdin; flags win")
	var watch bool
	if d.Name == watched {
		cmd.Flags().BoolVar(&watch, "watch", false, "redraw when something changed, until the case ends or Ctrl-C")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all, err := a.arguments(d, input, values, args)
		if err != nil {
			return err
		}
		if bad.err != nil {
			return bad.refusal(d, all)
		}
		if watch {
			return a.watch(cmd, d, all)
		}
		return a.runVerb(cmd.Context(), d, all)
	}
	return cmd
}

func indentLines(example string) string {
	if example == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSpace(example), "\n", "\n  ")
}

func addFlag(cmd *cobra.Command, value *flagValue) {
	f := value.field
	meaning := f.Meaning()
	if f.Slice() || f.Map() {
		meaning += " (may be repeated)"
	}
	flag := cmd.Flags().VarPF(value, f.Flag, f.Short, meaning)
	if f.Switch() {
		flag.NoOptDefVal = "true"
	}
	if f.Enum == nil {
		return
	}
	err := cmd.RegisterFlagCompletionFunc(f.Flag, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("cli: completion of --" + f.Flag + ": " + err.Error()) // the flag was added two lines above
	}
}
