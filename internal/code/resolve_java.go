package code

import (
	"path"
	"slices"
	"strings"
)

func (w *world) addJava(s *Source) {
	pkg := s.Facts.Package
	dir := path.Dir(s.Path)
	if !slices.Contains(w.javaPkg[pkg], dir) {
		w.javaPkg[pkg] = append(w.javaPkg[pkg], dir)
	}
	for _, d := range s.Facts.Definitions {
		switch d.Kind {
		case "class", "interface", "enum", "record":
			if d.Parent == "" {
				name := pkg + "." + d.Name
				w.javaTop[name] = append(w.javaTop[name], s.Path)
			}
		}
	}
}

// resolveJava finds the file of the top type that an import names or that holds what it names, or for a wildcard the
// directories of the package. Of several, the one nearest to the importer.
func (w *world) resolveJava(from string, imp Import) []target {
	name, wildcard := strings.CutSuffix(imp.Path, ".*")
	if wildcard && len(imp.Names) == 0 {
		if dirs := w.javaPkg[name]; len(dirs) > 0 {
			var out []target
			best := sharedDirs(from, nearest(from, dirs)+"/")
			for _, dir := range dirs {
				if sharedDirs(from, dir+"/") == best {
					out = append(out, target{dir: dir})
				}
			}
			return out
		}
	}
	for strings.Contains(name, ".") {
		if files := w.javaTop[name]; len(files) > 0 {
			return []target{file(nearest(from, files))}
		}
		name = name[:strings.LastIndexByte(name, '.')]
	}
	return nil
}
