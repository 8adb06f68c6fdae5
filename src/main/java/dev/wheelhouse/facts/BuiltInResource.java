package dev.wheelhouse.facts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;

/** A resource that Kubernetes itself defines. */
public record BuiltInResource(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs, List<Subresource> subresources) implements ResourceInfo {
    /** Kinds of subresources that belong to another group than their resource, as group and version. */
    private static final Map<String, String[]> FOREIGN_KINDS = Map.of("Scale", new String[]{"autoscaling", "v1"},
            "Eviction", new String[]{"policy", "v1"}, "TokenRequest", new String[]{"authentication.k8s.io", "v1"});

    /** All built-in resources in discovery's order, read anew from {@code resources-1.36.tsv}. */
    public static List<BuiltInResource> all() {
        List<BuiltInResource> all = new ArrayList<>();
        for (String line : Schemas.readResource("resources-1.36.tsv").split("\n", -1)) {
            if (line.isEmpty() || line.startsWith("group\t")) {
                continue;
            }
            String[] c = line.split("\t", -1);
            int slash = c[2].indexOf('/');
            if (slash < 0) {
                ResourceType type = new ResourceType(c[0].equals("core") ? "" : c[0], c[1], c[2], c[3],
                        c[4].equals("namespaced"));
                all.add(new BuiltInResource(type, c[5], list(c[6]), list(c[7]), set(c[8]), List.of()));
            } else {
                BuiltInResource owner = all.removeLast();
                List<Subresource> subresources = new ArrayList<>(owner.subresources());
                String[] home = FOREIGN_KINDS.getOrDefault(c[3], new String[]{"", ""});
                subresources.add(new Subresource(c[2].substring(slash + 1), home[0], home[1], c[3], set(c[8])));
                all.add(new BuiltInResource(owner.type(), owner.singular(), owner.shortNames(), owner.categories(),
                        owner.verbs(), List.copyOf(subresources)));
            }
        }
        return List.copyOf(all);
    }

    private static List<String> list(String commaSeparated) {
        return commaSeparated.isEmpty() ? List.of() : List.of(commaSeparated.split(",", -1));
    }

    private static Set<String> set(String commaSeparated) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(commaSeparated.split(",", -1))));
    }
}
