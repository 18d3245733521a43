package code

import (
	"path"
	"strings"
)

// resolvePython finds the modules that an import statement names. An absolute name is looked for from the directory of
// the importer upwards, and in a src directory of each, but not in a package: Python starts from none. One of the standard
// library is never taken for a sibling outside of the standard library's own tree.
func (w *world) resolvePython(from string, imp Import) []target {
	name := strings.TrimLeft(imp.Path, ".")
	parts := strings.Split(name, ".")
	if dots := len(imp.Path) - len(name); dots > 0 {
		base := path.Dir(from)
		for range dots - 1 {
			base = path.Dir(base)
		}
		if name != "" {
			base = path.Join(base, path.Join(parts...))
		}
		return w.pythonNames(base, imp.Names)
	}
	standard := isPythonStandard(parts[0])
	for _, root := range ancestors(path.Dir(from)) {
		if root != "." && w.pyPackages[root] || standard && !w.isPythonLibrary(root) {
			continue
		}
		for _, base := range []string{path.Join(root, path.Join(parts...)), path.Join(root, "src", path.Join(parts...))} {
			if out := w.pythonNames(base, imp.Names); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// pythonNames are the submodules of base that names name, and base itself for the rest.
func (w *world) pythonNames(base string, names []string) []target {
	var out []target
	self, isModule := w.pythonModule(base)
	if len(names) == 0 {
		if isModule {
			return []target{self}
		}
		if w.has(base, "python") {
			return []target{{dir: base}}
		}
		return nil
	}
	usesSelf := false
	for _, n := range names {
		if sub, ok := w.pythonModule(path.Join(base, n)); ok && n != "*" {
			out = append(out, sub)
		} else {
			usesSelf = true
		}
	}
	if usesSelf && isModule {
		out = append(out, self)
	}
	return out
}

// isPythonLibrary knows the directory of the standard library itself.
func (w *world) isPythonLibrary(dir string) bool {
	return w.files[path.Join(dir, "os.py")] && w.files[path.Join(dir, "site.py")] && w.files[path.Join(dir, "importlib/__init__.py")]
}

func (w *world) pythonModule(base string) (target, bool) {
	for _, name := range []string{base + ".py", base + "/__init__.py", base + ".pyi", base + "/__init__.pyi"} {
		if name = path.Clean(name); w.files[name] {
			return file(name), true
		}
	}
	return target{}, false
}

// pythonStandard are the top modules of the standard library of Python 3.
const pythonStandard = ` abc aifc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cgi cmath cmd code codecs
 codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg cProfile csv ctypes curses
 dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch
 fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib importlib
 inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder msvcrt multiprocessing netrc ntpath
 numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
 py_compile pyclbr pydoc pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
 site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig syslog tabnanny tarfile
 tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing
 unicodedata unittest urllib uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
 __future__ __main__ _thread `

func isPythonStandard(name string) bool {
	return strings.Contains(strings.ReplaceAll(pythonStandard, "\n", " "), " "+name+" ")
}
