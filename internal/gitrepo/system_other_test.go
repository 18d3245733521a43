//go:build !unix

package gitrepo

func movingEditsOfThisSystem() []edit { return nil }
