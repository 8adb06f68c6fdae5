package dev.wheelhouse.apiserver.rest;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;
import dev.wheelhouse.runtime.Host;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Webhooks that are asked about writes, and that convert custom resources. Some answer as no webhook should. */
@Timeout(900)
class WebhooksTest {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    private static final String MAPS = NS + "configmaps";
    private static final String ALLOW = "{\"allowed\": true}";
    private static final String SITES = "/apis/example.com/v1/namespaces/default/sites";
    private static final String OLD_SITES = "/apis/example.com/v1beta1/namespaces/default/sites";

    private final RestClient rest = new RestClient();
    private final ScriptedWebhook webhook;

    WebhooksTest() throws Exception {
        webhook = new ScriptedWebhook("127.0.0.1", "localhost", "hooks.default.svc");
    }

    @AfterEach
    void close() {
        webhook.close();
    }

    /** Configures a webhook that has the longest possible time: the machine may be busy. */
    private void configure(String kind, String name, String client, String more) {
        configure(kind, name, client, 30, more);
    }

    /** @param more fields of the webhook, each with a comma before it */
    private void configure(String kind, String name, String client, int seconds, String more) {
        rest.post(GROUP + kind.toLowerCase(Locale.ROOT) + "webhookconfigurations",
                """
                        {"metadata": {"name": "%1$s"}, "webhooks": [{"name": "%1$s.example.com", "clientConfig": %2$s,
                         "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": [{"apiGroups": ["", "apps",
                         "example.com"], "apiVersions": ["v1"], "operations": ["*"],
                         "resources": ["configmaps", "sites"]}], "timeoutSeconds": %3$d %4$s}]}
                        """
                        .formatted(name, client, seconds, more));
        assertThat(rest.last.code()).isEqualTo(201);
    }

    private JsonNode map(String name) {
        return rest.post(MAPS, "{\"metadata\": {\"name\": \"" + name + "\"}, \"data\": {\"a\": \"b\"}}");
    }

    private static String add(String field, String value) {
        return ScriptedWebhook.patch("[{\"op\": \"add\", \"path\": \"/data/" + field + "\", \"value\": \"" + value
                + "\"}]");
    }

    /** @param expression of an apply configuration */
    private void policy(String expression, String reinvocation) {
        rest.post(GROUP + "mutatingadmissionpolicies", """
                {"metadata": {"name": "p"}, "spec": {"reinvocationPolicy": "%s", "matchConstraints": {"resourceRules": [
                 {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}]},
                 "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "%s"}}]}}"""
                .formatted(reinvocation, expression.replace("\"", "\\\"")));
        assertThat(rest.last.code()).isEqualTo(201);
        rest.post(GROUP + "mutatingadmissionpolicybindings",
                "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"policyName\": \"p\"}}");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void aMutatingPolicyComesBeforeTheWebhooksAndOnceMoreAfterThem() {
        webhook.respond("/hook", r -> add("hook", "saw-" + Json.text(r, "object", "data", "size")));
        configure("Mutating", "a", webhook.client("/hook"), "");
        policy("Object{data: {\"size\": string(size(object.data))}}", "IfNeeded");

        assertThat(map("m").path("data").toString())
                .isEqualTo("{\"a\":\"b\",\"size\":\"3\",\"hook\":\"saw-1\"}");
        assertThat(webhook.reviews).hasSize(1);
    }

    @Test
    void aWebhookIsAskedOnceMoreIfAPolicyChangesTheObjectAfterIt() {
        webhook.respond("/hook", r -> add("hook", "saw-" + Json.text(r, "object", "data", "size")));
        configure("Mutating", "a", webhook.client("/hook"), ", \"reinvocationPolicy\": \"IfNeeded\"");
        policy("Object{data: {\"size\": string(size(object.data))}}", "IfNeeded");

        assertThat(map("m").path("data").toString())
                .isEqualTo("{\"a\":\"b\",\"size\":\"3\",\"hook\":\"saw-3\"}");
        assertThat(webhook.reviews).hasSize(2);
    }

    @Test
    void mutatingWebhooksSeeEachOthersChangesAndThoseWhoWishAreAskedOnceMore() {
        webhook.respond("/first", r -> add("first", "seen-" + r.path("object").path("data").size()))
                .respond("/second", r -> r.at("/object/data/second").isMissingNode() ? add("second", "x") : ALLOW);
        configure("Mutating", "a", webhook.client("/first"), ", \"reinvocationPolicy\": \"IfNeeded\"");
        configure("Mutating", "b", webhook.client("/second"), "");

        JsonNode made = map("m");

        assertThat(made.path("data").toString()).isEqualTo("{\"a\":\"b\",\"first\":\"seen-3\",\"second\":\"x\"}");
        assertThat(webhook.reviews).hasSize(3);
        assertThat(made.at("/metadata/managedFields").toString()).contains("f:a").doesNotContain("f:first");
    }

    @Test
    void aWebhookDoesNotOwnTheFieldsThatItChangesInAnUpdate() {
        map("m");
        webhook.respond("/x", r -> add("added", "x"));
        configure("Mutating", "a", webhook.client("/x"), "");

        JsonNode changed = rest.merge(MAPS + "/m", "{\"data\": {\"c\": \"d\"}}");

        assertThat(changed.path("data").has("added")).isTrue();
        assertThat(changed.at("/metadata/managedFields").toString()).contains("f:c").doesNotContain("f:added");
    }

    @Test
    void aDeletionIsAskedAboutAndMayBeRefused() {
        map("m");
        webhook.respond("/x", r -> "{\"allowed\": false, \"status\": {\"message\": \"keep "
                + r.at("/oldObject/data/a").asString() + "\"}}");
        configure("Validating", "a", webhook.client("/x"), "");

        JsonNode refused = rest.delete(MAPS + "/m");

        assertThat(Json.text(refused, "message"))
                .isEqualTo("admission webhook \"a.example.com\" denied the request: keep b");
        assertThat(rest.get(MAPS + "/m").path("data").has("a")).isTrue();
    }

    @Test
    void namespacesAndObjectsAreSelectedByTheirLabels() {
        webhook.respond("/x", r -> "{\"allowed\": false}");
        configure("Validating", "a", webhook.client("/x"), """
                , "namespaceSelector": {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                 "values": ["default"]}]}""");
        configure("Validating", "b", webhook.client("/x"), ", \"objectSelector\": {\"matchLabels\": {\"x\": \"y\"}}");

        map("m");

        assertThat(rest.last.code()).isEqualTo(201);
        rest.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"other\"}}");
        rest.post("/api/v1/namespaces/other/configmaps", "{\"metadata\": {\"name\": \"m\"}}");
        assertThat(rest.last.code()).isEqualTo(400);
        rest.merge(MAPS + "/m", "{\"metadata\": {\"labels\": {\"x\": \"y\"}}}");
        assertThat(rest.last.code()).isEqualTo(400);
    }

    @Test
    void aServiceOfTypeExternalNameLeadsToItsHostAndOneWithoutEndpointsNowhere() {
        webhook.respond("/x", r -> "{\"allowed\": false, \"status\": {\"message\": \"reached\"}}");
        String client = "{\"service\": {\"namespace\": \"default\", \"name\": \"hooks\", \"path\": \"/x\", \"port\": "
                + webhook.port() + "}, \"caBundle\": \"" + webhook.bundle() + "\"}";
        configure("Validating", "a", client, "");
        rest.post(NS + "services", "{\"metadata\": {\"name\": \"hooks\"}, \"spec\": {\"ports\": [{\"port\": "
                + webhook.port() + "}]}}");

        assertThat(Json.text(map("m"), "message")).endsWith("/x?timeout=30s\": "
                + "no endpoints available for service \"hooks\"");

        rest.delete(NS + "services/hooks");
        rest.post(NS + "services", """
                {"metadata": {"name": "hooks"}, "spec": {"type": "ExternalName", "externalName": "localhost"}}""");
        assertThat(Json.text(map("m"), "message")).endsWith("denied the request: reached");
    }

    /** The port of the slice is not that of the Service. Nobody listens at port 1. */
    @ParameterizedTest
    @CsvSource({"containerd://1, true, PORT, denied the request: reached",
            "containerd://1, true, 1, 'hooks.default.svc:443/x?timeout=30s\": dial tcp hooks.default.svc:1: connect: "
                    + "connection refused'",
            "containerd://1, false, PORT, no endpoints available",
            "hollow://1, true, PORT, pods of hollow nodes run nothing"})
    void aServiceLeadsToEndpointsThatAreReadyOnNodesThatRunContainers(String runtime, boolean ready, String port,
            String told) {
        webhook.respond("/x", r -> "{\"allowed\": false, \"status\": {\"message\": \"reached\"}}");
        assumeThat(Host.address()).as("the address of this machine").isNotEqualTo("127.0.0.1");
        rest.post("/api/v1/nodes", "{\"metadata\": {\"name\": \"real\"}, \"status\": {\"nodeInfo\": "
                + "{\"containerRuntimeVersion\": \"" + runtime + "\"}}}");
        rest.create(NS + "services", "{metadata: {name: hooks}, spec: {ports: [{name: a, port: 443}]}}");
        rest.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", """
                {metadata: {name: hooks-1, labels: {kubernetes.io/service-name: hooks}}, addressType: IPv4,
                 ports: [{name: b, port: 2}, {name: a, port: %s}],
                 endpoints: [{addresses: [%s], nodeName: real, conditions: {ready: %s}}]}"""
                .formatted(port.replace("PORT", String.valueOf(webhook.port())), Host.address(), ready));
        assertThat(rest.last.code()).as(new String(rest.last.body(), StandardCharsets.UTF_8)).isEqualTo(201);
        configure("Validating", "a", "{\"service\": {\"namespace\": \"default\", \"name\": \"hooks\", "
                + "\"path\": \"/x\"}, \"caBundle\": \"" + webhook.bundle() + "\"}", "");

        assertThat(Json.text(map("m"), "message")).contains(told);
    }

    @ParameterizedTest
    @CsvSource({"301, GET", "302, GET", "303, GET", "307, POST AdmissionReview", "308, POST AdmissionReview"})
    void aRedirectIsFollowedAsGoDoesIt(int code, String sent) {
        webhook.redirect("/deep//x", code, "/x").redirect("/x", code, "https://localhost:" + webhook.port() + "/y")
                .redirect("/y", code, webhook.url("/z")).on("/z", (exchange, review) -> {
                    byte[] told = (exchange.getRequestMethod() + " " + Json.text(review, "kind")).strip()
                            .getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "text/plain");
                    exchange.sendResponseHeaders(403, told.length);
                    exchange.getResponseBody().write(told);
                });
        configure("Validating", "a", webhook.client("/deep//x"), "");

        assertThat(Json.text(map("m"), "message")).endsWith("failed to call webhook: " + sent);
    }

    @Test
    void redirectsEndAfterTenRequestsAndAtTheDeadlineAndOneWithoutALocationIsAnAnswer() {
        webhook.redirect("/loop", 307, "/loop").redirect("/nowhere", 308, "").redirect("/refused", 307,
                "https://127.0.0.1:1/x").redirect("/slow", 307, "/hang")
                .on("/hang", (exchange, review) -> new CountDownLatch(1).await());
        configure("Validating", "a", webhook.client("/loop"), "");
        assertThat(Json.text(map("m"), "message")).endsWith("Post \"/loop\": stopped after 10 redirects");
        assertThat(webhook.reviews).hasSize(10);
        for (String[] other : new String[][]{{"/nowhere", "the server responded with the status code 308 but"},
                {"/refused", "Post \"https://127.0.0.1:1/x\": dial tcp 127.0.0.1:1: connect: connection refused"},
                {"/slow", "Post \"" + webhook.url("/hang") + "\": context deadline exceeded"}}) {
            rest.delete(GROUP + "validatingwebhookconfigurations/a");
            configure("Validating", "a", webhook.client(other[0]), 1, "");
            assertThat(Json.text(map("m"), "message")).contains(other[1]);
        }
    }

    @Test
    void aWebhookKnowsTheServerByItsUserAgentAndGetsNoCredentials() {
        List<String> headers = new CopyOnWriteArrayList<>();
        webhook.on("/x", (exchange, review) -> {
            headers.add(exchange.getRequestHeaders().getFirst("User-Agent"));
            headers.addAll(exchange.getRequestHeaders().keySet());
            ScriptedWebhook.send(exchange, 500, new byte[0]);
        });
        configure("Validating", "a", webhook.client("/x"), "");

        map("m");

        assertThat(headers).startsWith("kube-apiserver-admission").doesNotContain("Authorization", "Cookie");
    }

    @Test
    void theWarningsOfARequestThatFailsAreSent() {
        webhook.respond("/x", r -> "{\"allowed\": false, \"warnings\": [\"one\", \"two\"]}")
                .respond("/y", r -> "{\"allowed\": true, \"warnings\": [\"three\"]}");
        rest.post(MAPS, "{\"metadata\": {\"name\": \"Not A Name\"}, \"dta\": {}}");
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(rest.last.warnings()).containsExactly("unknown field \"dta\"");
        rest.post("/api/v1/namespaces/missing/configmaps", "{\"metadata\": {\"name\": \"m\"}, \"dta\": {}}");
        assertThat(rest.last.code()).isEqualTo(404);
        assertThat(rest.last.warnings()).containsExactly("unknown field \"dta\"");
        rest.post(NS + "resourcequotas", "{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"hard\": "
                + "{\"count/configmaps\": \"1\"}}}");
        rest.merge(NS + "resourcequotas/q/status", "{\"status\": {\"hard\": {\"count/configmaps\": \"1\"}, "
                + "\"used\": {\"count/configmaps\": \"0\"}}}");
        map("m");
        rest.put(MAPS + "/m", "{\"metadata\": {\"name\": \"m\", \"resourceVersion\": \"1\"}, \"dta\": {}}");
        assertThat(rest.last.code()).isEqualTo(409);
        assertThat(rest.last.warnings()).containsExactly("unknown field \"dta\"");
        rest.post(MAPS, "{\"metadata\": {\"name\": \"n\"}, \"dta\": {}}");
        assertThat(rest.last.code()).isEqualTo(403);
        assertThat(rest.last.warnings()).containsExactly("unknown field \"dta\"");
        configure("Mutating", "a", webhook.client("/y"), "");
        configure("Validating", "b", webhook.client("/x"), "");
        rest.merge(MAPS + "/m", "{\"data\": {\"c\": \"d\"}, \"dta\": {}}");
        assertThat(rest.last.code()).isEqualTo(400);
        assertThat(rest.last.warnings()).containsExactly("unknown field \"dta\"", "three", "one", "two");
        rest.delete(MAPS);
        assertThat(rest.last.code()).isEqualTo(400);
        assertThat(rest.last.warnings()).containsExactly("three", "one", "two");
    }

    /** A webhook that changes and then checks scales, and one that refuses a connection. */
    @Test
    void aWebhookChangesAScaleAndRefusesAConnection() {
        String deployments = "/apis/apps/v1/namespaces/default/deployments";
        rest.post(deployments, """
                {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata":
                 {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}""");
        webhook.respond("/scale", r -> ScriptedWebhook.patch("[{\"op\": \"replace\", \"path\": \"/spec/replicas\", "
                + "\"value\": 5}]")).respond("/no", r -> "{\"allowed\": false, \"status\": {\"message\": \"no "
                        + r.at("/object/command/0").asString("") + "\"}}");
        String rules = "[{\"apiGroups\": [\"\", \"apps\"], \"apiVersions\": [\"v1\"], \"operations\": [\"UPDATE\", "
                + "\"CONNECT\"], \"resources\": [\"%s\"]}]";
        for (String[] hook : new String[][]{{"a", "/scale", "deployments/scale"}, {"b", "/no", "pods/exec"}}) {
            rest.post(GROUP + "mutatingwebhookconfigurations", """
                    {"metadata": {"name": "%s"}, "webhooks": [{"name": "%1$s.example.com", "clientConfig": %s,
                     "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": %s}]}"""
                    .formatted(hook[0], webhook.client(hook[1]), rules.formatted(hook[2])));
            assertThat(rest.last.code()).isEqualTo(201);
        }

        assertThat(rest.merge(deployments + "/d/scale", "{\"spec\": {\"replicas\": 2}}").at("/spec/replicas").asInt())
                .isEqualTo(5);
        assertThat(rest.get(deployments + "/d").at("/spec/replicas").asInt()).isEqualTo(5);
        assertThat(Json.text(rest.get(NS + "pods/p/exec?command=rm"), "message"))
                .isEqualTo("admission webhook \"b.example.com\" denied the request: no rm");
    }

    @Test
    void anAnswerWithoutAnEndIsGivenUpAtItsBoundAndOneThatDribblesAtItsDeadline() {
        webhook.on("/endless", (exchange, review) -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] much = new byte[1024 * 1024];
            OutputStream out = exchange.getResponseBody();
            while (true) {
                out.write(much);
            }
        }).on("/dribble", (exchange, review) -> {
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            CountDownLatch never = new CountDownLatch(1);
            while (!never.await(50, TimeUnit.MILLISECONDS)) {
                out.write(' ');
                out.flush();
            }
        });
        configure("Validating", "a", webhook.client("/endless"), "");
        assertThat(Json.text(map("m"), "message")).contains("the answer has more than 83");
        rest.delete(GROUP + "validatingwebhookconfigurations/a");
        configure("Validating", "b", webhook.client("/dribble"), 1, "");
        assertThat(Json.text(map("m"), "message")).endsWith("context deadline exceeded");
    }

    @Test
    void aPatchMayNeitherRenameAnObjectNorNestItWithoutEnd() {
        webhook.respond("/rename",
                r -> ScriptedWebhook.patch("[{\"op\": \"replace\", \"path\": \"/metadata/namespace\", "
                        + "\"value\": \"kube-system\"}]"))
                .respond("/deep", r -> ScriptedWebhook.patch("[{\"op\": \"add\", \"path\": \"/spec\", \"value\": "
                        + "{\"deep\": " + "[".repeat(300) + "]".repeat(300) + "}}]"));
        configure("Mutating", "a", webhook.client("/rename"), "");
        assertThat(Json.text(map("m"), "message")).startsWith("the namespace of the provided object does not match");
        rest.delete(GROUP + "mutatingwebhookconfigurations/a");
        define("\"None\"");
        configure("Mutating", "b", webhook.client("/deep"), "");
        rest.post(SITES, "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Site\", \"metadata\": {\"name\": \"s\"}}");
        assertThat(rest.last.code()).isEqualTo(400);
        assertThat(rest.get(MAPS + "/m").path("code").asInt()).isEqualTo(404);
    }

    @Test
    void aSlowWebhookHoldsUpNoOtherRequestNotEvenInANamespaceWithAQuota() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        rest.post(NS + "resourcequotas", "{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"hard\": {\"secrets\": \"9\", "
                + "\"count/configmaps\": \"9\"}}}");
        webhook.on("/x", (exchange, review) -> {
            asked.countDown();
            answer.await();
        });
        configure("Validating", "a", webhook.client("/x"), ", \"failurePolicy\": \"Ignore\"");
        AtomicReference<JsonNode> slow = new AtomicReference<>();
        Thread writer = Thread.ofVirtual().start(() -> slow.set(map("slow")));
        asked.await();

        rest.post(NS + "secrets", "{\"metadata\": {\"name\": \"s\"}}");

        assertThat(rest.last.code()).isEqualTo(201);
        assertThat(slow.get()).isNull();
        answer.countDown();
        assertThat(writer.join(Duration.ofMinutes(2))).isTrue();
        assertThat(Json.text(slow.get(), "metadata", "name")).isEqualTo("slow");
    }

    /** @param conversion the strategy, and what belongs to it */
    private void define(String conversion) {
        String version = "{\"name\": \"%s\", \"served\": true, \"storage\": %s, \"subresources\": {\"status\": {}}, "
                + "\"schema\": {\"openAPIV3Schema\": {\"type\": \"object\", \"properties\": {\"spec\": {\"type\": "
                + "\"object\", \"x-kubernetes-preserve-unknown-fields\": true}}}}}";
        rest.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", """
                {"metadata": {"name": "sites.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "sites", "kind": "Site"}, "versions": [%s, %s], "conversion": {"strategy": %s}}}"""
                .formatted(version.formatted("v1", "true"), version.formatted("v1beta1", "false"), conversion));
        assertThat(rest.last.code()).as(rest.last.toString()).isEqualTo(201);
    }

    private void defineConverted(String path) {
        define("\"Webhook\", \"webhook\": {\"conversionReviewVersions\": [\"v1\"], \"clientConfig\": "
                + webhook.client(path) + "}");
    }

    /** Version v1 has {@code spec.hosts}, a list; v1beta1 has {@code spec.host}, one. */
    private static String converted(JsonNode request, String result) {
        ObjectNode response = Json.object();
        String to = Json.text(request, "desiredAPIVersion");
        for (JsonNode object : request.path("objects")) {
            ObjectNode copy = (ObjectNode) object.deepCopy();
            copy.put("apiVersion", to);
            ObjectNode spec = copy.putObject("spec");
            if (to.endsWith("/v1")) {
                spec.putArray("hosts").add(Json.text(object, "spec", "host"));
            } else {
                spec.put("host", object.at("/spec/hosts/0").asString());
            }
            response.withArray("convertedObjects").add(copy);
        }
        response.putObject("result").put("status", result);
        return response.toString();
    }

    private JsonNode site(String path, String name, String spec) {
        String version = path.equals(SITES) ? "v1" : "v1beta1";
        return rest.post(path, "{\"apiVersion\": \"example.com/" + version + "\", \"kind\": \"Site\", \"metadata\": "
                + "{\"name\": \"" + name + "\"}, \"spec\": " + spec + "}");
    }

    @Test
    void aCustomResourceIsStoredInOneVersionAndReadListedWatchedAndPatchedInAnother() {
        webhook.respond("/c", request -> converted(request, "Success"));
        defineConverted("/c");
        WatchFeed feed = rest.watch(OLD_SITES + "?watch=true", "application/json");

        JsonNode made = site(OLD_SITES, "a", "{\"host\": \"x\"}");
        site(SITES, "b", "{\"hosts\": [\"y\", \"z\"]}");

        assertThat(made.at("/spec/host").asString()).isEqualTo("x");
        assertThat(made.at("/metadata/resourceVersion").isMissingNode()).isFalse();
        assertThat(rest.get(SITES + "/a").at("/spec/hosts/0").asString()).isEqualTo("x");
        webhook.reviews.clear();
        JsonNode list = rest.get(OLD_SITES);
        assertThat(list.at("/items/0/spec/host").asString() + list.at("/items/1/spec/host").asString()).isEqualTo("xy");
        assertThat(webhook.reviews).as("one review for the whole list").hasSize(1);
        assertThat(Json.read(feed.next().object()).at("/spec/host").asString()).isEqualTo("x");
        assertThat(Json.read(feed.next().object()).at("/spec/host").asString()).isEqualTo("y");
        JsonNode patched = rest.merge(OLD_SITES + "/a", "{\"spec\": {\"host\": \"w\"}}");
        assertThat(patched.at("/spec/host").asString()).isEqualTo("w");
        assertThat(rest.get(SITES + "/a").at("/spec/hosts/0").asString()).isEqualTo("w");
        assertThat(Json.text(rest.get(SITES + "/a"), "apiVersion")).isEqualTo("example.com/v1");
        feed.close();
    }

    @Test
    void aFailedConversionFailsItsRequestTellsWatchersAndLeavesDeletionAlone() {
        webhook.respond("/c", request -> converted(request, "Success"));
        defineConverted("/c");
        site(SITES, "a", "{\"hosts\": [\"x\"]}");
        webhook.respond("/c", request -> "{\"result\": {\"status\": \"Failed\", \"message\": \"cannot\"}}");

        assertThat(Json.text(rest.get(OLD_SITES + "/a"), "message")).isEqualTo("conversion "
                + "webhook for example.com/v1, Kind=Site failed: cannot");
        WatchFeed feed = rest.watch(OLD_SITES + "?watch=true", "application/json");
        WatchFeed.Event event = feed.next();
        assertThat(event.type()).isEqualTo("ERROR");
        assertThat(Json.text(Json.read(event.object()), "message")).endsWith("failed: cannot");
        assertThat(feed.isEnded()).isTrue();
        rest.delete(OLD_SITES + "/a");
        assertThat(rest.last.code()).isEqualTo(200);
        assertThat(rest.get(SITES + "/a").path("code").asInt()).isEqualTo(404);
    }

    @Test
    void aConversionThatChangesWhoAnObjectIsIsRefused() {
        for (String field : List.of("name", "uid")) {
            webhook.respond("/c", request -> converted(request, "Success").replaceFirst("\"" + field + "\":\"[^\"]*\"",
                    "\"" + field + "\":\"other\""));
            if (field.equals("name")) {
                defineConverted("/c");
            }
            site(OLD_SITES, "a", "{\"host\": \"x\"}");
            assertThat(Json.text(Json.read(rest.last.body()), "message")).contains("must have the same");
        }
        webhook.respond("/c", request -> "{\"result\": {\"status\": \"Success\"}, \"convertedObjects\": []}");
        assertThat(Json.text(site(OLD_SITES, "a", "{\"host\": \"x\"}"), "message"))
                .endsWith("returned 0 objects, expected 1");
    }

    @Test
    void labelsAndAnnotationsOfAConvertedObjectAreChecked() {
        webhook.respond("/c", request -> converted(request, "Success").replaceFirst("\"metadata\":\\{",
                "\"metadata\":{\"labels\":{\"a b\":\"\\\\n\"},"));
        defineConverted("/c");
        assertThat(Json.text(site(OLD_SITES, "a", "{\"host\": \"x\"}"), "message"))
                .contains("metadata.labels: Invalid value: \"a b\"");
        webhook.respond("/c", request -> converted(request, "Success").replaceFirst("\"metadata\":\\{",
                "\"metadata\":{\"annotations\":{\"a\":\"" + "x".repeat(300_000) + "\"},"));
        assertThat(Json.text(site(OLD_SITES, "a", "{\"host\": \"x\"}"), "message"))
                .contains("metadata.annotations: Too long");
    }

    @Test
    void aWebhookIsAskedInTheVersionOfItsRules() {
        webhook.respond("/c", request -> converted(request, "Success"))
                .respond("/x", r -> ScriptedWebhook.patch("[{\"op\": \"add\", \"path\": \"/spec/hosts/0\", \"value\": "
                        + "\"first\"}]"));
        defineConverted("/c");
        configure("Mutating", "a", webhook.client("/x"), "");

        JsonNode made = site(OLD_SITES, "a", "{\"host\": \"x\"}");

        assertThat(made.at("/spec/host").asString()).isEqualTo("first");
        JsonNode asked = webhook.reviews.stream().filter(review -> review.at("/request/operation").isString())
                .findFirst().orElseThrow();
        assertThat(asked.at("/request/kind/version").asString()).isEqualTo("v1");
        assertThat(asked.at("/request/requestKind/version").asString()).isEqualTo("v1beta1");
        assertThat(asked.at("/request/object/spec/hosts/0").asString()).isEqualTo("x");
    }
}
