"""Prints the edges between the files of a Python repository, "FROM TO" on a line, tests as importers left out:

    python3 scripts/dev/structure/python.py REPOSITORY ROOT... > edges

Imports are read with ast. Names are found as importlib's finders do along the ROOTs, directories below the repository
("." alone when none is given): a package before a module, a directory without __init__.py last. What the interpreter
itself provides comes first, as it does at run time, unless --own says that the repository is the standard library.
"""
import ast
import importlib.machinery
import os
import re
import sys

arguments = [a for a in sys.argv[1:] if a != "--own"]
own = "--own" in sys.argv
top = os.path.realpath(arguments[0])
roots = [os.path.normpath(os.path.join(top, r)) for r in arguments[1:] or ["."]]
foreign = {"node_modules", ".git", "vendor", "testdata", "__pycache__"}
test = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def find(name, paths):
    """The file of one part of a name, and the paths of its children."""
    for path in paths:
        spec = importlib.machinery.FileFinder(path, (importlib.machinery.SourceFileLoader, [".py"])).find_spec(name)
        if spec is None:
            continue
        if spec.origin:
            return spec.origin, list(spec.submodule_search_locations or [])
        return None, list(spec.submodule_search_locations or [])
    return None, None


def locate(parts, paths):
    """The file that a dotted name leads to and the paths below it; no paths when there is no such module."""
    file = None
    for part in parts:
        file, paths = find(part, paths or [])
        if paths is None:
            return None, None
    return file, paths


def targets(node, file):
    """The files that an import statement loads for the names that it binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            parts = alias.name.split(".")
            if own or parts[0] not in sys.stdlib_module_names:
                found, _ = locate(parts, roots)
                yield found
        return
    parts = node.module.split(".") if node.module else []
    paths = roots
    if node.level:
        here = os.path.dirname(file)
        for _ in range(node.level - 1):
            here = os.path.dirname(here)
        paths = [here]
        if not parts:
            found, below = os.path.join(here, "__init__.py"), [here]
    elif not own and parts[0] in sys.stdlib_module_names:
        return
    if parts:
        found, below = locate(parts, paths)
        if below is None:
            return
    for alias in node.names:
        child = find(alias.name, below)[0] if alias.name != "*" and below else None
        yield child or found


for directory, names, files in os.walk(top):
    names[:] = sorted(n for n in names if n not in foreign)
    if "__init__.py" not in files:  # results of a build, unless they are a package in a package
        names[:] = [n for n in names if n not in ("build", "dist")]
    for name in sorted(files):
        file = os.path.join(directory, name)
        shown = os.path.relpath(file, top)
        if not name.endswith(".py") or test.search(shown):
            continue
        try:
            tree = ast.parse(open(file, "rb").read())
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for target in targets(node, file):
                    if target and os.path.isfile(target) and os.path.realpath(target).startswith(top + os.sep):
                        print(shown, os.path.relpath(target, top))
