// Package config holds what a run of Cortex is configured to do: the files, the environment and the directories become
// one Config; it also reads the execution grants and proposes a first configuration for a repository.
//
// It must not hold writing of any file, running of any program, or rules about cases.
//
// Invariants: a later source wins over an earlier one; an unknown key, an alias, a second document and a value outside
// its bounds are faults that name file, line and key; what a faulty source says rightly still holds, so reading verbs
// work with it; a file inside the workspace can grant neither execution nor network nor a path outside the workspace.
package config
