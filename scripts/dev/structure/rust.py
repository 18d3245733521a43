"""Prints the edges between the files of a Rust repository, "FROM TO" on a line, tests and benches as importers left out:

    python3 scripts/dev/structure/rust.py REPOSITORY > edges

Unlike Cortex, which guesses modules from the layout of files, it follows mod declarations from the root of every target of
every Cargo.toml, as rustc does, attributes #[path] included, and walks use declarations through the tree that comes of it.
"""
import os
import re
import sys
import tomllib

top = os.path.realpath(sys.argv[1])
token = re.compile(
    r"""//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|b?r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]{1,9}?|[^\\'\n])'|'\w+|\w+|::|\S""", re.S)
skipped = re.compile(r"(^|/)(tests?|benches|testdata|vendor|target)/|(^|/)tests\.rs$")
PREFIX = re.compile(r'^(b?r#*"|b?"|//|/\*|b?\')')


class Module:
    def __init__(self, file, parent=None):
        self.file, self.parent, self.children, self.uses, self.names = file, parent, {}, [], {}


def tokens(text):
    return [m.group() for m in token.finditer(text) if not m.group().startswith(("//", "/*"))]


def use_tree(ts, i, prefix):
    """The paths of a use declaration from token i on, each with the name that it binds, and the index behind it."""
    path = list(prefix)
    while i < len(ts):
        t = ts[i]
        if t == "{":
            out, i = [], i + 1
            while i < len(ts) and ts[i] != "}":
                if ts[i] == ",":
                    i += 1
                    continue
                more, i = use_tree(ts, i, path)
                out += more
            return out, i + 1
        if t == "as":
            return [(path, ts[i + 1])], i + 2
        if t in (",", "}", ";"):
            return [(path, path[-1] if path else "")], i
        if t != "::":
            path.append(t[2:] if t.startswith("r#") else t)
        i += 1
    return [], i


def read(file, module, directory, owner):
    """Reads the items of a file into a module whose children's files are in directory."""
    try:
        ts = tokens(open(file, encoding="utf-8", errors="replace").read())
    except OSError:
        return
    items(ts, 0, module, file, directory, owner)


def items(ts, i, module, file, directory, owner):
    path, depth = None, 0
    while i < len(ts):
        t = ts[i]
        if t == "#" and i + 4 < len(ts) and ts[i + 1] == "[" and ts[i + 2] == "path" and ts[i + 3] == "=":
            path = ts[i + 4].strip('"')
            i += 5
            continue
        if t == "macro_rules" and ts[i + 1:i + 2] == ["!"]:  # what a macro says is said where it is called
            i += 3
            level = 0
            while i < len(ts):
                level += (ts[i] in "({[") - (ts[i] in ")}]")
                i += 1
                if level == 0:
                    break
            continue
        if t == "mod" and i + 2 < len(ts) and ts[i + 2] in (";", "{") and re.match(r"\w+$", ts[i + 1]):
            name = ts[i + 1]
            if ts[i + 2] == ";":
                found = None
                if path:
                    found = os.path.normpath(os.path.join(os.path.dirname(file), path))
                    below = os.path.dirname(found)
                else:
                    for candidate in (os.path.join(directory, name + ".rs"), os.path.join(directory, name, "mod.rs")):
                        if os.path.isfile(candidate):
                            found = candidate
                            break
                    below = os.path.join(directory, name)
                if found and os.path.isfile(found) and found not in owner:
                    owner.add(found)
                    child = Module(found, module)
                    module.children[name] = child
                    module.uses.append((["self", name], None))
                    read(found, child, below, owner)
                i += 3
                path = None
                continue
            child = Module(file, module)
            module.children.setdefault(name, child)
            i = items(ts, i + 3, child, file, os.path.join(directory, name), owner)
            path = None
            continue
        if t == "use" and (i == 0 or ts[i - 1] != ">"):
            found, i = use_tree(ts, i + 1, [])
            for names, bound in found:
                module.uses.append((names, bound))
            continue
        if t == "extern" and ts[i + 1:i + 2] == ["crate"]:
            name = ts[i + 2]
            bound = ts[i + 4] if ts[i + 3] == "as" else name
            module.uses.append((["", name], bound))
        if t in "{":
            depth += 1
        elif t == "}":
            if depth == 0:
                return i + 1
            depth -= 1
        i += 1
    return i


def walk(module, names):
    """The deepest module along names."""
    for name in names:
        if name in ("self", "*"):
            continue
        if name not in module.children:
            return module
        module = module.children[name]
    return module


def resolve(module, names, crates):
    root = module
    while root.parent:
        root = root.parent
    head = names[0] if names else ""
    if head == "" or len(names) < 1:
        return walk(crates[names[1]], names[2:]) if names[1:] and names[1] in crates else None
    if head == "crate":
        return walk(root, names[1:])
    if head == "self":
        return walk(module, names[1:])
    if head == "super":
        here = module
        while names and names[0] == "super":
            here, names = here.parent or here, names[1:]
        return walk(here, names)
    if head in module.children:
        return walk(module.children[head], names[1:])
    if head in crates:
        return walk(crates[head], names[1:])
    if head in root.children and crates.get("") == "2015":
        return walk(root, names)
    return None


def emit(module, crates):
    for names, _ in module.uses:
        to = resolve(module, names, crates)
        if to is not None and to.file != module.file:
            a, b = os.path.relpath(module.file, top), os.path.relpath(to.file, top)
            if not skipped.search(a) and not skipped.search(b):
                print(a, b)
    for child in module.children.values():
        emit(child, crates)


packages = {}
for directory, names, files in os.walk(top):
    names[:] = sorted(n for n in names if n not in (".git", "vendor", "testdata", "node_modules"))
    if "Cargo.toml" in files:
        manifest = tomllib.load(open(os.path.join(directory, "Cargo.toml"), "rb"))
        if "package" in manifest:
            packages[directory] = manifest

libraries = {}
for directory, manifest in sorted(packages.items()):
    lib = manifest.get("lib", {})
    name = lib.get("name", manifest["package"]["name"]).replace("-", "_")
    file = os.path.normpath(os.path.join(directory, lib.get("path", "src/lib.rs")))
    if os.path.isfile(file):
        root = Module(file)
        read(file, root, os.path.dirname(file), {file})
        libraries.setdefault(manifest["package"]["name"], (name, root))

for directory, manifest in packages.items():
    own = manifest["package"]["name"]
    crates = {"": manifest["package"].get("edition", "2015")}
    sections = [manifest] + list(manifest.get("target", {}).values())
    for section in sections:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            for key, value in section.get(kind, {}).items():
                package = value.get("package", key) if isinstance(value, dict) else key
                if package in libraries:
                    name, root = libraries[package]
                    crates[key.replace("-", "_") if key != package else name] = root
    if own in libraries:
        emit(libraries[own][1], crates)
        crates[libraries[own][0]] = libraries[own][1]
    roots = [os.path.join(directory, "src/main.rs"), os.path.join(directory, "build.rs")]
    for kind in ("bin", "example"):
        roots += [os.path.join(directory, t["path"]) for t in manifest.get(kind, []) if "path" in t]
    for folder in ("src/bin", "examples"):
        folder = os.path.join(directory, folder)
        if os.path.isdir(folder):
            for name in sorted(os.listdir(folder)):
                roots += [os.path.join(folder, name)] if name.endswith(".rs") else [os.path.join(folder, name, "main.rs")]
    for file in dict.fromkeys(os.path.normpath(r) for r in roots):
        if os.path.isfile(file):
            root = Module(file)
            read(file, root, os.path.dirname(file), {file})
            emit(root, crates)
