package dev.wheelhouse.facts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Resources;

/** A resource that Kubernetes itself defines. */
public record BuiltInResource(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs, List<Subresource> subresources) implements ResourceInfo {
    /**
     * All built-in resources in discovery's order. Each call parses {@code resources.tsv}, so callers keep the list.
     */
    public static List<BuiltInResource> all() {
        List<BuiltInResource> all = new ArrayList<>();
        for (String line : Resources.text(BuiltInResource.class, "resources.tsv").split("\n", -1)) {
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
                // A kind of another group version is written with that version: "autoscaling/v1 Scale".
                String[] kind = c[3].contains(" ") ? c[3].split("[/ ]", -1) : new String[]{"", "", c[3]};
                subresources.add(new Subresource(c[2].substring(slash + 1), kind[0], kind[1], kind[2], set(c[8])));
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
