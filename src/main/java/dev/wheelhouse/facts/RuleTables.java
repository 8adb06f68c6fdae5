package dev.wheelhouse.facts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.runtime.Resources;

/** Reads the tables that are written by hand, such as {@code rules.tsv}. Each explains its own form at its top. */
public final class RuleTables {
    private RuleTables() {}

    /**
     * The rows of a table by the name of their section. A line {@code [NAME]} begins a section; blank lines and lines
     * that begin with {@code #} are no rows.
     *
     * @throws IllegalArgumentException if two sections have one name
     */
    public static Map<String, List<String>> read(String table) {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        List<String> rows = new ArrayList<>();
        for (String line : Resources.text(RuleTables.class, table).lines().toList()) {
            if (line.startsWith("[")) {
                rows = new ArrayList<>();
                if (sections.put(line.substring(1, line.length() - 1), rows) != null) {
                    throw new IllegalArgumentException(table + " has two sections " + line);
                }
            } else if (!line.isBlank() && !line.startsWith("#")) {
                rows.add(line);
            }
        }
        return sections;
    }
}
