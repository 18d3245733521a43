package code

import (
	"path"
	"strings"
)

// resolveInclude finds an included file: beside the includer, else the file whose path ends with it and that is nearest.
// A header of the C library is never taken for a file of the repository.
func (w *world) resolveInclude(from, name string) []target {
	angled := strings.HasPrefix(name, "<")
	name = strings.Trim(name, "<>")
	if !angled {
		if beside := path.Join(path.Dir(from), name); w.files[beside] {
			return []target{file(beside)}
		}
	} else if isCHeader(name) {
		return nil
	}
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	var fits []string
	for _, p := range w.byBase[path.Base(name)] {
		if p == name || strings.HasSuffix(p, "/"+name) {
			fits = append(fits, p)
		}
	}
	if best := nearest(from, fits); best != "" {
		return []target{file(best)}
	}
	return nil
}

// isCHeader knows the headers of the C standard and of POSIX; those of the kernel are the kernel's, or a copy put to use. C++ headers have no ending, so no file here has their name.
func isCHeader(name string) bool {
	if strings.HasPrefix(name, "sys/") || strings.HasPrefix(name, "netinet/") || strings.HasPrefix(name, "arpa/") {
		return true
	}
	switch name {
	case "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h", "limits.h", "locale.h", "math.h",
		"setjmp.h", "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
		"stdnoreturn.h", "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h", "unistd.h", "fcntl.h", "pthread.h",
		"dirent.h", "dlfcn.h", "poll.h", "netdb.h", "pwd.h", "grp.h", "regex.h", "sched.h", "semaphore.h", "strings.h", "termios.h", "syslog.h", "utime.h", "windows.h":
		return true
	}
	return false
}
