package gitrepo

import (
	"context"
	"fmt"
	"io"
)

// Create makes a repository in dir, which exists, with one commit of everything in it on branch main. It is for
// directories that Cortex itself made, such as those of the demo. A failure can leave a repository without the commit.
func Create(ctx context.Context, dir string, environ []string) error {
	for _, step := range [][]string{
		{"init", "--quiet", "--template=", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=Cortex", "-c", "user.email=cortex@localhost", "-c", "commit.gpgSign=false",
			"commit", "--quiet", "--allow-empty", "--message=Start"},
	} {
		if _, err := runGit(ctx, dir, gitEnviron(environ), settings(false), nil, io.Discard, step[0], step[1:]...); err != nil {
			return fmt.Errorf("create repository: %w", err)
		}
	}
	return nil
}
