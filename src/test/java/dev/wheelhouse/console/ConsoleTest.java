package dev.wheelhouse.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.journal.Origin;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerMode;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The console's views, streams and changes over plain HTTP, with and without roles. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class ConsoleTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String WEB = "console/object?type=deployments.apps&namespace=shop&name=web";

    @TempDir
    private static Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private TestServer cluster;
    /** On a cluster with roles, read-only as by default. */
    private RunningService inCluster;
    /** On the embedded API server, as a newcomer starts it. */
    private RunningService embedded;
    private Workloads shop;

    @BeforeAll
    void start() throws IOException {
        cluster = TestServer.start(ApiServerOptions.defaults().withSecurity(Security.of(AuthorizationMode.RBAC,
                Map.of("operator-token", new User("operator", "", List.of("system:authenticated"), Map.of()),
                        "shopkeeper-token", new User("shopkeeper", "", List.of("system:authenticated"), Map.of()),
                        "passer-by-token", new User("passer-by", "", List.of("system:authenticated"), Map.of())),
                ServerKeys.inMemory())), false, 0);
        Path kubeconfig = Files.writeString(directory.resolve("cluster.kubeconfig"), cluster.server().kubeconfig());
        create("clusterroles", "",
                """
                        {kind: ClusterRole, metadata: {name: console},
                         rules: [{nonResourceURLs: [/console/*], verbs: [get, post]}]}
                        """);
        for (String user : List.of("operator", "shopkeeper")) {
            create("clusterrolebindings", "", """
                    {kind: ClusterRoleBinding, metadata: {name: console-%1$s},
                     roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: console},
                     subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %1$s}]}
                    """.formatted(user));
        }
        create("clusterrolebindings", "", """
                {kind: ClusterRoleBinding, metadata: {name: views},
                 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view},
                 subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: operator}]}
                """);
        Workloads store = new Workloads(cluster.client(), "store");
        create("roles", "store", """
                {kind: Role, metadata: {name: deployments, namespace: store},
                 rules: [{apiGroups: [apps], resources: [deployments], verbs: [get, list]}]}
                """);
        create("rolebindings", "store", """
                {kind: RoleBinding, metadata: {name: deployments, namespace: store},
                 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployments},
                 subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: shopkeeper}]}
                """);
        inCluster = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.manage=takeover");
        embedded = RunningService.start(directory.resolve("embedded"));
        shop = new Workloads(embedded.bean(KubeClient.class), "shop");
        for (Workloads user : List.of(new Workloads(cluster.client(), "shop"),
                shop)) {
            user.deployments().create(user.newDeployment("web", 2));
        }
        store.deployments().create(store.newDeployment("till", 1));
        eventually("both have rolled out", SOON, () -> read(embedded, WEB).path("pods").size() == 2
                && read(inCluster, WEB, "operator-token").path("object").path("dependents").size() == 1);
    }

    private void create(String plural, String namespace, String yaml) {
        String kind = yaml.substring(yaml.indexOf(": ") + 2, yaml.indexOf(','));
        ResourceType type = new ResourceType("rbac.authorization.k8s.io", "v1", plural, kind, !namespace.isEmpty());
        cluster.client().resource(type, Unstructured.class)
                .create(Yaml.read("{apiVersion: rbac.authorization.k8s.io/v1, " + yaml.strip().substring(1),
                        Unstructured.class));
    }

    @AfterAll
    void stop() {
        embedded.close();
        inCluster.close();
        cluster.close();
    }

    private static URI uri(RunningService service, String path) {
        return URI.create(service.actuator().replace("/actuator", "/") + path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private HttpResponse<String> get(RunningService service, String path, String... token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(service, path));
        if (token.length == 0) {
            return send(request);
        }
        request.header("Authorization", "Bearer " + token[0]);
        AtomicReference<HttpResponse<String>> answer = new AtomicReference<>(send(request));
        // The machine may be too busy for a review.
        eventually("the token is reviewed", SOON, () -> {
            answer.set(send(request));
            return !answer.get().body().contains("the API server could not say");
        });
        return answer.get();
    }

    /** The values of a field in all parts of a view, once there are some. */
    private List<String> shown(String path, String part, String field, String token) {
        AtomicReference<List<String>> values = new AtomicReference<>(List.of());
        eventually(path + " shows some " + field, SOON, () -> {
            values.set(read(inCluster, path, token).path(part).findValuesAsString(field));
            return !values.get().isEmpty();
        });
        return values.get();
    }

    private JsonNode read(RunningService service, String path, String... token) {
        return JsonMapper.shared().readTree(get(service, path, token).body());
    }

    private HttpResponse<String> post(RunningService service, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(service, path))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request);
    }

    @Test
    void thePageIsServedToAllUnderAStrictPolicyAndLoadsNothingElse() {
        HttpResponse<String> page = get(inCluster, "");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(
                policy -> assertThat(policy).startsWith("default-src 'none'").doesNotContain("unsafe", "http"));
        assertThat(page.body()).doesNotContain("http://", "https://", "<style", "onclick");
        assertThat(get(inCluster, "console/page/app.js").headers().firstValue("Content-Type"))
                .hasValue("text/javascript;charset=utf-8");
        assertThat(get(inCluster, "console/page/nothing.js").statusCode()).isEqualTo(404);
        assertThat(get(inCluster, "console/page/..%2FConsoleServlet.class").statusCode()).isIn(400, 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"console/me", "console/flow", "console/controllers", "console/nodes", "console/writes",
            "console/types", "console/objects?type=pods", WEB})
    void inAClusterAViewIsShownToThoseWhoseRoleNamesItsPathAndToNobodyElse(String view) {
        assertThat(get(inCluster, view).statusCode()).isEqualTo(401);
        assertThat(get(inCluster, view, "unknown-token").statusCode()).isEqualTo(403);
        assertThat(get(inCluster, view, "passer-by-token").body()).contains("User \\\"passer-by\\\" cannot get path");
        assertThat(get(inCluster, view, "operator-token").statusCode()).isEqualTo(200);
    }

    @Test
    void aViewShowsOnlyObjectsThatItsReaderMayRead() {
        assertThat(get(inCluster, WEB, "shopkeeper-token").body())
                .contains("User \\\"shopkeeper\\\" cannot get deployments.apps in namespace shop");
        assertThat(get(inCluster, "console/objects?type=deployments.apps", "shopkeeper-token").statusCode())
                .isEqualTo(403);
        assertThat(shown("console/objects?type=deployments.apps&namespace=store", "objects", "name",
                "shopkeeper-token")).containsExactly("till");

        String view = "console/object?type=deployments.apps&namespace=store&name=till";
        JsonNode till = read(inCluster, view, "shopkeeper-token");
        assertThat(till.path("object").path("dependents")).as("ReplicaSets may not be listed").isEmpty();
        assertThat(till.path("events")).isEmpty();
        assertThat(shown(view, "writes", "resource", "shopkeeper-token")).containsOnly("deployments.apps");

        assertThat(shown("console/writes", "writes", "namespace", "shopkeeper-token")).containsOnly("store");
        assertThat(shown("console/flow", "latest", "namespace", "shopkeeper-token")).containsOnly("store");
        AtomicInteger scaled = new AtomicInteger(1);
        eventually("a write that a ReplicaSet led to", SOON, () -> {
            // One sync may have had the events of the Deployment and of its ReplicaSet, and tells the first one.
            cluster.client().resource(ResourceType.DEPLOYMENTS, Unstructured.class).patch(
                    ObjectKey.of("store", "till"), "", PatchType.MERGE,
                    "{\"spec\": {\"replicas\": " + (1 + scaled.getAndIncrement() % 2) + "}}");
            List<String> events = shown("console/writes", "writes", "event", "shopkeeper-token");
            assertThat(events).noneMatch(event -> event.contains("till-"));
            return events.stream().anyMatch(
                    event -> event.matches("(add|update) of an object of replicasets.apps that you may not read"));
        });
        assertThat(shown("console/writes?limit=500", "writes", "namespace", "operator-token"))
                .contains("store", "shop");
    }

    @Test
    void theKeysOfAControllerAreShownToThoseWhoMayReadItsObjects() {
        cluster.client().resource(ResourceType.RESOURCE_QUOTAS, Unstructured.class).create(Yaml.read("""
                {apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop},
                 spec: {hard: {pods: 0}}}
                """, Unstructured.class));
        eventually("the quota shows its usage", SOON, () -> cluster.client().resource(ResourceType.RESOURCE_QUOTAS,
                Unstructured.class).get(ObjectKey.of("shop", "few")).get("status", "used", "pods") != null);
        cluster.client().resource(ResourceType.REPLICA_SETS, Unstructured.class).create(Yaml.read("""
                {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: refused, namespace: shop}, spec: {replicas: 1,
                 selector: {matchLabels: {app: refused}}, template: {metadata: {labels: {app: refused}},
                 spec: {containers: [{name: c, image: i}]}}}}
                """, Unstructured.class));
        // While its first sync runs, the key is shown, but does not fail yet.
        eventually("the key fails", SOON, () -> get(inCluster, "console/controllers", "operator-token").body()
                .contains("1 key fails"));
        for (String view : List.of("console/controllers", "console/flow")) {
            assertThat(get(inCluster, view, "shopkeeper-token").body()).contains("replicaset-controller")
                    .contains("1 key fails").doesNotContain("refused");
        }
    }

    /** The newest creation of a resource by the controller of the ReplicaSet shop/web. */
    private JsonNode creation(String resource) {
        AtomicReference<JsonNode> creation = new AtomicReference<>();
        eventually("the creation of " + resource + " is in the journal", SOON, () -> {
            creation.set(read(embedded, "console/writes?object=shop/web&controller=replicaset-controller&limit=500")
                    .path("writes").valueStream().filter(write -> write.path("verb").stringValue("").equals("create")
                            && write.path("resource").stringValue("").equals(resource))
                    .findFirst().orElseThrow());
            return true;
        });
        return creation.get();
    }

    @Test
    void aWriteHasItsChainInTheConsoleAndAtTheEndpoint() {
        JsonNode write = creation("pods");
        assertThat(write.path("event").stringValue("")).startsWith("add of replicasets.apps shop/web-");
        assertThat(write.path("key").stringValue("")).startsWith("shop/web-");
        assertThat(write.path("why").stringValue("")).contains("too few pods");
        assertThat(write.path("code").asInt()).isEqualTo(201);
        assertThat(write.path("answer").stringValue("")).matches("\\d+");
        eventually("the Event of the same sync is shown with it", SOON, () -> {
            List<JsonNode> writes = read(embedded,
                    "console/writes?object=shop/web&controller=replicaset-controller&limit=500").path("writes")
                    .valueStream().toList();
            assertThat(writes).noneMatch(one -> one.path("resource").stringValue("").equals("events"));
            return writes.stream().anyMatch(one -> one.path("events").valueStream()
                    .anyMatch(why -> why.stringValue("").startsWith("SuccessfulCreate: Created pod: web-")));
        });

        JsonNode journal = read(embedded, "actuator/journal?controller=deployment-controller&limit=1");
        assertThat(journal.path("writes").findValuesAsString("controller")).containsExactly("deployment-controller");
        assertThat(get(inCluster, "actuator/journal").statusCode()).isEqualTo(401);
    }

    @Test
    void aStreamTellsTheStateAtOnceAndEachChange() throws Exception {
        HttpResponse<InputStream> stream = http.send(
                HttpRequest.newBuilder(uri(embedded, "console/object?type=deployments.apps&namespace=shop&name=web"))
                        .header("Accept", "text/event-stream").build(),
                HttpResponse.BodyHandlers.ofInputStream());
        assertThat(stream.headers().firstValue("Content-Type")).hasValueSatisfying(
                type -> assertThat(type).startsWith("text/event-stream"));
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            String first = event(lines);
            shop.deployments().patch(ObjectKey.of("shop", "web"), "",
                    PatchType.MERGE, "{\"metadata\": {\"labels\": {\"seen\": \"yes\"}}}");
            String next = event(lines);
            while (!next.contains("\"seen\":\"yes\"")) {
                assertThat(next).isNotEqualTo(first);
                first = next;
                next = event(lines);
            }
        }
    }

    private static String event(BufferedReader lines) throws IOException {
        String line = "";
        while (!line.startsWith("data: ")) {
            line = Objects.requireNonNull(lines.readLine(), "the stream has ended");
        }
        return line;
    }

    @Test
    void openStreamsDoNotDelayTheStop() throws Exception {
        RunningService stopping = RunningService.start(directory.resolve("stopping"), "--wheelhouse.controllers=",
                "--wheelhouse.nodes.count=0");
        try {
            HttpResponse<InputStream> stream = http.send(HttpRequest.newBuilder(uri(stopping, "console/flow"))
                    .header("Accept", "text/event-stream").build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(stream.body().read()).isPositive();
        } finally {
            long began = System.nanoTime();
            stopping.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    void byDefaultAConsoleOfAClusterChangesNothing() {
        assertThat(post(inCluster, "console/controllers", "{\"controller\": \"job-controller\", \"do\": \"pause\"}",
                "Authorization", "Bearer operator-token").body()).contains("--wheelhouse.console.writable=true");
        assertThat(mode(inCluster)).isEqualTo(ControllerMode.RUNNING);
    }

    @Test
    void aPageOfAnotherServerChangesNothing() {
        for (String[] headers : List.of(new String[]{"Origin", "http://evil.example"},
                new String[]{"Sec-Fetch-Site", "cross-site"}, new String[]{"Sec-Fetch-Site", "same-site"})) {
            assertThat(post(embedded, "console/controllers",
                    "{\"controller\": \"job-controller\", \"do\": \"pause\"}", headers).statusCode()).isEqualTo(403);
        }
        assertThat(
                send(HttpRequest.newBuilder(uri(embedded, "console/controllers")).header("Content-Type", "text/plain")
                        .header("User-Agent", "Mozilla/5.0")
                        .POST(HttpRequest.BodyPublishers
                                .ofString("{\"controller\": \"job-controller\", \"do\": \"pause\"}")))
                        .statusCode())
                .isEqualTo(415);
        assertThat(mode(embedded)).isEqualTo(ControllerMode.RUNNING);
    }

    @Test
    void aRequestThatMakesNoSenseIsAnsweredInASentence() {
        assertThat(post(embedded, "console/controllers", "{\"controller\": \"nobody\", \"do\": \"pause\"}").body())
                .isEqualTo("{\"problem\":\"there is no controller \\\"nobody\\\"\"}");
        assertThat(post(embedded, "console/controllers", "{\"controller\": \"job-controller\", \"do\": \"sing\"}")
                .body()).contains("is none of retry, pause, drain, resume, workers, limit");
        assertThat(post(embedded, "console/controllers",
                "{\"controller\": \"job-controller\", \"do\": \"workers\", \"count\": 0}").body())
                .contains("must be from 1 to 1000");
        assertThat(post(embedded, "console/controllers", "{").statusCode()).isEqualTo(400);
        assertThat(get(embedded, "console/object?type=unicorns&name=x").body()).contains("has no cache of");
        assertThat(get(embedded, "console/object?type=pods&namespace=shop&name=none").statusCode()).isEqualTo(404);
        assertThat(get(embedded, "console/writes?before=soon").body()).contains("write a number");
        assertThat(get(embedded, "console/sing").statusCode()).isEqualTo(404);
    }

    private static ControllerMode mode(RunningService service) {
        return service.bean(ControllerManager.class).live().stream()
                .filter(live -> live.state().name().equals("job-controller")).findFirst().orElseThrow().mode();
    }

    @Test
    void aControllerIsPausedAndResumedByARequest() {
        assertThat(post(embedded, "console/controllers", "{\"controller\": \"cronjob-controller\", \"do\": \"pause\"}")
                .body()).isEqualTo("{\"done\":\"cronjob-controller: pause\"}");
        assertThat(read(embedded, "console/flow").path("controllers").valueStream()
                .filter(one -> one.path("name").stringValue("").equals("cronjob-controller")).findFirst().orElseThrow()
                .path("problem").stringValue("")).isEqualTo("it is paused");
        post(embedded, "console/controllers", "{\"controller\": \"cronjob-controller\", \"do\": \"resume\"}");
    }

    @Test
    void writesAreFoundByVerbFailureAndTime() {
        assertThat(read(embedded, "console/writes?verb=update&limit=500").path("writes").findValuesAsString("verb"))
                .isNotEmpty().allMatch(verb -> verb.startsWith("update"));
        assertThat(read(embedded, "console/writes?failed=true&limit=500").path("writes").valueStream())
                .allMatch(write -> write.path("code").asInt() == 0 || write.path("code").asInt() >= 400);
        assertThat(read(embedded, "console/writes?minutes=1440&limit=500").path("writes").size())
                .isEqualTo(read(embedded, "console/writes?limit=500").path("writes").size());
    }

    @Test
    void anObjectIsChangedAsByKubectlAndARolloutIsUndone() {
        shop.deployments().create(shop.newDeployment("till", 1));
        ObjectKey till = ObjectKey.of("shop", "till");
        assertThat(change("till", "scale", ", \"count\": 2")).isEqualTo(
                "{\"done\":\"Deployment shop/till is scaled to 2\"}");
        eventually("it has two pods", SOON, () -> Integer.valueOf(2)
                .equals(shop.deployments().get(till).getStatus().getReadyReplicas()));
        assertThat(change("till", "scale", ", \"count\": 1")).contains("scaled to 1");
        String image = shop.deployments().get(till).getSpec().getTemplate().getSpec().getContainers().getFirst()
                .getImage();
        shop.deployments().patch(till, "", PatchType.JSON, """
                [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:1.161"}]""");
        eventually("the undo names the revision", SOON, () -> change("till", "undo", "")
                .contains("goes back to revision 1"));
        eventually("it has its image again", SOON, () -> shop.deployments().get(till).getSpec().getTemplate().getSpec()
                .getContainers().getFirst().getImage().equals(image));
        eventually("the timeline keeps the pods that went", SOON, () -> read(embedded,
                "console/object?type=deployments.apps&namespace=shop&name=till").path("pods").valueStream()
                .anyMatch(pod -> pod.path("gone").isNumber() && pod.path("ready").isNumber()));
        assertThat(change("till", "pause", "")).contains("is paused");
        eventually("the cache shows it", SOON, () -> change("till", "undo", "").contains("is not possible"));
        assertThat(change("none", "restart", "")).contains("there is no object shop/none of deployments.apps");
        shop.deployments().delete(till, Deletion.unconditional().withPropagation("Background"));
    }

    @Test
    void anObjectWhoseWritesAreRefusedIsDegradedUntilASyncWritesWithoutARefusal() {
        shop.deployments().create(shop.newDeployment("shed", 1));
        ObjectKey shed = ObjectKey.of("shop", "shed");
        Journal journal = embedded.bean(Journal.class);
        eventually("its problem is shown", SOON, () -> {
            for (int i = 0; i < 2; i++) {
                journal.add(new Journal.Sync("deployment-controller", "shop/shed", Origin.NONE, journal.now()),
                        "create", ResourceType.REPLICA_SETS, shed, "", journal.nanoTime(), 403,
                        "create replicasets.apps shop/shed: 403 Forbidden: no");
            }
            return get(embedded, "actuator/problems").body()
                    .matches(".*deployment-controller: refused \\d+ times: create replicasets.*\"Rights\".*");
        });
        assertThat(change("shed", "scale", ", \"count\": 2")).contains("scaled to 2");
        eventually("its problem is gone", SOON, () -> !get(embedded, "actuator/problems").body().contains("shed"));
        shop.deployments().delete(shed, Deletion.unconditional().withPropagation("Background"));
    }

    private String change(String name, String verb, String more) {
        return post(embedded, "console/object", "{\"type\": \"deployments.apps\", \"namespace\": \"shop\", "
                + "\"name\": \"" + name + "\", \"do\": \"" + verb + "\"" + more + "}").body();
    }

    @Test
    void aListHasTheColumnsOfItsTypeAndMayShowAllTypes() {
        JsonNode pods = read(embedded, "console/objects?type=pods&namespace=shop&text=web-");
        assertThat(pods.path("titles").toString()).contains("Restarts", "Node", "IP");
        JsonNode row = pods.path("objects").path(0);
        assertThat(row.path("cells").path(0).stringValue("")).isEqualTo("1/1");
        assertThat(row.path("cells").path(2).stringValue("")).startsWith("node-");
        assertThat(read(embedded, "console/objects?type=nodes").toString()).contains("\"changes\":[\"cordon\"]");
        assertThat(read(embedded, "console/objects?type=all&namespace=shop").path("objects").findValuesAsString("type"))
                .contains("deployments.apps", "replicasets.apps", "pods", "serviceaccounts");
        assertThat(read(inCluster, "console/objects?type=all&namespace=store", "shopkeeper-token").path("objects")
                .findValuesAsString("type")).containsOnly("deployments.apps");
    }

    @Test
    void theYamlAndTheLogAreShownToThoseWhoMayReadThem() {
        String pod = read(embedded, "console/objects?type=pods&namespace=shop&text=web-").path("objects").path(0)
                .path("node").path("name").stringValue("");
        assertThat(read(embedded, "console/logs?type=pods&namespace=shop&name=" + pod).path("log").stringValue(""))
                .contains("no process runs");
        for (String none : List.of("logs?namespace=shop&name=none",
                "yaml?type=pods&namespace=shop&name=..%2Fsecrets%2Fx",
                "yaml?type=nodes&namespace=shop&name=node-1", "logs?namespace=shop&name=..")) {
            assertThat(get(embedded, "console/" + none).body()).startsWith("{\"problem\":\"there is no object ");
        }
        assertThat(read(embedded, "console/yaml?type=pods&namespace=shop&name=" + pod).path("yaml").stringValue(""))
                .startsWith("apiVersion: v1\nkind: Pod\n").doesNotContain("managedFields");
        assertThat(get(inCluster, "console/yaml?type=secrets&namespace=store&name=x", "shopkeeper-token").body())
                .contains("User \\\"shopkeeper\\\" cannot get secrets in namespace store");
        assertThat(get(inCluster, "console/logs?type=pods&namespace=store&name=x", "shopkeeper-token").body())
                .contains("cannot get pods/log in namespace store");
    }

    @Test
    void theDemonstrationMakesADeploymentAndARolloutThatIsStuck() {
        assertThat(post(embedded, "console/demo", "{\"do\": \"create\"}").body()).contains("default/demo is created");
        assertThat(post(embedded, "console/demo", "{\"do\": \"stuck\", \"namespace\": \"default\", \"name\": \"demo\"}")
                .statusCode()).isEqualTo(200);
        eventually("a pod of the new revision is not ready", SOON,
                () -> read(embedded, "console/object?type=deployments.apps&namespace=default&name=demo").path("pods")
                        .findValuesAsString("text").contains("not ready"));
    }
}
