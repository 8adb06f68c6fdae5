package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Label selectors as text (upstream: {@code metav1.FormatLabelSelector}). */
final class Selectors {
    private record Requirement(String key, String text) {}

    private Selectors() {}

    /** The selector at a path; {@code <none>} for one that selects nothing or everything, {@code <error>} for a broken one. */
    static String format(Item item, String... path) {
        String text = text(item, path);
        if (text == null) {
            return "<error>";
        }
        return text.isEmpty() ? Item.NONE : text;
    }

    /** The selector at a path as its requirements, sorted by key; null for a broken one. */
    static @Nullable String text(Item item, String... path) {
        Item selector = item.part(path);
        List<Requirement> requirements = new ArrayList<>();
        selector.entries("matchLabels").forEach((k, v) -> requirements.add(new Requirement(k, k + "=" + v)));
        for (Item expression : selector.items("matchExpressions")) {
            String key = expression.text("key");
            String values = "(" + String.join(",", expression.texts("values").stream().sorted().toList()) + ")";
            String text = switch (expression.text("operator")) {
                case "In" -> key + " in " + values;
                case "NotIn" -> key + " notin " + values;
                case "Exists" -> key;
                case "DoesNotExist" -> "!" + key;
                default -> null;
            };
            if (text == null) {
                return null;
            }
            requirements.add(new Requirement(key, text));
        }
        requirements.sort(Comparator.comparing(Requirement::key));
        return String.join(",", requirements.stream().map(Requirement::text).toList());
    }
}
