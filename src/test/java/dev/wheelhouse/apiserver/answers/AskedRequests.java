package dev.wheelhouse.apiserver.answers;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

/** Requests to subresources, reviews and deletions, about most of which admission webhooks are asked. */
final class AskedRequests {
    private AskedRequests() {}

    /** A request, and the question of webhooks about it; empty if they are not asked. */
    record Asked(Probe probe, String question) {}

    private static List<Asked> list(String name) {
        return Resources.yaml("/answers/asked.yaml").path(name).valueStream().map(AskedRequests::asked).toList();
    }

    private static Asked asked(JsonNode step) {
        Map.Entry<String, JsonNode> request = step.properties().iterator().next();
        String[] words = request.getKey().split(" ");
        JsonNode node = request.getValue();
        String body = node.isString() ? node.asString() : node.toString();
        return new Asked(switch (words[0]) {
            case "MERGE" -> Probe.merge(words[1], body);
            case "STRATEGIC" -> Probe.strategic(words[1], body);
            case "APPLY" -> Probe.apply(words[1], body);
            default ->
                node.isNull() ? Probe.get(words[1]).method(words[0]) : Probe.post(words[1], body).method(words[0]);
        }, step.path("asked").asString(""));
    }

    /** The objects that the requests are about. */
    static List<Probe> objects() {
        return list("objects").stream().map(Asked::probe).toList();
    }

    static List<Asked> requests() {
        return list("requests");
    }

    /** A custom resource, which can be created a while after its definition. */
    static Probe yard() {
        return Probe.post("/apis/example.com/v1/namespaces/asked/yards", """
                {"kind": "Yard", "apiVersion": "example.com/v1", "metadata": {"name": "x"}, "spec": {"size": 1}}""");
    }

    /** A configuration of webhooks of a kind, such as Validating, about everything that users do. */
    static Probe configuration(String kind, String client) {
        return Probe.post("/apis/admissionregistration.k8s.io/v1/" + kind.toLowerCase(Locale.ROOT)
                + "webhookconfigurations",
                """
                        {"kind": "%sWebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1", "metadata":
                         {"name": "asked"}, "webhooks": [{"name": "asked.example.com", "admissionReviewVersions":
                         ["v1"], "sideEffects": "None", "timeoutSeconds": 30, "clientConfig": %s, "rules":
                         [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}],
                         "matchConditions": [{"name": "c", "expression":
                         "!request.userInfo.username.startsWith('system:apiserver')"}]}]}
                        """
                        .formatted(kind, client));
    }

    /** The question of a review in a few words: operation, resource, name, kind of the object, grace period. */
    static String summary(JsonNode review) {
        JsonNode request = review.path("request");
        String part = Json.text(request, "subResource");
        JsonNode grace = request.path("options").path("gracePeriodSeconds");
        return Json.text(request, "operation") + " " + Json.text(request, "resource", "resource")
                + (part.isEmpty() ? "" : "/" + part) + " " + Json.text(request, "name") + " "
                + Json.text(request, "kind", "kind") + (grace.isMissingNode() ? "" : " " + grace.asInt());
    }
}
