//go:build !unix

package code

func makePipe(string) {} // there are none
