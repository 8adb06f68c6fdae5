package dev.wheelhouse.facts.generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Reads the declarations of Kubernetes' types from the Go files beside the {@code generated.proto} files. They say
 * three things that neither OpenAPI nor protobuf says: which fields are pointers, which fields are written although
 * they are zero, and the Go name of a named string or number. They also repeat the numbers of the protobuf fields.
 *
 * <p>The reader relies on gofmt's layout: a declaration begins in the first column and a field after one tab.
 */
final class GoDeclarations {
    private static final Pattern PACKAGE = Pattern.compile("package (\\w+).*");
    private static final Pattern IMPORT = Pattern.compile("(?:import |\t)(?:(\\w+) )?\"([^\"]+)\"");
    private static final Pattern TYPE = Pattern.compile("type (\\w+) (?:= )?(\\S+).*");
    private static final Pattern FIELD = Pattern.compile("\t(?:\\w+\\s+)?(\\S+)\\s+`(.*)`.*");
    private static final Pattern JSON = Pattern.compile("json:\"([^\"]*)\"");
    private static final Pattern PROTOBUF = Pattern.compile("protobuf:\"\\w+,(\\d+),[^\"]*\"");
    private static final Set<String> SCALARS = Set.of("string", "bool", "int", "int32", "int64", "uint8", "uint32",
            "float64", "byte");

    private final Path sources;
    private final Map<String, GoPackage> packages = new HashMap<>();

    /**
     * One Go package.
     *
     * @param name that the package clause says
     */
    private record GoPackage(String name, Map<String, Declaration> types) {}

    /**
     * One declaration.
     *
     * @param right the right side: {@code struct} or the name of a type
     * @param members the lines of a struct
     * @param imports of the file: the path by name
     */
    private record Declaration(String path, String right, List<Member> members, Map<String, String> imports) {}

    /**
     * One line of a struct.
     *
     * @param json the text of its JSON tag
     * @param number of its protobuf field; empty if it has none
     */
    private record Member(String type, String json, String number) {}

    /**
     * One field of a struct as JSON sees it.
     *
     * @param pointer whether the field's Go type is a pointer
     * @param always whether the encoder writes the field although it is zero; false for pointers and bytes
     * @param scalarName the name of a named scalar type, as {@code v1.PullPolicy}; empty for others
     * @param numbers the protobuf numbers of embedded structs and the field, as {@code 2/4}; empty if one has none
     */
    record GoField(boolean pointer, boolean always, String scalarName, String numbers) {}

    /** @param sources the folder of {@code k8s.io/…} packages */
    GoDeclarations(Path sources) {
        this.sources = sources;
    }

    /**
     * The fields of a struct by JSON name, those of embedded structs among them; empty for a type that is no struct.
     *
     * @param typeName as OpenAPI names it, {@code io.k8s.api.core.v1.Pod}
     */
    Map<String, GoField> fields(String typeName) throws IOException {
        int dot = typeName.lastIndexOf('.');
        String path = "k8s.io/" + typeName.substring("io.k8s.".length(), dot).replace('.', '/');
        Map<String, GoField> fields = new HashMap<>();
        collect(find(path, typeName.substring(dot + 1)), Optional.of(""), fields);
        return fields;
    }

    /** @param numbers of the embedded structs around this one, each with a slash behind it; absent if one has none */
    private void collect(@Nullable Declaration struct, Optional<String> numbers, Map<String, GoField> into)
            throws IOException {
        if (struct == null) {
            return;
        }
        if (!struct.right.equals("struct")) {
            collect(find(struct, struct.right), numbers, into);
        }
        for (Member member : struct.members) {
            List<String> tag = List.of(member.json.split(",", -1));
            Optional<String> number = numbers.filter(n -> !member.number.isEmpty()).map(n -> n + member.number);
            if (tag.contains("inline")) {
                collect(find(struct, member.type), number.map(n -> n + "/"), into);
            } else if (!tag.getFirst().equals("-")) {
                into.put(tag.getFirst(), field(struct, member.type, tag, number.orElse("")));
            }
        }
    }

    private GoField field(Declaration owner, String type, List<String> tag, String numbers) throws IOException {
        boolean pointer = type.startsWith("*");
        String element = type.replaceFirst("^(\\*|\\[\\]|map\\[[\\w.]+\\])+", "");
        @Nullable
        Declaration named = SCALARS.contains(element) ? null : find(owner, element);
        String kind = SCALARS.contains(element) ? element : kind(named);
        boolean value = element.equals(type) && kind.equals("struct");
        boolean bytes = type.equals("[]byte");
        boolean always = !pointer && !bytes && !tag.contains("omitzero") && (value || !tag.contains("omitempty"));
        String scalarName = named != null && SCALARS.contains(kind)
                ? load(named.path).name + "." + element.substring(element.indexOf('.') + 1)
                : "";
        // The list of verbs is a message of its own, so that an empty one differs from none.
        return new GoField(pointer, always, scalarName, element.equals("Verbs") ? numbers + "/1" : numbers);
    }

    /** The kind of a declared type, followed through names: {@code struct}, {@code string}, … */
    private String kind(@Nullable Declaration declaration) throws IOException {
        if (declaration == null || declaration.right.equals("struct") || SCALARS.contains(declaration.right)) {
            return declaration == null ? "struct" : declaration.right;
        }
        @Nullable
        Declaration next = find(declaration, declaration.right);
        return next == null ? declaration.right : kind(next);
    }

    /** The declaration of a name that stands in the file of another declaration; null if it is not in the folder. */
    private @Nullable Declaration find(Declaration user, String name) throws IOException {
        int dot = name.indexOf('.');
        return dot < 0
                ? find(user.path, name)
                : find(user.imports.getOrDefault(name.substring(0, dot), ""), name.substring(dot + 1));
    }

    private @Nullable Declaration find(String path, String name) throws IOException {
        return load(path).types.get(name);
    }

    private GoPackage load(String path) throws IOException {
        GoPackage known = packages.get(path);
        if (known == null) {
            known = parse(path, sources.resolve(path));
            packages.put(path, known);
        }
        return known;
    }

    private static GoPackage parse(String path, Path folder) throws IOException {
        Map<String, Declaration> types = new HashMap<>();
        String name = "";
        if (path.isEmpty() || !Files.isDirectory(folder)) {
            return new GoPackage(name, types);
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(f -> f.toString().endsWith(".go") && !f.toString().endsWith("_test.go")
                    && !f.toString().contains("generated")).sorted().toList();
        }
        for (Path file : files) {
            Map<String, String> imports = new HashMap<>();
            List<Member> members = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                Matcher type = TYPE.matcher(line);
                Matcher field = FIELD.matcher(line);
                Matcher imported = IMPORT.matcher(line);
                Matcher clause = PACKAGE.matcher(line);
                if (type.matches()) {
                    members = new ArrayList<>();
                    types.put(type.group(1), new Declaration(path, type.group(2), members, imports));
                } else if (field.matches()) {
                    Matcher json = JSON.matcher(field.group(2));
                    if (json.find()) {
                        Matcher number = PROTOBUF.matcher(field.group(2));
                        members.add(new Member(field.group(1), json.group(1), number.find() ? number.group(1) : ""));
                    }
                } else if (imported.matches()) {
                    String other = imported.group(2);
                    String alias = imported.group(1);
                    imports.put(alias == null ? other.substring(other.lastIndexOf('/') + 1) : alias, other);
                } else if (clause.matches()) {
                    name = clause.group(1);
                }
            }
        }
        return new GoPackage(name, types);
    }
}
