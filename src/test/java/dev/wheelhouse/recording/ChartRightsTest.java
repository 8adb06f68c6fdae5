package dev.wheelhouse.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.auth.BootstrapPolicy;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.UpstreamControllers;
import dev.wheelhouse.simulation.Quiet;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedSystem;
import dev.wheelhouse.testing.WriteRequest;
import dev.wheelhouse.world.Authorities;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The chart's table of rights, compared with the requests that the controllers make in recorded scenarios: none is
 * missing, and none is unused. {@code -Dreplay='**'} plays all scenarios instead of those with different requests.
 */
@Tag("stepped")
@ExtendWith(Quiet.class)
class ChartRightsTest {
    private static final Path TABLE = Path.of("helm/wheelhouse/files/rights.yaml");
    private static final List<String> SCENARIOS = List.of("attach/attach",
            "budget/{custom-scale,deployment,stale-target}",
            "claim/{access-modes-and-selector,attributes-class,bind-reserved,default-class,ephemeral,lost}",
            "claim/{host-path-enabled,reclaim-delete}", "cronjob/{allow,create-lost,delete-fails,deleted-in-*}",
            "expand/{flex,migrated}",
            "daemonset/{adopts,deleted-*,fault-renumber-error,history-limit}",
            "hpa/{bounds,external-metric,object-metric,stateful-set}", "job/{active-deadline,adopt,delete-foreground}",
            "node/{fault,ttl}", "podgc/fault-status", "policy/parameters",
            "quota/limits-change", "resourceclaim/{template,unknown-consumers}", "servicecidr/created-and-deleted",
            "statefulset/{claims*,delete-foreground,orphan-and-adopt,rollback}", "taint/evict", "ttl/complete");

    private static final RequestedRights REQUESTED = new RequestedRights();

    @BeforeAll
    static void play() throws Exception {
        String all = System.getProperty("replay");
        for (String glob : all == null ? SCENARIOS : List.of(all)) {
            for (Scenario scenario : Scenario.all(glob).stream().filter(Recording::exists).toList()) {
                try (Replay replay = new Replay(scenario, 1).with(REQUESTED.controllers())) {
                    replay.run();
                }
            }
        }
        try (Scene scene = new Scene()) {
            scene.deployments();
            scene.owners(ResourceType.REPLICA_SETS, "{matchLabels: {app: bare}}");
            scene.owners(ResourceType.REPLICATION_CONTROLLERS, "{app: bare}");
            scene.namespace();
            scene.services();
            scene.identity();
            scene.node();
            scene.devices();
            scene.recycler();
            scene.bootstrap();
        }
    }

    /** A server without the deletion of all ConfigMaps at once, as some servers of further APIs are. */
    private static final class OneByOne implements Interceptor {
        @Override
        public <R> R write(WriteRequest request, Supplier<R> call) {
            if (request.toString().startsWith("deletecollection configmaps")) {
                throw new KubeApiException(request.toString(), 405, "MethodNotAllowed", "not supported", null);
            }
            return call.get();
        }
    }

    /** The controllers that the scenarios say little about: those of Deployments, ReplicaSets and namespaces. */
    private static final class Scene implements AutoCloseable {
        private static final String POD = """
                {metadata: {labels: {app: %1$s}}, spec: {containers: [{name: c, image: "%2$s"}]}}""";
        private final SteppedSystem system = new SteppedSystem(new OneByOne(), 1, null).with(REQUESTED.controllers())
                .with(Authorities.options().with(new ControllerOptions.NodeIpam(true, List.of("10.9.0.0/16"),
                        List.of(), 0, 0, 0)));

        Scene() throws InterruptedException {
            system.startManager();
            settle();
        }

        private void settle() throws InterruptedException {
            system.settle(Duration.ofSeconds(30));
        }

        private void create(ResourceType type, String yaml) {
            system.user().resource(type, Unstructured.class).create(Yaml.read(yaml, Unstructured.class));
        }

        private void patch(ResourceType type, String name, String json) throws InterruptedException {
            system.user().metadata(type).patch(ObjectKey.of("default", name), "", PatchType.MERGE, json);
            settle();
        }

        private void delete(ResourceType type, ObjectKey key, String policy) throws InterruptedException {
            system.user().metadata(type).delete(key, new Deletion(null, null, null, policy));
            settle();
        }

        /** A rollout, a rollback, the end of an old revision, and the adoption of a ReplicaSet. */
        void deployments() throws InterruptedException {
            create(ResourceType.DEPLOYMENTS, """
                    {metadata: {namespace: default, name: web}, spec: {replicas: 0, revisionHistoryLimit: 1,
                     selector: {matchLabels: {app: web}}, template: %s}}""".formatted(POD.formatted("web", "v1")));
            settle();
            for (String image : List.of("v2", "v3")) {
                patch(ResourceType.DEPLOYMENTS, "web", "{\"spec\": {\"template\": {\"spec\": {\"containers\": "
                        + "[{\"name\": \"c\", \"image\": \"" + image + "\"}]}}}}");
            }
            patch(ResourceType.DEPLOYMENTS, "web",
                    "{\"metadata\": {\"annotations\": {\"deprecated.deployment.rollback.to\": \"2\"}}}");
            create(ResourceType.REPLICA_SETS, """
                    {metadata: {namespace: default, name: web-old, labels: {app: web}}, spec: {replicas: 0,
                     selector: {matchLabels: {app: web}}, template: %s}}""".formatted(POD.formatted("web", "v0")));
            settle();
            delete(ResourceType.DEPLOYMENTS, ObjectKey.of("default", "web"), "Foreground");
        }

        /** Pods that are created, adopted, released and deleted. */
        void owners(ResourceType type, String selector) throws InterruptedException {
            create(type, "{metadata: {namespace: default, name: bare}, spec: {replicas: 2, selector: " + selector
                    + ", template: " + POD.formatted("bare", "v1") + "}}");
            settle();
            create(ResourceType.PODS, """
                    {metadata: {namespace: default, name: stray, labels: {app: bare}},
                     spec: {containers: [{name: c, image: i}]}}""");
            patch(type, "bare", "{\"spec\": {\"replicas\": 3}}");
            String pod = system.user().metadata(ResourceType.PODS)
                    .list("default", LabelSelector.of(Map.of("app", "bare")),
                            FieldSelector.everything(),
                            ListOptions.cached())
                    .items().getFirst().getMetadata().getName();
            patch(ResourceType.PODS, pod, "{\"metadata\": {\"labels\": {\"app\": \"released\"}}}");
            patch(type, "bare", "{\"spec\": {\"replicas\": 0}}");
            delete(type, ObjectKey.of("default", "bare"), "Background");
        }

        /** A node that gets a range of addresses. */
        void node() throws InterruptedException {
            create(ResourceType.NODES, "{metadata: {name: node-1}}");
            settle();
        }

        /** A pod on a tainted device. */
        void devices() throws InterruptedException {
            create(DeviceTaintEvictionController.SLICES, """
                    {metadata: {name: s}, spec: {driver: d, allNodes: true, pool: {name: p, generation: 1,
                     resourceSliceCount: 1}, devices: [{name: one, taints: [{key: broken, effect: NoExecute}]}]}}""");
            create(ResourceType.PODS, """
                    {metadata: {namespace: default, name: on-device}, spec: {nodeName: node-1, resourceClaims:
                     [{name: c, resourceClaimName: c}], containers: [{name: c, image: i}]}}""");
            create(ResourceClaimController.CLAIMS, """
                    {metadata: {namespace: default, name: c}, spec: {devices: {requests: [{name: r, exactly:
                     {deviceClassName: d}}]}}}""");
            String uid = String.valueOf(system.user().metadata(ResourceType.PODS)
                    .get(ObjectKey.of("default", "on-device")).getMetadata().getUid());
            system.user().metadata(ResourceClaimController.CLAIMS).patch(ObjectKey.of("default", "c"), "status",
                    PatchType.MERGE, """
                            {"status": {"reservedFor": [{"resource": "pods", "name": "on-device", "uid": "%s"}],
                             "allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p",
                             "device": "one"}]}}}}""".formatted(uid));
            settle();
        }

        /** A volume that a pod empties. */
        void recycler() throws InterruptedException {
            create(ResourceType.PERSISTENT_VOLUMES, """
                    {metadata: {name: recycled}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
                     persistentVolumeReclaimPolicy: Recycle, storageClassName: recycled, hostPath: {path: /data}}}""");
            settle();
            create(ResourceType.PERSISTENT_VOLUME_CLAIMS, """
                    {metadata: {namespace: default, name: recycled}, spec: {accessModes: [ReadWriteOnce],
                     storageClassName: recycled, resources: {requests: {storage: 1Gi}}}}""");
            settle();
            delete(ResourceType.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of("default", "recycled"), "Background");
            system.user().metadata(ResourceType.PODS).patch(ObjectKey.of("default", "recycler-for-recycled"), "status",
                    PatchType.MERGE, "{\"status\": {\"phase\": \"Succeeded\"}}");
            settle();
        }

        /** A token that signs the description of the cluster, until it expires. */
        void bootstrap() throws InterruptedException {
            create(ResourceType.CONFIG_MAPS,
                    "{metadata: {namespace: kube-public, name: cluster-info}, data: {kubeconfig: x}}");
            create(ResourceType.SECRETS, """
                    {metadata: {namespace: kube-system, name: bootstrap-token-abcdef}, stringData: {token-id: abcdef,
                     token-secret: "0123456789abcdef", usage-bootstrap-signing: "true", expiration: "%s"},
                     type: bootstrap.kubernetes.io/token}"""
                    .formatted(system.clock.now().plusSeconds(60).truncatedTo(ChronoUnit.SECONDS)));
            settle();
            system.clock.advance(Duration.ofMinutes(2));
            settle();
        }

        void namespace() throws InterruptedException {
            create(ResourceType.NAMESPACES, "{metadata: {name: gone}}");
            create(ResourceType.CONFIG_MAPS, "{metadata: {namespace: gone, name: a}}");
            create(ResourceType.PODS, """
                    {metadata: {namespace: gone, name: a, finalizers: [example.com/wait]},
                     spec: {serviceAccountName: "", containers: [{name: c, image: i}]}}""");
            settle();
            delete(ResourceType.NAMESPACES, ObjectKey.cluster("gone"), "Background");
            system.user().metadata(ResourceType.PODS).patch(ObjectKey.of("gone", "a"), "", PatchType.MERGE,
                    "{\"metadata\": {\"finalizers\": null}}");
            system.settle(Duration.ofMinutes(2));
        }

        /** Accounts with Secrets, the certificates of a namespace, an aggregated role, and a request of a kubelet. */
        void identity() throws InterruptedException {
            create(ResourceType.SERVICE_ACCOUNTS,
                    "{metadata: {namespace: default, name: robot}, secrets: [{name: token}, {name: old}]}");
            for (String secret : List.of("token", "old")) {
                token(secret, "robot");
            }
            token("stray", "nobody");
            create(new ResourceType("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false), """
                    {metadata: {name: part, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}},
                     rules: [{verbs: [list], apiGroups: [ex.com], resources: [gadgets]}]}""");
            JsonNode request = Scenario.read("certificate/kubelet-client").steps().getFirst().get("create");
            create(Kinds.type("certificates.k8s.io/v1", "CertificateSigningRequest"), request.toString());
            settle();
            delete(ResourceType.SECRETS, ObjectKey.of("default", "token"), "Background");
            patch(ResourceType.CONFIG_MAPS, "kube-root-ca.crt", "{\"data\": {\"ca.crt\": \"mine\"}}");
            for (int year = 0; year < 2; year++) {
                system.clock.advance(Duration.ofDays(400));
                settle();
            }
        }

        private void token(String name, String account) {
            create(ResourceType.SECRETS, """
                    {metadata: {namespace: default, name: %s, annotations: {kubernetes.io/service-account.name: %s}},
                     type: kubernetes.io/service-account-token}""".formatted(name, account));
        }

        /**
         * Endpoints and slices that are created, changed and deleted, those of pods and those of a user's Endpoints.
         */
        void services() throws InterruptedException {
            create(ResourceType.SERVICES, """
                    {metadata: {namespace: default, name: served}, spec: {publishNotReadyAddresses: true, selector:
                     {app: served}, ports: [{port: 80, targetPort: web}]}}""");
            for (int port : List.of(8080, 9090)) {
                create(ResourceType.PODS, """
                        {metadata: {namespace: default, name: served-%1$d, labels: {app: served}}, spec: {containers:
                         [{name: c, image: i, ports: [{name: web, containerPort: %1$d}]}]}}""".formatted(port));
                system.user().metadata(ResourceType.PODS).patch(ObjectKey.of("default", "served-" + port), "status",
                        PatchType.MERGE, "{\"status\": {\"podIPs\": [{\"ip\": \"10.0.0." + port / 1000 + "\"}]}}");
                settle();
            }
            delete(ResourceType.PODS, ObjectKey.of("default", "served-9090"), "Background");
            patch(ResourceType.SERVICES, "served", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
            delete(ResourceType.SERVICES, ObjectKey.of("default", "served"), "Background");
            create(ResourceType.SERVICES,
                    "{metadata: {namespace: default, name: mirrored}, spec: {ports: [{port: 80}]}}");
            create(ResourceType.ENDPOINTS, """
                    {metadata: {namespace: default, name: mirrored}, subsets: [{addresses: [{ip: 10.0.0.1}]}]}""");
            settle();
            patch(ResourceType.ENDPOINTS, "mirrored", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
            patch(ResourceType.ENDPOINTS, "mirrored", "{\"subsets\": null}");
        }

        @Override
        public void close() {
            system.close();
        }
    }

    // ---- the table

    private static JsonNode table() throws IOException {
        return JsonMapper.shared().valueToTree(new org.yaml.snakeyaml.Yaml().load(Files.readString(TABLE)));
    }

    private static Stream<JsonNode> rules(String controller) throws IOException {
        return table().path(controller).path("rules").valueStream();
    }

    /** The rights of a controller in the table. */
    private static Set<String> granted(String controller) throws IOException {
        return rights(rules(controller));
    }

    /** The rights that rules give, as {@code VERB GROUP/RESOURCE[/SUBRESOURCE]}. */
    private static Set<String> rights(Stream<JsonNode> rules) {
        Set<String> rights = new TreeSet<>();
        rules.forEach(rule -> rule.path("verbs").forEach(verb -> rule.path("apiGroups").forEach(group -> rule
                .path("resources").forEach(resource -> rights.add(
                        verb.asString() + " " + group.asString() + "/" + resource.asString())))));
        return rights;
    }

    /** Whether a right that was granted, perhaps with wildcards, covers one that a request needs. */
    private static boolean covers(String granted, String needed) {
        String[] have = granted.split("[ /]", 3);
        String[] want = needed.split("[ /]", 3);
        return have[0].equals(want[0]) && (have[1].equals("*") || have[1].equals(want[1]))
                && (have[2].equals("*") || have[2].equals(want[2]) || have[2].startsWith("*/")
                        && want[2].endsWith(have[2].substring(1)));
    }

    @Test
    void theTableHasAllControllersWithTheirAliases() throws IOException {
        assertThat(table().propertyNames()).containsExactlyInAnyOrderElementsOf(
                BuiltInControllers.all().stream().map(ControllerDescriptor::name).toList());
        for (ControllerDescriptor each : BuiltInControllers.all()) {
            assertThat(table().path(each.name()).path("aliases").valueStream().map(JsonNode::asString))
                    .as(each.name()).containsExactlyElementsOf(each.aliases());
        }
    }

    @Test
    void eachRequestOfAControllerIsGranted() throws IOException {
        Set<String> missing = new TreeSet<>();
        for (ControllerDescriptor each : BuiltInControllers.all()) {
            Set<String> granted = granted(each.name());
            REQUESTED.byController().getOrDefault(each.name(), Set.of()).stream()
                    .filter(right -> granted.stream().noneMatch(have -> covers(have, right)))
                    .forEach(right -> missing.add(each.name() + " " + right));
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void eachGrantedRightIsUsedByARequest() throws IOException {
        Set<String> unused = new TreeSet<>();
        for (ControllerDescriptor each : BuiltInControllers.all()) {
            Set<String> requested = REQUESTED.byController().getOrDefault(each.name(), Set.of());
            granted(each.name()).stream()
                    .filter(right -> requested.stream().noneMatch(needed -> covers(right, needed)))
                    .forEach(right -> unused.add(each.name() + " " + right));
        }
        assertThat(unused).isEmpty();
    }

    /**
     * With {@code --wheelhouse.use-service-account-credentials} a controller writes by the rights of its account, which
     * upstream's role gives it. Caches are read with the account of the process.
     */
    @Test
    void upstreamsRolesGrantAllRightsButThoseOfCaches() throws IOException {
        for (ControllerDescriptor each : BuiltInControllers.all()) {
            String account = UpstreamControllers.account(each.name());
            Set<String> ofRole = grantedByUpstream(account);
            assertThat(granted(each.name())).as(each.name()).allMatch(right -> account.isEmpty()
                    || right.startsWith("list ") || right.startsWith("watch ")
                    || ofRole.stream().anyMatch(have -> covers(have, right)));
        }
    }

    private static Set<String> grantedByUpstream(String account) {
        List<ObjectNode> policy = BootstrapPolicy.objects().stream().map(BootstrapPolicy.Bootstrap::object).toList();
        Set<String> roles = policy.stream()
                .filter(binding -> binding.path("subjects").valueStream()
                        .anyMatch(subject -> subject.path("name").asString().equals(account)))
                .map(binding -> binding.at("/roleRef/name").asString()).collect(Collectors.toSet());
        return rights(policy.stream().filter(role -> roles.contains(role.at("/metadata/name").asString()))
                .flatMap(role -> role.path("rules").valueStream()));
    }

    @Test
    void rulesForOneNamespaceAreThoseOfControllersThatAskForNoOther() throws IOException {
        for (ControllerDescriptor each : BuiltInControllers.all()) {
            Set<String> granted = rules(each.name()).map(rule -> rule.path("namespace").asString(""))
                    .collect(Collectors.toSet());
            if (!granted.equals(Set.of(""))) {
                assertThat(granted).as(each.name()).isEqualTo(REQUESTED.namespaces(each.name()));
            }
        }
    }
}
