package dev.wheelhouse.chart;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.admission.RestrictedPods;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.manager.UpstreamControllers;
import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** The rendered chart, by the rules of Kubernetes' types and of the restricted Pod Security Standard. */
@EmbeddedApiServer(manifests = "charts/monitoring-types.yaml")
@Timeout(900)
class RenderedChartTest {
    /** Everything that is off by default is on. */
    private static final String ALL = """
            replicaCount: 3
            shards: 6
            networkPolicy: {enabled: true, from: [{podSelector: {}}], apiServer: {to: [{ipBlock: {cidr: 10.0.0.1/32}}]},
              extraEgress: [{ports: [{port: 53, protocol: UDP}]}]}
            metrics:
              serviceMonitor: {enabled: true, labels: {release: p}, relabelings: [{action: labeldrop, regex: pod}],
                metricRelabelings: [{action: drop, sourceLabels: [__name__], regex: jvm_.*}]}
              prometheusRule: {enabled: true, labels: {release: p}}
              dashboard: {enabled: true}
            console: {writable: true, ingress: {enabled: true, className: c, annotations: {a: b},
              hosts: [console.example.com], tls: [{secretName: s, hosts: [console.example.com]}]}}
            tls: {secretName: wh-tls}
            commonLabels: {team: core}
            service: {annotations: {a: b}, labels: {c: d}}
            initContainers: [{name: first, image: i}]
            extraContainers: [{name: beside, image: i}]
            extraObjects:
              - {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: "{{ .Release.Namespace }}"}}
              - '{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: {{ .Release.Namespace }}}}'
            hostNetwork: true
            containerPort: 9443
            dnsConfig: {options: [{name: ndots, value: "1"}]}
            """;
    private static final String POD_MONITOR = "{tls: {secretName: s}, metrics: {podMonitor: {enabled: true}}}";
    /** The values that the first chart did not have. {@code helm upgrade --reuse-values} leaves them out. */
    private static final String OF_THE_FIRST_CHART = """
            {commonLabels: null, initContainers: null, extraContainers: null, extraObjects: null, containerPort: null,
             tls: null, console: null, startupProbe: null, livenessProbe: null, readinessProbe: null, dnsPolicy: null,
             podSecurityContext: null, securityContext: null, terminationGracePeriodSeconds: null, dnsConfig: null,
             revisionHistoryLimit: null, hostNetwork: null, wheelhouse: {stopGrace: null},
             service: {annotations: null, labels: null},
             metrics: {serviceMonitor: {enabled: true, tlsConfig: null}, prometheusRule: {enabled: true}}}
            """;
    private static final List<String> VALUES = List.of("{}", ALL, POD_MONITOR, OF_THE_FIRST_CHART,
            "wheelhouse: {manage: observe}\nleaderElection: {enabled: false}");
    /** Values that change the pod, each of which may be set or not. */
    private static final List<String> OF_THE_POD = List.of("replicaCount: 2",
            "javaToolOptions: -Xmx300m",
            "extraEnv: [{name: A, value: b}]\nextraArgs: [--debug]",
            "extraVolumes: [{name: more, secret: {secretName: s}}]\n"
                    + "extraVolumeMounts: [{name: more, mountPath: /more}]",
            "podAnnotations: {a: b}\npodLabels: {c: d}\ntls: {secretName: s}\ndnsPolicy: Default",
            "affinity: {nodeAffinity: {}}\ntopologySpreadConstraints: []\ntolerations: [{operator: Exists}]",
            "image: {repository: r, digest: 'sha256:" + "0".repeat(64) + "'}\nimagePullSecrets: [{name: s}]",
            "resources: {}\npriorityClassName: high\nnodeSelector: {a: b}");

    @TempDir
    private Path directory;

    private final TestServer server;
    private final HttpClient http = HttpClient.newHttpClient();

    RenderedChartTest(TestServer server) {
        this.server = server;
    }

    @Test
    void everyManifestIsValidByTheSchemasOfKubernetes() throws Exception {
        for (String values : VALUES) {
            List<JsonNode> documents = Chart.render(directory, values);
            assertThat(documents).hasSizeGreaterThan(4);
            for (JsonNode document : documents) {
                HttpResponse<String> answer = create(document);
                assertThat(answer.statusCode()).as("%s\n%s", document, answer.body()).isEqualTo(201);
            }
        }
    }

    /** {@code -Dchart.kubernetes=FOLDER,FOLDER} names sources of other releases of Kubernetes, which have schemas. */
    @Test
    @EnabledIfSystemProperty(named = "chart.kubernetes", matches = ".+")
    void everyManifestIsValidByTheSchemasOfOtherReleases() throws IOException {
        for (String folder : System.getProperty("chart.kubernetes").split(",")) {
            Schemas schemas = new Schemas(Path.of(folder));
            for (String values : VALUES) {
                assertThat(Chart.render(directory, values)).filteredOn(each -> !each.path("apiVersion").asString()
                        .startsWith("monitoring.")).allSatisfy(each -> assertThat(schemas.violations(each)).isEmpty());
            }
            ObjectNode pod = (ObjectNode) Chart.of(Chart.render(directory, ALL), "Deployment")
                    .at("/spec/template/spec");
            pod.put("replicaCuont", 1).put("hostNetwork", "yes");
            assertThat(schemas.violations(pod.objectNode().put("apiVersion", "apps/v1").put("kind", "Deployment")
                    .set("spec", pod.objectNode().set("template", pod.objectNode().set("spec", pod)))))
                    .containsExactlyInAnyOrder("Deployment.spec.selector is missing",
                            "Deployment.spec.template.spec.replicaCuont is unknown",
                            "Deployment.spec.template.spec.hostNetwork is no boolean: \"yes\"");
        }
    }

    @Test
    void anUnknownFieldIsNoticed() throws Exception {
        JsonNode deployment = Chart.of(Chart.render(directory, "{}"), "Deployment");
        ((tools.jackson.databind.node.ObjectNode) deployment.at("/spec/template/spec")).put("replicaCuont", 1);

        assertThat(create(deployment).body()).contains("unknown field", "spec.template.spec.replicaCuont");
    }

    /** Creates an object, as far as a dry run goes. */
    private HttpResponse<String> create(JsonNode object) throws IOException, InterruptedException {
        String[] version = object.path("apiVersion").asString().split("/", -1);
        String namespace = object.at("/metadata/namespace").asString("");
        if (namespace.equals("ops")) {
            ((tools.jackson.databind.node.ObjectNode) object.path("metadata")).put("namespace", namespace = "default");
        }
        String path = (version.length == 1 ? "/api/v1" : "/apis/" + version[0] + "/" + version[1])
                + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/"
                + plural(object.path("kind").asString());
        return http.send(HttpRequest.newBuilder(
                URI.create(server.url() + path + "?dryRun=All&fieldValidation=Strict"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(object.toString())).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String plural(String kind) {
        String name = kind.toLowerCase(Locale.ROOT);
        return name.endsWith("y")
                ? name.substring(0, name.length() - 1) + "ies"
                : name.endsWith("s") ? name + "es" : name + "s";
    }

    @Tag("full")
    @Test
    void thePodsAreRestrictedWithEveryCombinationOfValues() {
        for (int chosen = 0; chosen < 1 << OF_THE_POD.size(); chosen++) {
            List<String> values = new ArrayList<>();
            for (int i = 0; i < OF_THE_POD.size(); i++) {
                if ((chosen >> i & 1) == 1) {
                    values.add(OF_THE_POD.get(i));
                }
            }
            String text = values.isEmpty() ? "{}" : String.join("\n", values);
            JsonNode deployment = Chart.of(Chart.render(directory, text), "Deployment");
            assertThat(RestrictedPods.violations(deployment.at("/spec/template/spec"))).as(text).isEmpty();
        }
    }

    @Test
    void severalPodsPreferDifferentNodesAndZonesAndHaveABudget() {
        List<JsonNode> several = Chart.render(directory, "replicaCount: 2");
        JsonNode pod = Chart.of(several, "Deployment").at("/spec/template/spec");

        assertThat(pod.at("/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm"
                + "/topologyKey").asString()).isEqualTo("kubernetes.io/hostname");
        assertThat(pod.at("/topologySpreadConstraints/0/topologyKey").asString())
                .isEqualTo("topology.kubernetes.io/zone");
        assertThat(Chart.of(several, "PodDisruptionBudget").at("/spec/maxUnavailable").asInt()).isEqualTo(1);
        assertThat(kinds("{}")).doesNotContain("PodDisruptionBudget");
        assertThat(kinds("{replicaCount: 2, podDisruptionBudget: {enabled: false}}"))
                .doesNotContain("PodDisruptionBudget");
    }

    /** Beside the cluster's own manager, which has upstream's job, the job is another one. */
    @ParameterizedTest
    @CsvSource({"auto, '', wheelhouse", "observe, '', wheelhouse", "takeover, '', kube-controller-manager",
            "takeover, mine, mine"})
    void theMetricsHaveTheJobOfTheAlertsAndTheDashboard(String manage, String value, String job) {
        for (String monitor : List.of("serviceMonitor", "podMonitor")) {
            String values = """
                    {wheelhouse: {manage: %s}, metrics: {job: "%s", %s: {enabled: true},
                      prometheusRule: {enabled: true}, dashboard: {enabled: true}}}
                    """;
            List<JsonNode> documents = Chart.render(directory, values.formatted(manage, value, monitor));
            JsonNode of = Chart.of(documents, monitor.equals("podMonitor") ? "PodMonitor" : "ServiceMonitor");
            String label = of.at("/spec/jobLabel").asString().replace("/", "~1");

            assertThat(Chart.of(documents, "Service").at("/metadata/labels/" + label).asString()).isEqualTo(job);
            assertThat(Chart.of(documents, "Deployment").at("/spec/template/metadata/labels/" + label).asString())
                    .isEqualTo(job);
            for (String kind : List.of("PrometheusRule", "ConfigMap")) {
                Set<String> jobs = Pattern.compile("job=[\\\\]*\"([a-z-]+)")
                        .matcher(Chart.of(documents, kind).toString())
                        .results().map(result -> result.group(1)).collect(Collectors.toSet());
                assertThat(jobs).as(kind).containsExactly(job);
            }
        }
    }

    @Test
    void withACertificateAllThatAskThePodsUseHttps() {
        List<JsonNode> documents = Chart.render(directory, ALL);
        JsonNode pod = Chart.of(documents, "Deployment").at("/spec/template");

        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(pod.at("/spec/containers/0/" + probe + "/httpGet/scheme").asString()).isEqualTo("HTTPS");
        }
        assertThat(pod.at("/metadata/annotations/prometheus.io~1scheme").asString()).isEqualTo("https");
        assertThat(pod.at("/metadata/annotations/prometheus.io~1port").asString()).isEqualTo("9443");
        assertThat(Chart.of(documents, "ServiceMonitor").at("/spec/endpoints/0").toString()).contains(
                "\"scheme\":\"https\"", "\"serverName\":\"wh-wheelhouse.ops.svc\"", "\"name\":\"wh-tls\"");
        assertThat(Chart.of(Chart.render(directory, POD_MONITOR), "PodMonitor").at("/spec/podMetricsEndpoints/0/scheme")
                .asString()).isEqualTo("https");
        assertThat(Chart.render(directory, "{metrics: {serviceMonitor: {enabled: true}}}").toString())
                .doesNotContainIgnoringCase("https\"", "/tls");
    }

    @Test
    void aFieldOfASecurityContextOrAProbeReplacesTheChartsAndNullRemovesIt() {
        JsonNode pod = Chart.of(Chart.render(directory, """
                podSecurityContext: {runAsUser: null, fsGroup: 5}
                securityContext: {readOnlyRootFilesystem: false}
                startupProbe: {failureThreshold: 300}
                livenessProbe: {exec: {command: [alive]}, timeoutSeconds: null}
                """), "Deployment").at("/spec/template/spec");

        assertThat(pod.path("securityContext").toString()).isEqualTo("{\"fsGroup\":5,\"runAsGroup\":10001,"
                + "\"runAsNonRoot\":true,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}");
        assertThat(pod.at("/containers/0/securityContext").toString()).isEqualTo("{\"allowPrivilegeEscalation\":false,"
                + "\"capabilities\":{\"drop\":[\"ALL\"]},\"readOnlyRootFilesystem\":false}");
        assertThat(pod.at("/containers/0/startupProbe").toString()).isEqualTo("{\"failureThreshold\":300,"
                + "\"httpGet\":{\"path\":\"/actuator/health/liveness\",\"port\":\"http\"},\"periodSeconds\":1}");
        assertThat(pod.at("/containers/0/livenessProbe").toString())
                .isEqualTo("{\"exec\":{\"command\":[\"alive\"]},\"periodSeconds\":10}");
    }

    @ParameterizedTest
    @CsvSource({"2s, 0, 17", "500ms, 0, 16", "1m, 0, 75", "30s, 31, 31"})
    void aPodHasMoreTimeToEndThanItsSyncs(String stopGrace, int seconds, int expected) {
        JsonNode pod = Chart
                .of(Chart.render(directory, "{wheelhouse: {stopGrace: %s}, terminationGracePeriodSeconds: %d}"
                        .formatted(stopGrace, seconds)), "Deployment")
                .at("/spec/template/spec");

        assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isEqualTo(expected);
        assertThat(pod.at("/containers/0/args").toString()).contains("--wheelhouse.stop-grace=" + stopGrace);
    }

    @Test
    void theValuesOfTheFirstChartGiveTheSamePods() {
        List<JsonNode> upgraded = Chart.render(directory, OF_THE_FIRST_CHART);
        JsonNode spec = Chart.of(upgraded, "Deployment").path("spec");
        JsonNode usual = Chart.of(Chart.render(directory, "{}"), "Deployment").path("spec");

        ((ArrayNode) usual.at("/template/spec/containers/0/args"))
                .removeIf(arg -> arg.asString().equals("--wheelhouse.stop-grace=2s"));
        assertThat(spec.path("template")).isEqualTo(usual.path("template"));
        assertThat(spec.path("selector").toString()).as("the selector of all releases, which cannot be changed")
                .isEqualTo("{\"matchLabels\":{\"app.kubernetes.io/name\":\"wheelhouse\","
                        + "\"app.kubernetes.io/instance\":\"wh\"}}");
    }

    @Test
    void commonLabelsAreOnEveryObjectAndReplaceNoneOfTheCharts() {
        List<JsonNode> documents = Chart.render(directory, ALL.replace("{team: core}",
                "{team: core, app.kubernetes.io/name: other}"));

        assertThat(documents).filteredOn(each -> !each.path("metadata").path("name").asString().matches("one|two"))
                .allSatisfy(each -> assertThat(each.at("/metadata/labels").toString()).contains("\"team\":\"core\"")
                        .doesNotContain("other"));
        assertThat(Chart.of(documents, "Deployment").at("/spec/template/metadata/labels/team").asString())
                .isEqualTo("core");
    }

    @Test
    void thePodsAnswerToTheNamesOfTheConsolesIngress() {
        assertThat(Chart.of(Chart.render(directory, ALL), "Deployment").at("/spec/template/spec/containers/0/args")
                .toString()).contains("--wheelhouse.management.hosts=console.example.com,wh-wheelhouse,",
                        "--wheelhouse.console.writable=true");
        assertThat(Chart.render(directory, "console: {enabled: false}").toString())
                .contains("--wheelhouse.console.enabled=false").doesNotContain("Ingress\"", "writable");
    }

    @Test
    void theDigestIsTheImage() {
        assertThat(Chart.of(Chart.render(directory, OF_THE_POD.get(6)), "Deployment")
                .at("/spec/template/spec/containers/0/image").asString()).isEqualTo("r@sha256:" + "0".repeat(64));
    }

    // ---- rights

    /** A template cannot call the manager's selection, so each choice must give the rights of the same controllers. */
    @ParameterizedTest
    @ValueSource(strings = {"*", "deployment", "*,-garbagecollector,-namespace-controller", "-job,*,ttl",
            "deployment,-deployment,bootstrapsigner", "-deployment,deployment,cronjob", "*,token-cleaner-controller"})
    void theChartSelectsControllersAsTheManagerDoes(String entries) throws IOException {
        List<String> chosen = List.of(entries.split(","));
        JsonNode table = Chart.documents(Files.readString(Chart.DIRECTORY.resolve("files/rights.yaml"))).getFirst();
        List<JsonNode> expected = rules(List.of("-deployment"));
        ControllerSelection.select(chosen, BuiltInControllers.all(), BuiltInControllers.byDefault()::contains)
                .forEach(each -> table.path(each.name()).path("rules").forEach(rule -> {
                    ((ObjectNode) rule).remove("namespace");
                    expected.add(rule);
                }));

        assertThat(rules(chosen)).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** The chart refuses other names, and a template cannot read the manager's table. */
    @Test
    void theChartKnowsTheNamesOfAllUpstreamsControllers() {
        List<String> names = UpstreamControllers.all().stream()
                .flatMap(each -> Stream.concat(Stream.of(each.name()), UpstreamControllers.aliases(each.name())
                        .stream()))
                .map(name -> "\"" + name + "\"").toList();

        assertThat(Chart.render(directory, "wheelhouse: {controllers: [" + String.join(", ", names) + "]}"))
                .isNotEmpty();
    }

    @Test
    void whoObservesMayOnlyRead() {
        JsonNode role = Chart.of(Chart.render(directory, "wheelhouse: {manage: observe}"), "ClusterRole");

        role.path("rules").forEach(rule -> {
            if (!Set.of("events", "tokenreviews", "subjectaccessreviews")
                    .contains(rule.path("resources").path(0).asString())) {
                rule.path("verbs").forEach(verb -> assertThat(verb.asString()).isIn("get", "list", "watch"));
            }
        });
    }

    @Test
    void theLeaseOfTheElectionIsInANamespacedRoleByItsName() {
        List<JsonNode> documents = Chart.render(directory, "{}");

        assertThat(Chart.of(documents, "ClusterRole").path("rules").valueStream()
                .filter(rule -> rule.path("resources").toString().contains("leases")).map(JsonNode::toString))
                .as("the Leases of nodes").containsExactly("{\"apiGroups\":[\"coordination.k8s.io\"],"
                        + "\"resources\":[\"leases\"],\"verbs\":[\"list\",\"watch\"]}");
        List<JsonNode> roles = documents.stream().filter(each -> each.path("kind").asString().equals("Role")).toList();
        assertThat(roles).extracting(role -> role.at("/metadata/namespace").asString() + " "
                + role.at("/rules/0/resourceNames").toString() + role.at("/rules/0/verbs"))
                .containsExactly("ops [\"wh-wheelhouse\"][\"get\",\"update\",\"watch\"]",
                        "kube-system [\"kube-controller-manager\"][\"get\"]");
        assertThat(kinds("{leaderElection: {enabled: false}, wheelhouse: {manage: takeover}}"))
                .doesNotContain("Role", "RoleBinding");
    }

    private List<String> kinds(String values) {
        return Chart.render(directory, values).stream().map(each -> each.path("kind").asString()).toList();
    }

    /** The rules of all roles, in a new list. */
    private List<JsonNode> rules(List<String> controllers) {
        List<JsonNode> rules = new ArrayList<>();
        String chosen = JsonMapper.shared().writeValueAsString(controllers);
        Chart.render(directory, "wheelhouse: {controllers: " + chosen + "}")
                .forEach(each -> each.path("rules").forEach(rules::add));
        return rules;
    }

    /** The alerts are those of the file, of one release, and their runbook is on the project's page. */
    @Test
    void theAlertsAreThoseOfTheFile() throws IOException {
        JsonNode rendered = Chart.of(Chart.render(directory, ALL), "PrometheusRule").path("spec");
        String file = Files.readString(Chart.DIRECTORY.resolve("files/alerts.yaml"));

        assertThat(rendered).isEqualTo(Chart.documents(file.replace("job=\"wheelhouse\"",
                "job=\"wheelhouse\", namespace=\"ops\"")).getFirst());
        String project = Files.readAllLines(Path.of("pom.xml")).stream().map(String::strip)
                .filter(line -> line.startsWith("<url>")).findFirst().orElseThrow().replaceAll("</?url>", "");
        assertThat(rendered.at("/groups/0/rules/0/annotations/runbook_url").asString()).startsWith(project + "/");
        assertThat(
                Chart.of(Chart.render(directory, ALL.replace("prometheusRule: {", "prometheusRule: {runbook: 'x#', ")),
                        "PrometheusRule").at("/spec/groups/0/rules/0/annotations/runbook_url").asString())
                .isEqualTo("x#wheelhousedown");
    }

    /** A template cannot read the table of upstream's controllers. */
    @Test
    void theChartKnowsTheNamesThatTheManagerKnows() {
        List<String> names = new ArrayList<>();
        BuiltInControllers.all().forEach(each -> {
            names.add(each.name());
            names.addAll(each.aliases());
        });
        UpstreamControllers.all().forEach(each -> {
            names.add(each.name());
            names.add(each.alias());
        });
        names.removeIf(String::isEmpty);

        assertThat(kinds("wheelhouse: {controllers: " + JsonMapper.shared().writeValueAsString(names) + "}"))
                .contains("Deployment");
    }
}
