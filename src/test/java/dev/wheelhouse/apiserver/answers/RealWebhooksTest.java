package dev.wheelhouse.apiserver.answers;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The same webhooks, configured on a real kube-apiserver and on the embedded server, lead to the same answers. */
class RealWebhooksTest {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final Duration LONG = Duration.ofMinutes(2);

    private final CountDownLatch end = new CountDownLatch(1);

    private String configuration(String kind, String name, String client, String more) {
        return """
                {"kind": "%sWebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1",
                 "metadata": {"name": "%s"}, "webhooks": [{"name": "%s.example.com", "admissionReviewVersions": ["v1"],
                 "sideEffects": "None", "clientConfig": %s, "timeoutSeconds": 1,
                 "objectSelector": {"matchLabels": {"case": "%s"}}, "rules": [{"apiGroups": [""], "apiVersions": ["v1"],
                 "operations": ["*"], "resources": ["configmaps"]}] %s}]}""".formatted(kind, name, name, client, name,
                more);
    }

    private static String map(String name, String scene) {
        return """
                {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "%s", "labels": {"case": "%s"}},
                 "data": {"a": "b"}}""".formatted(name, scene);
    }

    /** A webhook, and the writes that show what it does. */
    private record Scene(String name, String kind, String client, String more, List<Probe> probes) {}

    private List<Scene> scenes(ScriptedWebhook webhook) {
        webhook.respond("/allow", r -> "{\"allowed\": true, \"warnings\": [\"mind the gap\"]}")
                .respond("/deny", r -> "{\"allowed\": false}")
                .respond("/told", r -> "{\"allowed\": false, \"status\": {\"message\": \"not today\", \"code\": 409, "
                        + "\"reason\": \"Conflict\", \"details\": {\"causes\": [{\"field\": \"data\", \"message\": "
                        + "\"m\", \"reason\": \"FieldValueInvalid\"}]}}}")
                .respond("/reason", r -> "{\"allowed\": false, \"status\": {\"reason\": \"Teapot\", \"code\": 200}}")
                .respond("/patch", r -> ScriptedWebhook.patch("[{\"op\": \"add\", \"path\": \"/data/c\", "
                        + "\"value\": \"d\"}, {\"op\": \"add\", \"path\": \"/nonsense\", \"value\": 1}]"))
                .respond("/mistyped", r -> ScriptedWebhook.patch("[{\"op\": \"add\", \"path\": \"/data\", "
                        + "\"value\": 1}]"))
                .respond("/inapplicable", r -> ScriptedWebhook.patch("[{\"op\": \"remove\", \"path\": \"/x/y\"}]"))
                .respond("/half", r -> "{\"allowed\": true, \"patch\": \"W10=\"}")
                .respond("/wrong-uid", r -> "{\"allowed\": true, \"uid\": \"1\"}")
                .raw("/absent", 200, "{\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1\"}")
                .raw("/broken", 500, "broken").raw("/missing", 404, "missing").raw("/busy", 503, "busy")
                .raw("/forbidden", 403, "go away").raw("/teapot", 418, "teapot")
                .on("/hang", (exchange, review) -> end.await(1, TimeUnit.MINUTES))
                .respond("/warned", r -> "{\"allowed\": false, \"warnings\": [\"one\", \"two\"]}")
                .redirect("/loop", 307, webhook.url("/loop"));
        for (int code : List.of(300, 301, 302, 303, 304, 305, 307, 308)) {
            webhook.redirect("/to-" + code, code, "/seen-" + code).on("/seen-" + code, (exchange, review) -> {
                String told = exchange.getRequestMethod() + " " + Json.text(review, "kind") + " "
                        + exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("User-Agent");
                exchange.getResponseHeaders().set("Content-Type", "text/plain");
                exchange.sendResponseHeaders(500, told.length());
                exchange.getResponseBody().write(told.getBytes(StandardCharsets.UTF_8));
            });
        }
        webhook.redirect("/to-nowhere", 307, "").redirect("/to-refused", 308, "https://127.0.0.1:1/x")
                .redirect("/to-hang", 307, "/hang").redirect("/to-plain", 307, "http://127.0.0.1:1/x");
        List<Scene> scenes = new ArrayList<>();
        for (String path : List.of("allow", "deny", "told", "reason", "half", "wrong-uid", "absent", "broken",
                "missing", "busy", "forbidden", "teapot", "warned", "loop", "to-300", "to-301", "to-302", "to-303",
                "to-304", "to-305", "to-307", "to-308", "to-nowhere", "to-refused", "to-hang", "to-plain")) {
            scenes.add(scene("v-" + path, "Validating", webhook.client("/" + path), ""));
        }
        for (String path : List.of("deny", "patch", "mistyped", "inapplicable", "half", "told", "warned")) {
            scenes.add(scene("m-" + path, "Mutating", webhook.client("/" + path), ""));
        }
        scenes.add(scene("late", "Validating", webhook.client("/hang"), ", \"failurePolicy\": \"Fail\""));
        scenes.add(scene("late-ignored", "Validating", webhook.client("/hang"), ", \"failurePolicy\": \"Ignore\""));
        scenes.add(scene("late-mutating", "Mutating", webhook.client("/hang"), ""));
        scenes.add(scene("refused", "Validating", "{\"url\": \"https://127.0.0.1:1/x\"}", ""));
        scenes.add(scene("refused-ignored", "Mutating", "{\"url\": \"https://127.0.0.1:1/x\"}",
                ", \"failurePolicy\": \"Ignore\""));
        scenes.add(scene("untrusted", "Validating", webhook.client("/allow").replaceAll(", \"caBundle.*", "}"), ""));
        scenes.add(scene("other-host", "Validating",
                webhook.client("/allow").replace("127.0.0.1", "localhost"), ""));
        scenes.add(scene("no-service", "Validating",
                "{\"service\": {\"namespace\": \"default\", \"name\": \"nobody\"}}", ""));
        scenes.add(scene("condition", "Validating", webhook.client("/deny"),
                ", \"matchConditions\": [{\"name\": \"c\", \"expression\": \"request.operation == 'DELETE'\"}]"));
        scenes.add(scene("failing-condition", "Validating", webhook.client("/allow"),
                ", \"matchConditions\": [{\"name\": \"c\", \"expression\": \"object.data.missing == 'x'\"}]"));
        return scenes;
    }

    private Scene scene(String name, String kind, String client, String more) {
        String path = MAPS + "/" + name;
        return new Scene(name, kind, client, more, List.of(Probe.post(MAPS, map(name, name)),
                Probe.post(MAPS + "?dryRun=All", map(name + "-dry", name)),
                Probe.merge(path, "{\"data\": {\"e\": \"f\"}}"), Probe.get(path), Probe.delete(path)));
    }

    @Test
    @Timeout(900)
    void bothServersAnswerAlike(@TempDir Path directory) throws Exception {
        List<String> differences = new ArrayList<>();
        try (RealApiServer upstream = RealApiServer.startOrSkip(directory);
                ApiServer ours = new ApiServer(ApiServerOptions.defaults()).start();
                ScriptedWebhook webhook = new ScriptedWebhook("127.0.0.1");
                HttpWire toUpstream = new HttpWire(upstream.port(), true, RealApiServer.TOKEN);
                HttpWire toOurs = new HttpWire(ours.port(), false, "")) {
            eventually("the real server is ready", LONG, () -> toUpstream.send(Probe.get("/readyz")).code() == 200
                    && toUpstream.send(Probe.get("/api/v1/namespaces/default")).code() == 200);
            List<Scene> scenes = scenes(webhook);
            for (Scene scene : scenes) {
                Probe configure = Probe.post(GROUP + scene.kind().toLowerCase(Locale.ROOT)
                        + "webhookconfigurations",
                        configuration(scene.kind(), scene.name(), scene.client(),
                                scene.more()));
                assertThat(toUpstream.send(configure).code()).as(scene.name()).isEqualTo(201);
                assertThat(toOurs.send(configure).code()).as(scene.name()).isEqualTo(201);
            }
            eventually("the real server knows its webhooks", LONG,
                    () -> toUpstream.send(Probe.post(MAPS + "?dryRun=All", map("x", "failing-condition")))
                            .code() == 403);
            for (Scene scene : scenes) {
                for (Probe probe : scene.probes()) {
                    Answer wanted = toUpstream.send(probe);
                    Answer found = toOurs.send(probe);
                    if (!wanted.differences(found).isEmpty()) {
                        differences.add(scene.name() + ": " + probe.method() + " " + wanted.differences(found)
                                + "\n  real " + wanted.json() + "\n  ours " + found.json());
                    }
                }
            }
            differences.addAll(reviews(webhook, toUpstream, toOurs));
            differences.addAll(asked(webhook, toUpstream, toOurs));
            differences.addAll(conversions(webhook, toUpstream, toOurs));
            end.countDown();
        }
        assertThat(String.join("\n", differences)).isEmpty();
    }

    /** The differences of what a webhook is sent about a few writes. */
    private static List<String> reviews(ScriptedWebhook webhook, HttpWire toUpstream, HttpWire toOurs)
            throws Exception {
        String pods = "/api/v1/namespaces/default/pods";
        List<Probe> probes = List.of(
                Probe.post(pods + "?fieldManager=me", """
                        {"kind": "Pod", "apiVersion": "v1", "metadata": {"generateName": "seen-"}, "spec":
                         {"containers": [{"name": "c", "image": "i"}], "automountServiceAccountToken": false}}"""),
                Probe.post("/api/v1/namespaces", """
                        {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "seen"}}"""),
                Probe.merge("/api/v1/namespaces/seen", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}"),
                Probe.post("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?dryRun=All",
                        """
                                {"kind": "HorizontalPodAutoscaler", "apiVersion": "autoscaling/v1",
                                "metadata": {"name": "seen"},
                                 "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50, "scaleTargetRef":
                                  {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}"""),
                Probe.delete("/api/v1/namespaces/seen", "{\"propagationPolicy\": \"Background\"}"));
        webhook.respond("/seen", request -> "{\"allowed\": true}");
        for (String kind : List.of("Validating", "Mutating")) {
            Probe configure = Probe.post(GROUP + kind.toLowerCase(Locale.ROOT) + "webhookconfigurations", """
                    {"kind": "%sWebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1", "metadata":
                     {"name": "seen"}, "webhooks": [{"name": "seen.example.com", "admissionReviewVersions": ["v1"],
                     "sideEffects": "None", "clientConfig": %s, "rules": [{"apiGroups": ["", "autoscaling"],
                     "apiVersions": ["v1", "v2"], "operations": ["*"], "resources": ["pods", "namespaces"]},
                     {"apiGroups": ["autoscaling"], "apiVersions": ["v2"], "operations": ["CREATE"],
                      "resources": ["horizontalpodautoscalers"]}]}]}"""
                    .formatted(kind, webhook.client("/seen")));
            assertThat(toUpstream.send(configure).code()).isEqualTo(201);
            assertThat(toOurs.send(configure).code()).isEqualTo(201);
        }
        String trial = "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"trial\"}}";
        eventually("the real server knows its webhooks", LONG, () -> {
            webhook.reviews.clear();
            return toUpstream.send(Probe.post("/api/v1/namespaces?dryRun=All", trial)).code() == 201
                    && webhook.reviews.size() == 2;
        });
        List<String> differences = new ArrayList<>();
        for (Probe probe : probes) {
            webhook.reviews.clear();
            int wanted = toUpstream.send(probe).code();
            List<String> real = webhook.reviews.stream().map(RealWebhooksTest::normal).toList();
            webhook.reviews.clear();
            int found = toOurs.send(probe).code();
            List<String> own = webhook.reviews.stream().map(RealWebhooksTest::normal).toList();
            if (wanted != found || !real.equals(own)) {
                differences
                        .add(probe + "\n  real " + wanted + " " + String.join("\n       ", real) + "\n  ours " + found
                                + " " + String.join("\n       ", own));
            }
        }
        return differences;
    }

    /** The differences of what webhooks are sent about subresources, reviews and deletions. */
    private static List<String> asked(ScriptedWebhook webhook, HttpWire toUpstream, HttpWire toOurs)
            throws Exception {
        List<String> differences = new ArrayList<>();
        List<List<List<String>>> both = new ArrayList<>();
        // The real server refuses the resize between the two webhooks, because no kubelet has described the node.
        List<Probe> requests = AskedRequests.requests().stream().map(AskedRequests.Asked::probe)
                .filter(probe -> !probe.target().endsWith("/resize")).toList();
        webhook.respond("/asked", request -> "{\"allowed\": true}");
        for (HttpWire wire : List.of(toUpstream, toOurs)) {
            for (Probe object : AskedRequests.objects()) {
                assertThat(wire.send(object).code()).as(object.toString()).isEqualTo(201);
            }
            eventually("the definition is served", LONG, () -> wire.send(AskedRequests.yard()).code() == 201);
            for (String kind : List.of("Mutating", "Validating")) {
                assertThat(wire.send(AskedRequests.configuration(kind, webhook.client("/asked"))).code())
                        .isEqualTo(201);
            }
            eventually("the server knows its webhooks", LONG, () -> {
                webhook.reviews.clear();
                return wire.send(Probe.post("/api/v1/namespaces?dryRun=All", "{\"kind\": \"Namespace\", "
                        + "\"apiVersion\": \"v1\", \"metadata\": {\"name\": \"trial\"}}")).code() == 201
                        && webhook.reviews.stream().map(AskedRequests::summary)
                                .filter(summary -> summary.endsWith(" trial Namespace")).count() >= 2;
            });
            List<List<String>> all = new ArrayList<>();
            for (Probe probe : requests) {
                webhook.reviews.clear();
                wire.send(probe);
                // The real server asks about some deletions again, after it has marked the object.
                boolean deletion = probe.method().equals("DELETE") && !probe.target().contains("/proxy");
                all.add(webhook.reviews.stream().map(RealWebhooksTest::normal).distinct()
                        .limit(deletion ? 1 : Long.MAX_VALUE).toList());
            }
            both.add(all);
            for (String kind : List.of("mutating", "validating")) {
                wire.send(Probe.delete(GROUP + kind + "webhookconfigurations/asked"));
            }
        }
        for (int i = 0; i < both.getFirst().size(); i++) {
            if (!both.getFirst().get(i).equals(both.getLast().get(i))) {
                differences.add(requests.get(i) + "\n  real "
                        + String.join("\n       ", both.getFirst().get(i)) + "\n  ours "
                        + String.join("\n       ", both.getLast().get(i)));
            }
        }
        return differences;
    }

    /** The differences of what clients get of a custom resource in another version than that of the storage. */
    private static List<String> conversions(ScriptedWebhook webhook, HttpWire toUpstream, HttpWire toOurs)
            throws Exception {
        String version = "{\"name\": \"%s\", \"served\": true, \"storage\": %s, \"schema\": {\"openAPIV3Schema\": "
                + "{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}}}";
        Probe define = Probe.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                """
                        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
                        "metadata": {"name":
                         "sites.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                         "names": {"plural": "sites",
                         "kind": "Site", "singular": "site", "listKind": "SiteList"}, "versions": [%s, %s],
                         "conversion":
                         {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                         "clientConfig": %s}}}}"""
                        .formatted(version.formatted("v1", "true"), version.formatted("v1beta1", "false"),
                                webhook.client("/convert")));
        String path = "/namespaces/default/sites";
        String made = "/apis/example.com/v1" + path;
        String read = "/apis/example.com/v1beta1" + path;
        String site = "{\"kind\": \"Site\", \"apiVersion\": \"example.com/%s\", \"metadata\": {\"name\": \"%s\"}}";
        webhook.respond("/convert", request -> converted(request, ""));
        for (HttpWire wire : List.of(toUpstream, toOurs)) {
            assertThat(wire.send(define).code()).isEqualTo(201);
            eventually("the definition is served", LONG, () -> wire.send(Probe.get(read)).code() == 200
                    && wire.send(Probe.post(made, site.formatted("v1", "a"))).code() == 201);
        }
        List<String> differences = new ArrayList<>();
        for (String answer : List.of("", "\"result\": {\"status\": \"Failed\", \"message\": \"no way\"}",
                "\"result\": {\"status\": \"Failed\"}", "\"convertedObjects\": []", "\"uid\": \"1\"")) {
            webhook.respond("/convert", request -> converted(request, answer));
            for (Probe probe : List.of(Probe.get(read + "/a"),
                    Probe.post(read + "?dryRun=All", site.formatted("v1beta1", "b")))) {
                Answer wanted = toUpstream.send(probe);
                Answer found = toOurs.send(probe);
                if (!wanted.differences(found).isEmpty()) {
                    differences.add(answer + ": " + probe + "\n  real " + wanted.json() + "\n  ours " + found.json());
                }
            }
        }
        return differences;
    }

    /** @param answer replaces fields of a right response */
    private static String converted(JsonNode request, String answer) {
        ObjectNode response = Json.object();
        for (JsonNode object : request.path("objects")) {
            response.withArray("convertedObjects").add(((ObjectNode) object.deepCopy()).put("apiVersion",
                    Json.text(request, "desiredAPIVersion")));
        }
        response.putObject("result").put("status", "Success");
        response.setAll((ObjectNode) Json.read("{" + answer + "}"));
        return response.toString();
    }

    /**
     * A review as text, with sorted fields, without the times, the user and the random parts; and without what this
     * server sets earlier or later than upstream (the status and the finalizers of a new object, the owners of fields
     * that an update changes), what an admission plugin sets that the real server runs without (the account of a pod),
     * and the precondition that upstream adds for a namespace.
     */
    private static String normal(JsonNode review) {
        ObjectNode copy = (ObjectNode) review.deepCopy();
        ((ObjectNode) copy.path("request")).remove(List.of("uid", "userInfo"));
        for (String object : List.of("object", "oldObject")) {
            if (copy.path("request").path(object) instanceof ObjectNode shown) {
                shown.remove("status");
                if (shown.path("metadata") instanceof ObjectNode metadata) {
                    metadata.remove("managedFields");
                }
                if (shown.path("spec") instanceof ObjectNode spec) {
                    spec.remove(List.of("finalizers", "serviceAccount", "serviceAccountName"));
                }
            }
        }
        if (copy.path("request").path("options") instanceof ObjectNode options) {
            options.remove("preconditions");
        }
        return sorted(copy).toString().replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:]+Z", "TIME")
                .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "UID").replaceAll("seen-[a-z0-9]{5}", "seen-abcde")
                .replace("https://kubernetes.default.svc", "https://127.0.0.1")
                .replaceAll("\"resourceVersion\":\"\\d+\"", "\"resourceVersion\":\"N\"");
    }

    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode sorted = Json.object();
            new TreeSet<>(object.propertyNames()).forEach(name -> sorted.set(name, sorted(object.path(name))));
            return sorted;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode sorted = Json.array();
            array.forEach(element -> sorted.add(sorted(element)));
            return sorted;
        }
        return node;
    }
}
