package gitrepo

import "os"

type durableStandin struct{}

func (durableStandin) WriteFile(path string, data []byte, perm os.FileMode) error {
	return os.WriteFile(path, data, perm)
}

var durable durableStandin
