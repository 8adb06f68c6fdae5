package dev.wheelhouse.facts.generate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes the facts of Kubernetes' types into {@code src/main/resources}. The same sources give the same text. The
 * sources are a checkout of Kubernetes, of which these parts are read:
 *
 * <ul>
 * <li>{@code api/openapi-spec/v3}: types, fields, lists, keys, patch strategies, defaults, descriptions
 * <li>{@code api/discovery}: resources, subresources, verbs, short names, categories
 * <li>{@code staging/src/k8s.io}: the declarations of the types, for pointers, fields that are written although zero,
 * the names of scalar types, and the numbers of protobuf fields
 * </ul>
 */
public final class GenerateFacts {
    private static final Path RESOURCES = Path.of("src/main/resources/dev/wheelhouse/facts");

    private GenerateFacts() {}

    /** @param args the folder with Kubernetes' sources, and {@code descriptions} to replace the descriptions too */
    public static void main(String[] args) throws IOException {
        if (args.length == 0 || args[0].isEmpty()) {
            throw new IllegalArgumentException("the first argument is to be the folder with a checkout of Kubernetes");
        }
        write(Path.of(args[0]), RESOURCES, List.of(args).contains("descriptions"));
        System.out.println("Facts of " + args[0] + " are in " + RESOURCES + ". Review: git diff --stat " + RESOURCES);
    }

    /**
     * Writes {@code types.tsv} and {@code resources.tsv}.
     *
     * @param into an existing folder
     * @param descriptions whether to write {@code descriptions.tsv} too, with Kubernetes' own texts
     */
    static void write(Path kubernetes, Path into, boolean descriptions) throws IOException {
        TypeTable types = TypeTable.read(kubernetes.resolve("api/openapi-spec/v3"),
                new GoDeclarations(kubernetes.resolve("staging/src")));
        Files.write(into.resolve("types.tsv"), bytes(types.lines()));
        Files.write(into.resolve("resources.tsv"), bytes(ResourceTable.lines(kubernetes.resolve("api/discovery"))));
        if (descriptions) {
            Files.write(into.resolve("descriptions.tsv"), bytes(types.descriptions()));
        }
    }

    private static byte[] bytes(List<String> lines) {
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
