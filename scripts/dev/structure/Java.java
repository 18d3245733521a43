import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Prints the edges between the files of a Java repository as javac resolves imports, "FROM TO" on a line, tests as importers
 * left out. All sources are given to one compilation; what it cannot find is passed over:
 *
 * <pre>java scripts/dev/structure/Java.java REPOSITORY > edges</pre>
 */
class Java {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]).toRealPath();
        List<Path> files = new ArrayList<>();
        try (var all = Files.walk(root)) {
            all.filter(p -> p.toString().endsWith(".java") && Files.isRegularFile(p)).filter(p -> !foreign(root.relativize(p).toString())).forEach(files::add);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, d -> {}, List.of("-proc:none", "-implicit:none"), null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        Map<Element, String> givers = new HashMap<>();
        Map<String, TreeSet<String>> packages = new HashMap<>();
        for (CompilationUnitTree unit : units) {
            String name = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            for (var type : unit.getTypeDecls()) {
                Element e = trees.getElement(TreePath.getPath(unit, type));
                if (e != null) givers.put(e, name);
            }
            if (unit.getPackageName() != null) packages.computeIfAbsent(unit.getPackageName().toString(), k -> new TreeSet<>()).add(name);
        }
        for (CompilationUnitTree unit : units) {
            String from = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            if (test(from)) continue;
            for (ImportTree imported : unit.getImports()) {
                MemberSelectTree name = (MemberSelectTree) imported.getQualifiedIdentifier();
                boolean star = name.getIdentifier().contentEquals("*");
                var tree = star || imported.isStatic() ? name.getExpression() : name;
                Element e = trees.getElement(TreePath.getPath(unit, tree));
                if (e instanceof PackageElement && star) {
                    for (String to : packages.getOrDefault(tree.toString(), new TreeSet<>())) System.out.println(from + " " + to);
                    continue;
                }
                while (e != null && !(e.getEnclosingElement() instanceof PackageElement)) e = e.getEnclosingElement();
                if (e instanceof TypeElement && givers.containsKey(e)) System.out.println(from + " " + givers.get(e));
            }
        }
    }

    static boolean foreign(String name) {
        return ("/" + name).matches(".*/(vendor|testdata|node_modules|\\.git)/.*") || ("/" + name).matches("(/(?!src/)[^/]+)*/(build|dist)/.*");
    }

    static boolean test(String name) {
        return ("/" + name).matches(".*(/src/test/|/tests?/).*|.*Tests?\\.java");
    }
}
