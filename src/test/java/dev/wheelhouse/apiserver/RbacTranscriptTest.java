package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays 141 requests about authentication, impersonation and roles, and compares the answers with those of a
 * kube-apiserver 1.36 with {@code --authorization-mode=RBAC}. Its tokens were admin-token (in the group system:masters)
 * and nobody-token.
 */
class RbacTranscriptTest {
    /** Entries that differ on purpose, and the reasons. The test fails if one of them passes. */
    private static final Map<String, String> OPEN = new TreeMap<>();

    static {
        OPEN.put("23", "the version is Wheelhouse's");
        for (String refused : List.of("65", "66", "67", "68")) {
            OPEN.put(refused, "1.36 asks for a constrained right to impersonate first and names that one; "
                    + "the older wording is that of the transcripts of namespaces_auth");
        }
        OPEN.put("84", "two bindings allow it, and which of them comes first is chance");
    }

    @TestFactory
    Stream<DynamicTest> answersAsTheRecordedServerDid() {
        JsonNode entries = Resources.json("/recorded/rbac.json");
        List<DynamicTest> tests = new ArrayList<>();
        try (RecordedServer server = new RecordedServer("rbac")) {
            for (int i = 0; i < entries.size(); i++) {
                List<String> differences = server.replay(i, entries.get(i));
                String id = i + " " + Json.text(entries.get(i), "request", "method") + " "
                        + Json.text(entries.get(i), "request", "path");
                boolean open = OPEN.containsKey(String.valueOf(i));
                tests.add(DynamicTest.dynamicTest(id, () -> {
                    if (open) {
                        assertThat(differences).as("%s passes: take it off the list", id).isNotEmpty();
                    } else {
                        assertThat(differences).as(id).isEmpty();
                    }
                }));
            }
        }
        return tests.stream();
    }
}
