package dev.wheelhouse.apiserver.validation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.facts.RuleTables;

import static org.assertj.core.api.Assertions.assertThat;

class SharedRulesTest {
    private static final Pattern ASKED = Pattern.compile("Rules\\.shared\\(\\)\\.check\\(\"([^\"]+)\"");
    private static final Pattern USED = Pattern.compile("use:([^;\\t\\n]+)");

    /** A claim in a pod's volume is checked by the rules of claims, which once called a method of claims alone. */
    @Test
    void setsThatThisPackageAsksForNeedNoMethodOfASingleKind() throws IOException {
        Map<String, List<String>> rows = new HashMap<>(RuleTables.read("rules.tsv"));
        rows.putAll(RuleTables.read("warnings.tsv"));
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(asked());
        while (!open.isEmpty()) {
            String set = open.pop();
            if (reached.add(set)) {
                String text = String.join("\n", rows.get(set));
                USED.matcher(text).results().map(used -> used.group(1)).forEach(open::push);
                rows.keySet().stream().filter(other -> text.contains("one:") && other.startsWith(set + "."))
                        .forEach(open::push);
            }
        }

        assertThat(reached).contains("PodSpec", "PersistentVolumeClaimSpec").allSatisfy(Rules.shared()::compile);
    }

    private static List<String> asked() throws IOException {
        try (var files = Files.list(Path.of("src/main/java/dev/wheelhouse/apiserver/validation"))) {
            StringBuilder text = new StringBuilder();
            for (Path file : files.toList()) {
                text.append(Files.readString(file));
            }
            return ASKED.matcher(text).results().map(set -> set.group(1)).toList();
        }
    }
}
