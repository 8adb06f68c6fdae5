package dev.wheelhouse.apiserver.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes a label selector and, after a line break, a field selector. A parsed selector prints as text that parses to
 * the same selector, and a list by it returns exactly the objects that it matches.
 */
public final class SelectorTarget implements FuzzTarget {
    private static final List<Map<String, String>> LABELS = List.of(Map.of(), Map.of("app", "web"),
            Map.of("app", "web", "tier", "1"), Map.of("tier", "2", "e.io/x", ""), Map.of("n", "10", "app", "db"));

    private final FuzzedServer server;

    public SelectorTarget() {
        Map<String, String> objects = new TreeMap<>();
        for (int i = 0; i < LABELS.size(); i++) {
            objects.put(i + "/api/v1/namespaces/default/secrets", Json.object()
                    .set("metadata", Json.object().put("name", "s" + i)
                            .set("labels", Json.mapper().valueToTree(LABELS.get(i))))
                    .put("type", i % 2 == 0 ? "e.io/even" : "Opaque").toString());
        }
        server = new FuzzedServer(false, objects);
    }

    @Override
    public void run(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        LabelSelector labels = labels(end < 0 ? text : text.substring(0, end));
        FieldSelector fields = fields(text.substring(end + 1));
        if (labels != null) {
            LabelSelector again = labels(labels.toString());
            assertThat(again).as("printed as %s and parsed again", labels).isEqualTo(labels);
        }
        if (fields != null) {
            FieldSelector again = fields(fields.toString());
            assertThat(again).as("printed as %s and parsed again", fields).isNotNull();
            assertThat(again.requirements()).containsExactlyInAnyOrderElementsOf(fields.requirements());
        }
        String query = "?labelSelector=" + encoded(labels == null ? text : labels.toString()) + "&fieldSelector="
                + encoded(fields == null ? "" : fields.toString());
        ApiResponse.Content listed = server
                .ask(ApiRequest.of("GET", "/api/v1/namespaces/default/secrets" + query, null));
        if (listed.code() == 200 && labels != null && fields != null) {
            Set<String> names = new HashSet<>();
            Json.read(listed.body()).path("items").forEach(item -> names.add(Json.text(item, "metadata", "name")));
            for (int i = 0; i < LABELS.size(); i++) {
                Map<String, String> values = Map.of("metadata.name", "s" + i, "metadata.namespace", "default", "type",
                        i % 2 == 0 ? "e.io/even" : "Opaque");
                assertThat(names.contains("s" + i)).as("whether s%s is listed", i)
                        .isEqualTo(labels.matches(LABELS.get(i)) && fields.matches(values::get));
            }
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static @Nullable LabelSelector labels(String text) {
        try {
            return LabelSelector.parse(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable FieldSelector fields(String text) {
        try {
            return FieldSelector.parse(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
