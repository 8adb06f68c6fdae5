package dev.wheelhouse.apiserver.schema;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.GoldenApi.Exchange;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.facts.ResourceInfo;

import static org.assertj.core.api.Assertions.assertThat;

/** Decodes, defaults and validates recorded requests, and compares the results with those of a real server. */
class GoldenCreateTest {
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();
    /** The fields that admission plugins set. */
    private static final List<String> BY_ADMISSION = List.of("serviceAccount", "serviceAccountName", "tolerations",
            "priority", "preemptionPolicy", "volumes");

    @ParameterizedTest
    @ValueSource(strings = {"crud_errors.json", "patches.json", "deletes.json", "list_paging.json",
            "namespaces_auth.json", "status_generation_scale.json"})
    void createsWhatARealServerCreates(String file) {
        int checked = 0;
        for (Exchange exchange : GoldenApi.read(file)) {
            boolean creates = exchange.method().equals("POST") && exchange.status() == 201
                    && exchange.body() instanceof ObjectNode && exchange.answer() instanceof ObjectNode;
            if (creates && exchange.answer().has("metadata")
                    && !exchange.path().matches(".*/(token|eviction|binding)")) {
                checkCreated(exchange);
                checked++;
            }
        }
        assertThat(checked).as("created objects in %s", file).isPositive();
    }

    private static void checkCreated(Exchange exchange) {
        ObjectNode expected = exchange.object();
        ObjectNode object = decoded((ObjectNode) exchange.body(), expected);
        assertThat(validated(object)).as("%s", exchange).isEmpty();
        for (String field : List.of("spec", "data", "type", "roleRef", "subjects", "rules")) {
            JsonNode actual = object.get(field);
            JsonNode wanted = expected.get(field);
            if (field.equals("spec") && wanted instanceof ObjectNode spec
                    && Json.text(expected, "kind").equals("Pod")) {
                spec.remove(BY_ADMISSION);
                ((ObjectNode) Objects.requireNonNull(actual)).remove(BY_ADMISSION);
                spec.path("containers").forEach(c -> ((ObjectNode) c).remove("volumeMounts"));
            }
            if (wanted instanceof ObjectNode spec && Json.text(expected, "kind").equals("Service")) {
                spec.remove(List.of("clusterIP", "clusterIPs"));
            }
            assertThat(actual).as("%s: %s", exchange, field).isEqualTo(wanted);
        }
        assertThat(Json.at(object, "metadata", "labels")).as("%s: labels", exchange)
                .isEqualTo(Json.at(expected, "metadata", "labels"));
    }

    /** The body, decoded and defaulted, with its namespace and its generated name. */
    private static ObjectNode decoded(ObjectNode body, ObjectNode created) {
        ObjectNode object = body.deepCopy();
        object.set("apiVersion", created.get("apiVersion"));
        object.set("kind", created.get("kind"));
        ObjectNode metadata = Json.child(object, "metadata");
        for (String field : List.of("name", "namespace")) {
            if (created.path("metadata").has(field)) {
                metadata.set(field, created.path("metadata").get(field));
            }
        }
        FieldValidation.prune(Json.text(object, "apiVersion"), Json.text(object, "kind"), object);
        Defaults.apply(resource(object).type(), object);
        return object;
    }

    private static ResourceInfo resource(ObjectNode object) {
        return Objects.requireNonNull(
                REGISTRY.findKind(Json.text(object, "apiVersion"), Json.text(object, "kind")), object::toString);
    }

    private static List<String> validated(ObjectNode object) {
        return Strategies.of(resource(object).type()).validate(resource(object).type(), object).stream()
                .map(StatusCause::toString).toList();
    }

    @Test
    void refusesWhatARealServerRefusesInItsWords() {
        int checked = 0;
        for (Exchange exchange : GoldenApi.read("crud_errors.json")) {
            if (exchange.method().equals("POST") && exchange.status() == 422) {
                ObjectNode object = (ObjectNode) exchange.body().deepCopy();
                boolean apps = exchange.path().contains("/apps/");
                object.put("apiVersion", apps ? "apps/v1" : "v1").put("kind", apps ? "Deployment" : "ConfigMap");
                checkRefused(exchange.toString(), object, null, exchange.answer());
                checked++;
            }
        }
        assertThat(checked).isGreaterThan(4);
    }

    @Test
    void refusesInvalidDeploymentsAsARealServerDoes() {
        int checked = 0;
        ObjectNode live = null;
        for (JsonNode entry : GoldenApi.invalidDeployments()) {
            JsonNode action = entry.path("do");
            String step = "step " + entry.path("step");
            if (Json.text(action, "op").equals("create") && entry.path("code").asInt() == 201) {
                live = ready((ObjectNode) action.path("manifest").deepCopy());
            } else if (Json.text(action, "op").equals("create")) {
                checkRefused(step, (ObjectNode) action.path("manifest").deepCopy(), null, entry.path("status"));
                checked++;
            } else if (Json.text(action, "op").equals("patch") && entry.path("code").asInt() == 422) {
                ObjectNode before = Objects.requireNonNull(live);
                ObjectNode after = Patches.merge(before, action.path("patch"));
                checkRefused(step, after, before, entry.path("status"));
                checked++;
            }
        }
        assertThat(checked).isGreaterThan(15);
    }

    private static void checkRefused(String what, ObjectNode object, @Nullable ObjectNode old, JsonNode status) {
        ObjectNode ready = ready(object);
        ResourceInfo resource = resource(ready);
        List<StatusCause> causes = old == null
                ? Strategies.of(resource.type()).validate(resource.type(), ready)
                : Strategies.of(resource.type()).validateUpdate("", ready, old);
        List<StatusCause> expected = causes(status);
        assertThat(causes).as("%s", what).isEqualTo(expected);
    }

    private static ObjectNode ready(ObjectNode object) {
        Json.child(object, "metadata").put("namespace", "api");
        FieldValidation.prune(Json.text(object, "apiVersion"), Json.text(object, "kind"), object);
        Defaults.apply(resource(object).type(), object);
        return object;
    }

    private static List<StatusCause> causes(JsonNode status) {
        return status.path("details").path("causes").valueStream()
                .map(c -> new StatusCause(Json.text(c, "field"), Json.text(c, "reason"),
                        current(Json.text(c, "message"))))
                .collect(Collectors.toList());
    }

    /** Rewrites messages of the recorded 1.26, which show Go values, as 1.36 words them, with JSON. */
    private static String current(String message) {
        Map<Pattern, String> rewrites = Map.of(Pattern.compile("map\\[string\\]string\\(nil\\)"), "null",
                Pattern.compile("intstr\\.IntOrString\\{Type:0, IntVal:(-?\\d+), StrVal:\"\"\\}"), "$1",
                Pattern.compile("intstr\\.IntOrString\\{Type:1, IntVal:0, StrVal:(\"[^\"]*\")\\}"), "$1",
                Pattern.compile("v1\\.LabelSelector\\{MatchLabels:null, MatchExpressions:[^}]*\\}"), "{}",
                Pattern.compile("v1\\.LabelSelector\\{MatchLabels:(\\{[^}]*\\}), MatchExpressions:[^}]*\\}"),
                "{\"matchLabels\":$1}");
        String result = message;
        Matcher map = Pattern.compile("map\\[string\\]string(\\{[^}]*\\})").matcher(result);
        result = map.replaceAll(m -> Matcher.quoteReplacement(m.group(1).replace(", ", ",")));
        for (int pass = 0; pass < 2; pass++) {
            for (Map.Entry<Pattern, String> rewrite : rewrites.entrySet()) {
                result = rewrite.getKey().matcher(result).replaceAll(rewrite.getValue());
            }
        }
        return result;
    }
}
