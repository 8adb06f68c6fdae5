package dev.wheelhouse.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The values and the limits of the YAML that the program reads. */
class SafeYamlTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static Object load(String yaml) {
        return SafeYaml.load(yaml.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Each line of {@code values.tsv} has a text, the JSON that Go's {@code sigs.k8s.io/yaml} 1.6 makes of it, and the
     * keys that its strict reader finds twice.
     */
    @Test
    void everyValueAndKeyIsReadAsGoReadsIt() throws IOException {
        List<String> differences = new ArrayList<>();
        try (InputStream in = SafeYamlTest.class.getResourceAsStream("/yaml/values.tsv")) {
            for (String line : new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines()
                    .toList()) {
                String[] row = line.split("\t");
                String expected = row[1].equals("error") ? "error" : canonical(JSON.readTree(row[1]));
                expected += row.length > 2 ? " " + row[2] : "";
                String read = read(JSON.readValue(row[0], String.class));
                if (!read.equals(expected)) {
                    differences.add(row[0] + " is read as " + read + " instead of " + expected);
                }
            }
        }
        assertThat(differences).isEmpty();
    }

    private static String read(String yaml) {
        try {
            Iterator<SafeYaml.Document> documents = SafeYaml.documents(yaml.getBytes(StandardCharsets.UTF_8));
            if (!documents.hasNext()) {
                return "null";
            }
            SafeYaml.Document first = documents.next();
            return canonical(JSON.valueToTree(first.value())) + first.duplicates().stream()
                    .map(key -> " " + key.line() + ":" + key.key()).collect(Collectors.joining());
        } catch (SafeYaml.MalformedException e) {
            return "error";
        }
    }

    /** The same text for equal trees: sorted keys, numbers without exponents. */
    private static String canonical(JsonNode node) {
        if (node.isArray()) {
            return node.valueStream().map(SafeYamlTest::canonical).collect(Collectors.joining(",", "[", "]"));
        }
        if (node.isObject()) {
            return node.propertyStream().sorted(Map.Entry.comparingByKey())
                    .map(e -> JSON.writeValueAsString(e.getKey()) + ":" + canonical(e.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return node.isIntegralNumber()
                ? node.bigIntegerValue().toString()
                : node.isNumber() ? new BigDecimal(node.asString()).toEngineeringString() : node.toString();
    }

    @Test
    @Tag("full")
    void aTextBeyondALimitIsRefused() {
        assertThat(load("[".repeat(201) + "]".repeat(201))).isInstanceOf(List.class);
        String bomb = "a: &a [" + "1,".repeat(100) + "1]\nb: &b [" + "*a,".repeat(100) + "*a]\nc: [" + "*b,".repeat(100)
                + "*b]";
        String deep = "a: &a " + "[".repeat(150) + "]".repeat(150) + "\nb: " + "[".repeat(150) + "*a" + "]".repeat(150);
        for (String yaml : List.of("[".repeat(202) + "]".repeat(202), bomb, deep, "- 1\n".repeat(1_000_001),
                "#".repeat((10 << 20) + 1), "a: &a [*a]", "\udc00")) {
            assertThat(catchThrowable(() -> load(yaml))).isInstanceOf(SafeYaml.MalformedException.class);
        }
        assertThat(load("!!java.net.URL [\"http://127.0.0.1\"]")).isEqualTo(List.of("http://127.0.0.1"));
    }
}
