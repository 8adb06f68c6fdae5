package dev.wheelhouse.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
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

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.auth.BootstrapPolicy;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controllers.ControllerOptions;
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
    private static final Path SCENE = Path.of("src/test/resources/charts/rights-scene.yaml");
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
        playScene();
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

    /** Plays the requests that the scenarios lack. */
    private static void playScene() throws IOException, InterruptedException {
        try (SteppedSystem system = new SteppedSystem(new OneByOne(), 1, null).with(REQUESTED.controllers())
                .with(Authorities.options().with(new ControllerOptions.NodeIpam(true, List.of("10.9.0.0/16"),
                        List.of(), 0, 0, 0)))) {
            system.startManager();
            system.settle(Duration.ofSeconds(30));
            for (JsonNode group : yaml(SCENE)) {
                for (JsonNode step : group) {
                    perform(step, system);
                }
                system.settle(Duration.ofMinutes(2));
            }
        }
    }

    private static void perform(JsonNode step, SteppedSystem system) {
        switch (step.propertyNames().iterator().next()) {
            case "create" -> create(step.get("create"), system);
            case "first" -> create(Scenario.read(step.get("first").asString()).steps().getFirst().get("create"),
                    system);
            case "patch" -> objects(step.get("patch"), system).patch(key(step.get("patch")),
                    step.at("/patch/subresource").asString(""), PatchType.MERGE, filled(step.get("body"), system));
            case "delete" -> objects(step.get("delete"), system).delete(key(step.get("delete")),
                    new Deletion(null, null, null, step.get("policy").asString()));
            default -> system.clock.advance(Duration.parse(step.get("pass").asString()));
        }
    }

    private static void create(JsonNode manifest, SteppedSystem system) {
        system.user().resource(type(manifest), Unstructured.class)
                .create(Yaml.read(filled(manifest, system), Unstructured.class));
    }

    private static String filled(JsonNode node, SteppedSystem system) {
        String text = node.toString().replace("$soon", system.clock.now().plusSeconds(60)
                .truncatedTo(ChronoUnit.SECONDS).toString());
        return !text.contains("$uid")
                ? text
                : text.replace("$uid", String.valueOf(system.user()
                        .metadata(ResourceType.PODS).get(ObjectKey.of("default", "on-device")).getMetadata().getUid()));
    }

    private static ResourceClient<PartialObjectMetadata> objects(JsonNode object, SteppedSystem system) {
        return system.user().metadata(type(object));
    }

    private static ResourceType type(JsonNode object) {
        return Kinds.type(object.get("apiVersion").asString(), object.get("kind").asString());
    }

    private static ObjectKey key(JsonNode object) {
        return new ObjectKey(object.path("namespace").asString(""), object.get("name").asString());
    }

    // ---- the table

    private static JsonNode table() throws IOException {
        return yaml(TABLE);
    }

    private static JsonNode yaml(Path file) throws IOException {
        return JsonMapper.shared().valueToTree(new org.yaml.snakeyaml.Yaml().load(Files.readString(file)));
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
