package dev.wheelhouse.health;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.health.Assessment.Failing;
import dev.wheelhouse.health.Assessment.Item;
import dev.wheelhouse.runtime.SafeYaml;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The rows of {@code health/clusters.yaml}: the problems among objects that belong together. */
class AssessmentTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final Map<String, ResourceType> TYPES = Map.of("Deployment", ResourceType.DEPLOYMENTS, "ReplicaSet",
            ResourceType.REPLICA_SETS, "Pod", ResourceType.PODS, "Job", ResourceType.JOBS, "CronJob",
            new ResourceType("batch", "v1", "cronjobs", "CronJob", true), "StorageClass", ResourceType.STORAGE_CLASSES,
            "PersistentVolumeClaim", ResourceType.PERSISTENT_VOLUME_CLAIMS, "Node", ResourceType.NODES, "Site",
            new ResourceType("example.com", "v1", "sites", "Site", true));
    private static final Map<String, Class<? extends KubernetesObject>> MODELS = Map.of("Pod", V1Pod.class,
            "StorageClass", V1StorageClass.class, "PersistentVolumeClaim", V1PersistentVolumeClaim.class);

    @TestFactory
    List<DynamicTest> problemsAmongObjects() throws IOException {
        List<DynamicTest> rows = new ArrayList<>();
        try (InputStream table = requireNonNull(AssessmentTest.class.getResourceAsStream("/health/clusters.yaml"))) {
            ModelJson.tree(requireNonNull(SafeYaml.load(table.readAllBytes())))
                    .forEach(row -> rows.add(DynamicTest.dynamicTest(row.path("name").asString(), () -> check(row))));
        }
        return rows;
    }

    /** People copy the command into a shell. */
    @Test
    void aCommandHasNamesAsWordsOfAShell() {
        ObjectNode role = (ObjectNode) ModelJson.tree(Map.of("kind", "Site", "metadata",
                Map.of("name", "a;rm -rf ~'$(b)", "deletionTimestamp", "2026-01-01T00:00:00Z", "finalizers",
                        List.of("x/y"))));
        assertThat(
                new Assessment(Set.of(), List.of(item(role)), List.of(), Health::of, NOW).problems().getFirst().advice()
                        .command())
                .isEqualTo("kubectl describe -n a sites.example.com 'a;rm -rf ~'\\''$(b)'");
    }

    @Test
    void whatAnObjectSaysOfItselfIsBounded() {
        assertThat(new Health(Health.Level.DEGRADED, "x", "y\n".repeat(100_000), null).cause().length())
                .isLessThan(1100);
    }

    private static void check(JsonNode row) {
        List<Item> items = new ArrayList<>();
        row.path("objects").forEach(object -> items.add(item((ObjectNode) object)));
        List<Failing> failing = new ArrayList<>();
        row.path("failing").forEach(line -> {
            String[] words = line.asString().split(" ", 4);
            failing.add(new Failing(words[0], requireNonNull(TYPES.get("Job")), ObjectKey.parse(words[2]), words[3],
                    NOW));
        });
        Set<ResourceType> known = items.stream().map(Item::type).collect(Collectors.toSet());
        row.path("types").forEach(kind -> known.add(requireNonNull(TYPES.get(kind.asString()))));
        Assessment assessment = new Assessment(known, items, failing, Health::of, NOW);
        List<String> problems = assessment.problems().stream()
                .map(problem -> problem.item().type().groupResource() + " " + problem.item().key() + " | "
                        + problem.health().level() + " | " + problem.health().text() + " | "
                        + problem.health().cause() + " | " + problem.advice().kind())
                .toList();
        List<String> expected = new ArrayList<>();
        row.path("problems").forEach(line -> expected.add(line.asString()));
        assertThat(problems).isEqualTo(expected);
    }

    private static Item item(ObjectNode object) {
        String kind = object.path("kind").asString();
        ResourceType type = requireNonNull(TYPES.get(kind));
        object.put("apiVersion", type.apiVersion());
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        if (type.namespaced()) {
            metadata.put("namespace", "a");
        }
        JsonNode owner = metadata.remove("owner");
        if (owner != null) {
            metadata.putArray("ownerReferences").addObject().put("uid", owner.asString()).put("controller", true)
                    .put("kind", "Any").put("apiVersion", "v1").put("name", "any");
        }
        return new Item(type, ModelJson.read(object, MODELS.getOrDefault(kind, Unstructured.class)));
    }
}
