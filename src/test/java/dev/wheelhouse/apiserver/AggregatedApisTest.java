package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Group versions whose APIService names a Service are served by that Service. */
@Timeout(120)
class AggregatedApisTest {
    private static final String GROUP_VERSION = "/apis/metrics.k8s.io/v1beta1";
    private static final ResourceType GAUGES = new ResourceType("metrics.k8s.io", "v1beta1", "gauges", "Gauge", true);
    private static final String SERVICES = "apiservices.apiregistration.k8s.io";

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final ExtensionServer extension = extension();

    private static ExtensionServer extension() {
        try {
            return new ExtensionServer();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void serve() {
        extension.json(GROUP_VERSION, """
                {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": [
                 {"name": "nodes", "singularName": "", "namespaced": false, "kind": "NodeMetrics", "verbs": ["get"]},
                 {"name": "gauges", "singularName": "gauge", "namespaced": true, "kind": "Gauge", "shortNames": ["ga"],
                  "verbs": ["create", "delete", "get", "list", "watch"]},
                 {"name": "gauges/status", "singularName": "", "namespaced": true, "kind": "Gauge",
                  "verbs": ["get"]}]}""");
        extension.json(GROUP_VERSION + "/nodes", "{\"kind\":\"NodeMetricsList\",\"items\":[]}");
        extension.json("/openapi/v3",
                """
                               {"paths": {"version": {"serverRelativeURL": "/openapi/v3/version?hash=1"},
                        "apis/metrics.k8s.io/v1beta1":
                                {"serverRelativeURL": "/openapi/v3/apis/metrics.k8s.io/v1beta1?hash=AB"}}}""");
        extension.json("/openapi/v3" + GROUP_VERSION, "{\"openapi\":\"3.0.0\"}");
        extension.json("/openapi/v2",
                """
                              {"paths": {"/version/": {}, "/apis/metrics.k8s.io/v1beta1/gauges":
                                {"get": {"schema": {"$ref": "#/definitions/x.Gauge"}}}},
                               "definitions": {"x.Gauge": {"a": {"$ref": "#/definitions/x.Inner"}}, "x.Inner": {},
                        "x.Other": {}}}""");
        create("/api/v1/namespaces", "{\"metadata\":{\"name\":\"monitoring\"}}");
        create("/api/v1/namespaces/monitoring/services",
                "{\"metadata\":{\"name\":\"metrics\"},\"spec\":{\"type\":\"ExternalName\",\"externalName\":"
                        + "\"localhost\"}}");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        extension.close();
    }

    private void create(String path, String object) {
        assertThat(server.rest().handle(ApiRequest.of("POST", path, object.getBytes(StandardCharsets.UTF_8))))
                .isInstanceOfSatisfying(ApiResponse.Content.class, answer -> assertThat(answer.code())
                        .as(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo(201));
    }

    private String spec(String group, String trust) {
        return "\"spec\":{\"group\":\"" + group + "\",\"version\":\"v1beta1\",\"groupPriorityMinimum\":17000,"
                + "\"versionPriority\":15," + trust + ",\"service\":{\"namespace\":\"monitoring\","
                + "\"name\":\"metrics\",\"port\":" + extension.port() + "}}";
    }

    private String trusting() {
        return "\"caBundle\":\"" + Base64.getEncoder().encodeToString(extension.authority.getBytes(
                StandardCharsets.UTF_8)) + "\"";
    }

    private void register() {
        create("/apis/apiregistration.k8s.io/v1/apiservices",
                "{\"metadata\":{\"name\":\"v1beta1.metrics.k8s.io\"}," + spec("metrics.k8s.io", trusting()) + "}");
        awaitCondition("v1beta1.metrics.k8s.io", "True", "Passed");
    }

    private void awaitCondition(String name, String status, String reason) {
        Eventually.eventually(name + " is " + reason, Duration.ofSeconds(60), () -> {
            JsonNode condition = server.store().get(SERVICES, "", name).tree().at("/status/conditions/0");
            return Json.text(condition, "status").equals(status) && Json.text(condition, "reason").equals(reason);
        });
    }

    private RawHttp.Answer send(String method, String path, String headers, String body) throws IOException {
        try (RawHttp raw = new RawHttp("127.0.0.1", server.port(), false, 30_000)) {
            return raw.exchange(method, (method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers
                    + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.ISO_8859_1), false);
        }
    }

    private JsonNode get(String path, String headers) throws IOException {
        return Json.read(send("GET", path, headers, "").body());
    }

    /** A cache that has just listed would wait for a bookmark to be as new as the server. */
    @Test
    void aServerThatHasStartedWritesNothingMore() throws Exception {
        try (ApiServer resting = new ApiServer(ApiServerOptions.defaults())) {
            resting.start();
            long version = resting.store().version();
            resting.rest().availability().step();
            assertThat(resting.store().version()).isEqualTo(version);
        }
    }

    @Test
    void requestsReachTheServiceInTheNameOfTheirUser() throws Exception {
        register();
        RawHttp.Answer answer = send("POST", GROUP_VERSION + "/nodes?dryRun=All",
                "X-Remote-User: root\r\nContent-Type: application/json\r\n"
                        + "X-Remote-Group: system:masters\r\nImpersonate-User: m\u00fcller\r\n"
                        + "Impersonate-Group: dev\r\n"
                        + "Impersonate-Extra-example.com%2fscope: a\r\nAccept: application/json\r\nX-Other: 1\r\n",
                "{}");

        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"kind\":\"NodeMetricsList\",\"items\":[]}");
        ExtensionServer.Asked asked = extension.asked.poll(30, TimeUnit.SECONDS);
        assertThat(asked.head()).startsWith("POST " + GROUP_VERSION + "/nodes?dryRun=All HTTP/1.1\r\n")
                .doesNotContain("root", "system:masters", "Impersonate");
        assertThat(asked.body()).isEqualTo("{}");
        assertThat(List.of("X-Remote-User: m\u00c3\u00bcller", "X-Remote-Group: dev",
                "X-Remote-Extra-example.com%2Fscope: a", "X-Other: 1", "X-Forwarded-For: 127.0.0.1"))
                .allMatch(asked::has, asked.head());
        JsonNode trust = server.store().get("configmaps", "kube-system", "extension-apiserver-authentication").tree()
                .path("data");
        asked.client().verify(Pem.certificates(Json.text(trust, "requestheader-client-ca-file")).getFirst()
                .getPublicKey());
        assertThat(Json.text(trust, "requestheader-allowed-names")).contains(
                asked.client().getSubjectX500Principal().getName().substring("CN=".length()));
    }

    @Test
    void discoveryAndOpenApiHaveWhatTheServiceServes() throws Exception {
        register();
        Eventually.eventually("the group is found", Duration.ofSeconds(30), () -> {
            JsonNode groups = get("/apis", "").path("groups");
            List<String> names = new ArrayList<>();
            groups.forEach(group -> names.add(Json.text(group, "name")));
            return names.indexOf("metrics.k8s.io") - names.indexOf("policy") == 1;
        });
        JsonNode found = get("/apis",
                "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n")
                .path("items").valueStream()
                .filter(group -> Json.text(group, "metadata", "name").equals("metrics.k8s.io")).findFirst()
                .orElseThrow();
        assertThat(found.path("versions").path(0)).isEqualTo(Json.read("""
                {"version": "v1beta1", "resources": [
                 {"resource": "nodes", "responseKind": {"group": "", "version": "", "kind": "NodeMetrics"},
                  "scope": "Cluster", "singularResource": "", "verbs": ["get"]},
                 {"resource": "gauges", "responseKind": {"group": "", "version": "", "kind": "Gauge"},
                  "scope": "Namespaced", "singularResource": "gauge",
                  "verbs": ["create", "delete", "get", "list", "watch"], "shortNames": ["ga"],
                  "subresources": [{"subresource": "status", "responseKind":
                   {"group": "", "version": "", "kind": "Gauge"}, "verbs": ["get"]}]}], "freshness": "Current"}"""));
        assertThat(get("/openapi/v3", "").path("paths").path("apis/metrics.k8s.io/v1beta1"))
                .isEqualTo(Json.read("{\"serverRelativeURL\":\"/openapi/v3/apis/metrics.k8s.io/v1beta1?hash=AB\"}"));
        assertThat(send("GET", "/openapi/v3" + GROUP_VERSION + "?hash=AB", "", "").body())
                .isEqualTo("{\"openapi\":\"3.0.0\"}");
        JsonNode v2 = get("/openapi/v2", "");
        assertThat(v2.path("paths").has(GROUP_VERSION + "/gauges")).isTrue();
        assertThat(v2.path("definitions").has("x.Inner")).isTrue();
        assertThat(v2.path("definitions").has("x.Other")).isFalse();
    }

    @Test
    void watchesStreamAlsoToClientsInThisProcess() throws Exception {
        extension.json(GROUP_VERSION + "/namespaces/default/gauges", "{\"kind\":\"GaugeList\",\"apiVersion\":"
                + "\"metrics.k8s.io/v1beta1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
                + ExtensionServer.gauge("one") + "]}");
        extension.json(GROUP_VERSION + "/namespaces/default/gauges/one", ExtensionServer.gauge("one"));
        register();
        KubeClient client = server.client("test");
        assertThat(client.resource(GAUGES, Unstructured.class).get(ObjectKey.of("default", "one")).getMetadata()
                .getUid()).isEqualTo("u-one");
        try (RawHttp raw = new RawHttp("127.0.0.1", server.port(), false, 30_000);
                WatchStream<Unstructured> watch = client.resource(GAUGES, Unstructured.class).listerWatcher()
                        .watch(new WatchOptions("7", false, Duration.ofMinutes(1)))) {
            raw.send("GET " + GROUP_VERSION + "/gauges?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            until(raw, ExtensionServer.event("one"));
            assertThat(next(watch)).isEqualTo("one");
            extension.more.countDown();
            until(raw, ExtensionServer.event("two"));
            assertThat(next(watch)).isEqualTo("two");
        }
    }

    private static String next(WatchStream<Unstructured> watch) throws Exception {
        return watch.next(Duration.ofSeconds(30)) instanceof WatchEvent.Added<Unstructured> added
                ? added.object().getMetadata().getName()
                : "none";
    }

    private static void until(RawHttp raw, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = raw.socket().getInputStream().read();
            assertThat(next).as("the byte after " + read).isNotNegative();
            read.append((char) next);
        }
    }

    @Test
    void bytesPassInBothDirectionsAfterAChangeOfProtocols() throws Exception {
        register();
        try (RawHttp raw = new RawHttp("127.0.0.1", server.port(), false, 30_000)) {
            raw.send("GET " + GROUP_VERSION + "/gauges/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                    + "Upgrade: x\r\n\r\n");
            until(raw, "hello");
            raw.send("ping");
            until(raw, "ping");
        }
    }

    @Test
    void aServiceThatRedirectsOrEndsIsNamed() throws Exception {
        extension.answers.put(GROUP_VERSION + "/away", "302 Found\r\nLocation: https://127.0.0.1/secret\r\n\r\n");
        register();
        RawHttp.Answer away = send("GET", GROUP_VERSION + "/away", "", "");
        assertThat(away.code()).isEqualTo(502);
        assertThat(away.body()).isEqualTo("the backend attempted to redirect this request, which is not permitted");
        extension.close();
        RawHttp.Answer gone = send("GET", GROUP_VERSION + "/nodes", "", "");
        assertThat(gone.code()).isEqualTo(503);
        assertThat(gone.body()).isEqualTo("error trying to reach service: dial tcp 127.0.0.1:" + extension.port()
                + ": connect: connection refused\n");
    }

    @Test
    void anUnavailableServiceIsSaidEverywhere() throws Exception {
        create("/apis/apiregistration.k8s.io/v1/apiservices", "{\"metadata\":{\"name\":\"v1beta1.other.example.com\"},"
                + spec("other.example.com", trusting()).replace("\"metrics\"", "\"missing\"") + "}");
        awaitCondition("v1beta1.other.example.com", "False", "ServiceNotFound");
        create("/apis/apiregistration.k8s.io/v1/apiservices", "{\"metadata\":{\"name\":\"v1beta1.bad.example.com\"},"
                + spec("bad.example.com", "\"insecureSkipTLSVerify\":true") + "}");
        awaitCondition("v1beta1.bad.example.com", "False", "FailedDiscoveryCheck");
        assertThat(Json.text(server.store().get(SERVICES, "", "v1beta1.bad.example.com").tree()
                .at("/status/conditions/0"), "message")).matches("failing or missing response from (https://localhost:"
                        + extension.port() + "/apis/bad.example.com/v1beta1): bad status from \\1: 404");

        RawHttp.Answer answer = send("GET", "/apis/other.example.com/v1beta1/things", "", "");
        assertThat(answer.code()).isEqualTo(503);
        assertThat(answer.body()).isEqualTo("service unavailable\n");
        Eventually.eventually("discovery tells the failure", Duration.ofSeconds(30),
                () -> server.client("test").discover()
                        .failures().equals(List.of("other.example.com/v1beta1: stale GroupVersion discovery: "
                                + "other.example.com/v1beta1")));
    }

    @Test
    void anUntrustedCertificateIsRefused() throws Exception {
        create("/apis/apiregistration.k8s.io/v1/apiservices", "{\"metadata\":{\"name\":\"v1beta1.metrics.k8s.io\"},"
                + spec("metrics.k8s.io", "\"caBundle\":\"" + Base64.getEncoder().encodeToString(
                        new ExtensionServer().authority.getBytes(StandardCharsets.UTF_8)) + "\"")
                + "}");
        awaitCondition("v1beta1.metrics.k8s.io", "False", "FailedDiscoveryCheck");
        assertThat(Json.text(server.store().get(SERVICES, "", "v1beta1.metrics.k8s.io").tree()
                .at("/status/conditions/0"), "message"))
                .endsWith("tls: failed to verify certificate: x509: certificate signed by unknown authority");
    }

    @Test
    void aServiceReplacesAGroupVersionOfThisServerUntilItIsLocalAgain() throws Exception {
        String name = "v1beta1.example.com";
        create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", """
                {"metadata": {"name": "gauges.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "gauges", "kind": "Gauge"}, "versions": [{"name": "v1beta1", "served": true,
                  "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}""");
        awaitCondition(name, "True", "Local");
        extension.json("/apis/example.com/v1beta1", "{\"kind\":\"APIResourceList\",\"resources\":[]}");
        extension.json("/apis/example.com/v1beta1/gauges", "elsewhere");
        JsonNode local = server.store().get(SERVICES, "", name).tree().path("spec");
        JsonNode remote = Json.read("{" + spec("example.com", trusting()) + "}").path("spec");
        server.store().guaranteedUpdate(SERVICES, "", name, service -> service.set("spec", remote) != null);
        awaitCondition(name, "True", "Passed");
        assertThat(send("GET", "/apis/example.com/v1beta1/gauges", "", "").body()).isEqualTo("elsewhere");
        server.store().guaranteedUpdate(SERVICES, "", name, service -> service.set("spec", local) != null);
        awaitCondition(name, "True", "Local");
        assertThat(send("GET", "/apis/example.com/v1beta1/gauges", "", "").body()).contains("GaugeList");
    }
}
