package dev.wheelhouse.podconfig;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ManifestReaderTest {
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
            spec:
              containers:
              - name: web
                image: nginx:1.27
            """;
    private static final StaticPods FILE = new StaticPods("Node-1", true);
    private static final StaticPods URL = new StaticPods("Node-1", false);

    private static List<V1Pod> read(String text) throws ManifestException {
        return ManifestReader.read("pods.yaml", text.getBytes(StandardCharsets.UTF_8), FILE);
    }

    private static V1Pod one(String text) throws ManifestException {
        List<V1Pod> pods = read(text);
        assertThat(pods).hasSize(1);
        return pods.get(0);
    }

    private static Refusal refusal(String text) {
        return catchThrowableOfType(ManifestException.class, () -> read(text)).refusal();
    }

    @Test
    void aStaticPodGetsNameNamespaceUidNodePhaseAndToleration() throws ManifestException {
        V1Pod pod = one(POD);

        assertThat(pod.getMetadata().getName()).isEqualTo("web-node-1");
        assertThat(pod.getMetadata().getNamespace()).isEqualTo("default");
        assertThat(pod.getMetadata().getUid()).matches("[0-9a-f]{32}");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry(PodSources.HASH_ANNOTATION,
                pod.getMetadata().getUid());
        assertThat(pod.getSpec().getNodeName()).isEqualTo("Node-1");
        assertThat(pod.getSpec().getTolerations())
                .containsExactly(new V1Toleration().operator("Exists").effect("NoExecute"));
        assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Always");
        assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
    }

    @Test
    void theUidIsAHashOfContentHostAndSource() throws ManifestException {
        String uid = one(POD).getMetadata().getUid();
        byte[] bytes = POD.getBytes(StandardCharsets.UTF_8);

        assertThat(one(POD).getMetadata().getUid()).isEqualTo(uid);
        assertThat(one("# a comment\n" + POD).getMetadata().getUid()).as("comments do not count").isEqualTo(uid);
        assertThat(one(POD.replace("1.27", "1.28")).getMetadata().getUid()).isNotEqualTo(uid);
        assertThat(ManifestReader.read("other.yaml", bytes, FILE).get(0).getMetadata().getUid()).isNotEqualTo(uid);
        assertThat(
                ManifestReader.read("pods.yaml", bytes, new StaticPods("node-2", true)).get(0).getMetadata().getUid())
                .isNotEqualTo(uid);
        assertThat(ManifestReader.read("u", bytes, URL).get(0).getMetadata().getUid())
                .as("a URL's pod is the same on every node")
                .isEqualTo(
                        ManifestReader.read("u", bytes, new StaticPods("node-2", false)).get(0).getMetadata().getUid());
    }

    @Test
    void aUidThatTheManifestGivesIsKept() throws ManifestException {
        V1Pod pod = one(POD.replace("name: web\nspec", "name: web\n  uid: mine\nspec"));

        assertThat(pod.getMetadata().getUid()).isEqualTo("mine");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry(PodSources.HASH_ANNOTATION, "mine");
    }

    @Test
    void aStaticPodHasTheDefaultsThatTheApiServerGivesToPods() throws ManifestException {
        String spec = """
                initContainers: [{name: first, image: busybox, resources: {limits: {memory: 1Gi}}}]
                containers:
                - {name: web, image: nginx, ports: [{containerPort: 80}], resources: {limits: {cpu: '100'}},
                   livenessProbe: {httpGet: {port: 80}},
                   env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]}
                - {name: side, image: 'side:1.2'}
                volumes: [{name: scratch}, {name: logs, hostPath: {path: /var/log}}]
                hostNetwork: true
                """;
        V1PodSpec pod = one("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" + spec.indent(2)).getSpec();
        ObjectNode mirror = Json.object();
        mirror.set("spec", ModelJson.tree(pod));
        Defaults.apply(ResourceType.PODS, mirror);

        assertThat(mirror.get("spec")).as("the API server adds nothing to the mirror pod's spec")
                .isEqualTo(ModelJson.tree(pod));
        assertThat(pod.getSchedulerName()).isEqualTo("default-scheduler");
        assertThat(pod.getDnsPolicy()).isEqualTo("ClusterFirst");
        assertThat(pod.getTerminationGracePeriodSeconds()).isEqualTo(30);
        assertThat(pod.getEnableServiceLinks()).isTrue();
        assertThat(pod.getSecurityContext()).isNotNull();
        V1Container web = pod.getContainers().getFirst();
        assertThat(web.getImagePullPolicy()).isEqualTo("Always");
        assertThat(pod.getContainers().getLast().getImagePullPolicy()).isEqualTo("IfNotPresent");
        assertThat(web.getTerminationMessagePath()).isEqualTo("/dev/termination-log");
        assertThat(web.getTerminationMessagePolicy()).isEqualTo("File");
        assertThat(web.getResources().getRequests()).containsEntry("cpu", Quantity.fromString("100"));
        assertThat(web.getPorts().getFirst().getProtocol()).isEqualTo("TCP");
        assertThat(web.getPorts().getFirst().getHostPort()).isEqualTo(80);
        assertThat(web.getLivenessProbe().getPeriodSeconds()).isEqualTo(10);
        assertThat(web.getLivenessProbe().getHttpGet().getScheme()).isEqualTo("HTTP");
        assertThat(web.getEnv().getFirst().getValueFrom().getFieldRef().getApiVersion()).isEqualTo("v1");
        assertThat(pod.getInitContainers().getFirst().getResources().getRequests()).containsOnlyKeys("memory");
        assertThat(pod.getVolumes().getFirst().getEmptyDir()).isNotNull();
        assertThat(pod.getVolumes().getLast().getHostPath().getType()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"restartPolicy: Always", "dnsPolicy: ClusterFirst", "terminationGracePeriodSeconds: 30",
            "schedulerName: default-scheduler", "securityContext: {}", "enableServiceLinks: true", "nodeSelector: {}",
            "hostNetwork: false", "volumes: []", "initContainers: null", "unknown: field"})
    void aDefaultThatIsWrittenOutAndAFieldThatDoesNotCountChangeNothing(String line) throws ManifestException {
        assertThat(one(POD + "  " + line + "\n").getMetadata().getUid()).isEqualTo(one(POD).getMetadata().getUid());
    }

    @Test
    void theSameHoldsForContainers() throws ManifestException {
        String uid = one(POD).getMetadata().getUid();
        String quantity = POD + "    resources: {limits: {cpu: %s}}\n";
        assertThat(one(quantity.formatted("1")).getMetadata().getUid())
                .isEqualTo(one(quantity.formatted("1000m")).getMetadata().getUid());
        for (String line : List.of("imagePullPolicy: IfNotPresent", "terminationMessagePolicy: File", "resources: {}",
                "terminationMessagePath: /dev/termination-log")) {
            assertThat(one(POD + "    " + line + "\n").getMetadata().getUid()).as(line).isEqualTo(uid);
        }
        assertThat(one(POD + "    imagePullPolicy: Always\n").getMetadata().getUid()).isNotEqualTo(uid);
    }

    @Test
    void aPodIsValidatedWithItsDefaults() {
        String port = ", image: nginx, ports: [{containerPort: 80}]}";

        assertThat(refusal(
                "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {hostNetwork: true, containers: [{name: a"
                        + port + ", {name: b" + port + "]}\n")
                .toString()).contains("Duplicate value: \"TCP//80\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{operator: Exists, effect: NoExecute}",
            "{operator: Exists, effect: NoExecute, tolerationSeconds: 60}",
            "{key: '', operator: Exists, effect: NoExecute}",
            "{operator: Exists, effect: NoExecute}, {operator: Exists, effect: NoExecute, tolerationSeconds: 60}"})
    void theTolerationOfAllTaintsStandsOnceAndWithoutATime(String written) throws ManifestException {
        assertThat(
                one(POD + "  tolerations: [{key: a, operator: Exists, effect: NoExecute}, " + written + "]\n").getSpec()
                        .getTolerations())
                .containsExactly(
                        new V1Toleration().key("a").operator("Exists").effect("NoExecute"),
                        new V1Toleration().operator("Exists").effect("NoExecute"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"serviceAccountName", "serviceAccount"})
    void aStaticPodMayNotNameAServiceAccountByEitherField(String field) {
        Refusal refusal = refusal(POD + "  " + field + ": builder\n");

        assertThat(refusal.field()).isEqualTo("spec." + field);
        assertThat(refusal.problem()).startsWith("static pods may not reference the ServiceAccount \"builder\"");
    }

    @Test
    void podsFromAUrlGetNoToleration() throws ManifestException {
        V1Pod pod = ManifestReader.read("u", POD.getBytes(StandardCharsets.UTF_8), URL).get(0);

        assertThat(pod.getSpec().getTolerations()).isNullOrEmpty();
    }

    @Test
    void jsonAndListsAndSeveralDocumentsAreRead() throws ManifestException {
        String json = """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "json"},
                 "spec": {"containers": [{"name": "c", "image": "nginx"}]}}""";
        String list = """
                apiVersion: v1
                kind: PodList
                items:
                - metadata: {name: a}
                  spec: {containers: [{name: c, image: nginx}]}
                - metadata: {name: b}
                  spec: {containers: [{name: c, image: nginx}]}
                """;

        assertThat(one(json).getMetadata().getName()).isEqualTo("json-node-1");
        assertThat(read(list)).extracting(p -> p.getMetadata().getName()).containsExactly("a-node-1", "b-node-1");
        assertThat(read("---\n" + POD + "---\n---\n" + json + "\n---\n# nothing\n"))
                .extracting(p -> p.getMetadata().getName()).containsExactly("web-node-1", "json-node-1");
        assertThat(read("")).isEmpty();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("another kind", "apiVersion: apps/v1\nkind: Deployment", 2, "kind", "only v1 Pods"),
                Arguments.of("no object", "- a\n- b", 1, "", "an object should be"),
                Arguments.of("broken YAML", POD + "  bad: [1, 2", 9, "", "not YAML or JSON"),
                Arguments.of("a key twice", POD + "kind: Pod\n", 9, "", "twice"),
                Arguments.of("no name", POD.replace("  name: web\nspec", "  labels: {}\nspec"), 4, "metadata.name",
                        "Required value: name or generateName is required"),
                Arguments.of("a bad name", POD.replace("name: web\nspec", "name: Web\nspec"), 4, "metadata.name",
                        "must consist of lower case alphanumeric characters"),
                Arguments.of("no image", POD.replace("    image: nginx:1.27\n", ""), 7, "spec.containers[0].image",
                        "Required value"),
                Arguments.of("a number for text", POD.replace("nginx:1.27", "5"), 8, "spec.containers[0].image",
                        "text (put it in quotes)"),
                Arguments.of("text for a number", POD + "    ports: [{containerPort: \"80\"}]\n", 9,
                        "spec.containers[0].ports[0].containerPort", "a whole number"),
                Arguments.of("a port out of range", POD + "    ports: [{containerPort: 80000}]\n", 9,
                        "spec.containers[0].ports[0].containerPort", "must be between 1 and 65535, inclusive"),
                Arguments.of("two containers of one name", POD + "  - name: web\n    image: nginx\n", 9,
                        "spec.containers[1].name", "Duplicate value: \"web\""),
                Arguments.of("a mount without volume", POD + "    volumeMounts: [{name: x, mountPath: /x}]\n", 9,
                        "spec.containers[0].volumeMounts[0].name", "Not found: \"x\""),
                Arguments.of("a bad restart policy", POD + "  restartPolicy: Sometimes\n", 9, "spec.restartPolicy",
                        "Unsupported value: \"Sometimes\": supported values: \"Always\""),
                Arguments.of("a Secret volume", POD + "  volumes: [{name: s, secret: {secretName: s}}]\n", 9,
                        "spec.volumes[0].secret", "static pods may not reference Secrets"),
                Arguments.of("a ConfigMap volume", POD + "  volumes: [{name: v, configMap: {name: c}}]\n", 9,
                        "spec.volumes[0].configMap", "static pods may not reference ConfigMaps"),
                Arguments.of("a claim", POD + "  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n", 9,
                        "spec.volumes[0].persistentVolumeClaim", "may not reference PersistentVolumeClaims"),
                Arguments.of("a Secret for images", POD + "  imagePullSecrets: [{name: s}]\n", 9,
                        "spec.imagePullSecrets", "static pods may not reference Secrets"),
                Arguments.of("a claim for a device", POD + "  resourceClaims: [{name: r, resourceClaimName: c}]\n", 9,
                        "spec.resourceClaims", "static pods may not reference ResourceClaims"),
                Arguments.of("a volume of two things",
                        POD + "  volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]\n", 9,
                        "spec.volumes[0].hostPath", "may not specify more than 1 volume type"),
                Arguments.of("a host path without path", POD + "  volumes: [{name: v, hostPath: {type: File}}]\n", 9,
                        "spec.volumes[0].hostPath.path", "Required value"),
                Arguments.of("a host path that climbs", POD + "  volumes: [{name: v, hostPath: {path: /a/../b}}]\n", 9,
                        "spec.volumes[0].hostPath.path", "must not contain"),
                Arguments.of("a host path of no type",
                        POD + "  volumes: [{name: v, hostPath: {path: /a, type: Dir}}]\n",
                        9, "spec.volumes[0].hostPath.type", "DirectoryOrCreate"),
                Arguments.of("a host port twice", POD + "    ports: [{containerPort: 80, hostPort: 80}, "
                        + "{containerPort: 81, hostPort: 80}]\n", 9, "spec.containers[0].ports[1].hostPort",
                        "Duplicate value: \"TCP//80\""),
                Arguments.of("a web page", "<!DOCTYPE html><html></html>", 1, "", "a web page"),
                Arguments.of("plain text", "Internal error", 1, "", "plain text where an object should be"),
                Arguments.of("a ConfigMap variable",
                        POD + "    envFrom: [{configMapRef: {name: c}}]\n", 9,
                        "spec.containers[0].envFrom[0].configMapRef", "static pods may not reference ConfigMaps"),
                Arguments.of("a ServiceAccount", POD + "  serviceAccountName: robot\n", 9, "spec.serviceAccountName",
                        "the ServiceAccount \"robot\""),
                Arguments.of("requests over limits",
                        POD + "    resources: {requests: {cpu: 2}, limits: {cpu: 1}}\n", 9,
                        "spec.containers[0].resources.requests", "must be less than or equal to cpu limit of 1"),
                Arguments.of("a null element", POD + "  - \n", 9, "spec.containers[1]", "empty element"),
                Arguments.of("a map as key", POD + "? {a: b}\n: c\n", 9, "", "keys are text"),
                Arguments.of("control characters", "a: \u0001", 0, "", "not YAML or JSON"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void aRefusalNamesLineFieldAndRemedy(String what, String text, int line, String field, String problem) {
        Refusal refusal = refusal(text);

        assertThat(refusal.location()).isEqualTo("pods.yaml");
        assertThat(refusal.problem()).contains(problem);
        assertThat(refusal.field()).isEqualTo(field);
        assertThat(refusal.line()).isEqualTo(line);
    }

    @Test
    void hostileInputIsRefusedQuickly() {
        String bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
        for (int i = 1; i < 10; i++) {
            bomb += "a" + i + ": &a" + i + " [" + "*a" + (i - 1) + ",".repeat(1) + ("*a" + (i - 1) + ",").repeat(8)
                    + "]\n";
        }
        List<String> hostile = List.of(bomb, "[".repeat(100_000), "{\"a\":".repeat(100_000), "a: &a [*a]",
                "- ".repeat(50_000),
                "x: " + "9".repeat(1_000_000), "x: 1e999999999", "? ".repeat(20_000), "&a ".repeat(20_000),
                "x: !!binary " + "A".repeat(1000), "%YAML 9.9\n---\na: b", "\uFEFF\uFEFFa: b", "a: \"\\ud800\"",
                "x: 0x" + "f".repeat(60), "<<: [1]");
        for (String text : hostile) {
            Assertions.assertTimeout(Duration.ofSeconds(30),
                    () -> assertThatThrownBy(() -> read(text)).isInstanceOf(ManifestException.class));
        }
    }

    @Test
    void whatIsTooLargeOrNoTextIsRefused() {
        assertThatThrownBy(() -> ManifestReader.read("f", new byte[YamlDocuments.MAX_BYTES + 1], FILE))
                .hasMessageContaining("10 MiB");
        assertThatThrownBy(() -> ManifestReader.read("f", new byte[]{(byte) 0xc3, 0x28}, FILE))
                .hasMessageContaining("UTF-8");
    }

    @Test
    void mutatedManifestsAreReadOrRefusedButNeverCrash() {
        Random random = new Random(1);
        byte[] good = (POD + "---\n" + POD.replace("web", "db")).getBytes(StandardCharsets.UTF_8);
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = java.util.Arrays.copyOf(good,
                    random.nextInt(4) == 0 ? random.nextInt(good.length) : good.length);
            for (int m = random.nextInt(6); m > 0 && bytes.length > 0; m--) {
                bytes[random.nextInt(bytes.length)] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : (byte) "{}[]:-,&*!|>'\"%@`#? \n\t0~".charAt(random.nextInt(24));
            }
            try {
                ManifestReader.read("f", bytes, FILE);
            } catch (ManifestException e) {
                refused++;
                assertThat(e.refusal().problem()).isNotEmpty();
            }
        }
        assertThat(refused).isBetween(500, 2900);
    }
}
