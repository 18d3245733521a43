"""Prints the edges between the files of a C or C++ repository, "FROM TO" on a line, tests as includers left out:

    python3 scripts/dev/structure/include.py REPOSITORY INCLUDE-DIRECTORY... > edges

Each directive is given to gcc as if its file stood where it does, with the include directories of the project's build; the
first file that gcc opens is what it means. A directive behind a condition counts as well.
"""
import os
import re
import subprocess
import sys

top = os.path.realpath(sys.argv[1])
options = [o for d in sys.argv[2:] for o in ("-I", os.path.normpath(os.path.join(top, d)))]
source = re.compile(r"\.(c|h|cc|cpp|cxx|hh|hpp|hxx|ipp|inl)$")
skipped = re.compile(r"(^|/)(tests?|vendor|testdata|node_modules|build|dist)/|(^|/)test_[^/]*$|(_test|_unittest)\.[a-z]+$")
directive = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*("[^"\n]+"|<[^>\n]+>)', re.M)
answers = {}


def opened(directory, what):
    key = (directory, what)
    if key not in answers:
        told = subprocess.run(
            ["gcc", "-x", "c++", "-E", "-H", "-iquote", directory, *options, "-"], input=b"#include " + what + b"\n",
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode(errors="replace")
        first = re.search(r"^\. (.*)$", told, re.M)
        answers[key] = first.group(1) if first else None
    return answers[key]


for directory, names, files in os.walk(top):
    names[:] = sorted(n for n in names if n != ".git")
    for name in sorted(files):
        file = os.path.join(directory, name)
        shown = os.path.relpath(file, top)
        if not source.search(name) or skipped.search(shown):
            continue
        text = re.sub(rb"/\*.*?\*/", b"", open(file, "rb").read(), flags=re.S)
        for what in directive.findall(text):
            target = opened(directory, what)
            if target and os.path.realpath(target).startswith(top + os.sep):
                target = os.path.relpath(os.path.realpath(target), top)
                if source.search(target) and not skipped.search(target):
                    print(shown, target)
