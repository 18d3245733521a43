package gitrepo

import (
	"context"
	"fmt"
)

// Create makes dir a git repository with everything in it as its first commit. It works under a given environment, so
// that neither hooks nor settings of the user take part when HOME in it is empty.
func Create(ctx context.Context, dir string, environ []string) error {
	r := &Repo{Root: dir, environ: append(gitEnviron(environ),
		"GIT_AUTHOR_NAME=Cortex", "GIT_AUTHOR_EMAIL=cortex@localhost", "GIT_COMMITTER_NAME=Cortex", "GIT_COMMITTER_EMAIL=cortex@localhost")}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"},
		{"commit", "--quiet", "--no-gpg-sign", "--message=first commit"},
	} {
		if _, _, err := r.output(ctx, args[0], args[1:]...); err != nil {
			return fmt.Errorf("create repository: %w", err)
		}
	}
	return nil
}
