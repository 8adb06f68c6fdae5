package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** An object that cannot be read into its class is told to its user, wherever the operator would see it. */
class UnreadableObjectsTest {
    private static final Duration RELIST = Duration.ofSeconds(5);
    private static final ResourceType SITES = OperatorWorld.SITES;

    private static void create(OperatorWorld world, String name, String replicas) {
        world.cluster.create(SITES, Unstructured.class, """
                {apiVersion: example.com/v1, kind: Site, metadata: {namespace: default, name: %s},
                 spec: {image: nginx, replicas: %s}}""", name, replicas);
    }

    private static void look(OperatorWorld world) {
        world.cluster.clock.advance(RELIST);
        world.settle();
    }

    private static List<String> events(Cluster cluster) {
        return new ArrayList<>(cluster.events.stream().map(event -> ObjectKey.of(event.object()) + " " + event)
                .toList());
    }

    @Test
    void aPrimaryObjectGetsAnEventAndTheErrorConditionAndTheProcessIsNotReadyAfterAMinute() {
        Scripted operator = new Scripted(setup -> setup.name("sites").errorCondition("Ready"));
        try (OperatorWorld world = new OperatorWorld(operator)) {
            create(world, "blog", "three");
            create(world, "fine", "3");
            world.settle();
            look(world);

            String problem = "sites cannot read it as Site, field spec.replicas: Cannot deserialize value of type "
                    + "`int` from String \"three\": not a valid `int` value. Correct the object, or the class and its "
                    + "definition";
            assertThat(operator.takeCalls()).containsOnly("fine");
            assertThat(events(world.cluster)).containsExactly("default/blog Warning Unreadable " + problem);
            assertThat(world.json(SITES).at("/status/conditions/0/type").asString()).isEqualTo("Ready");
            assertThat(world.json(SITES).at("/status/conditions/0/status").asString()).isEqualTo("False");
            assertThat(world.json(SITES).at("/status/conditions/0/reason").asString()).isEqualTo("Unreadable");
            assertThat(world.json(SITES).at("/status/conditions/0/message").asString()).isEqualTo(problem);
            assertThat(world.controller.problems()).isEmpty();

            world.cluster.clock.advance(Duration.ofMinutes(1));
            world.settle();
            assertThat(events(world.cluster)).as("said once").hasSize(1);
            assertThat(world.controller.problems()).containsExactly("sites cannot read sites.example.com "
                    + "default/blog: its Events name the field and the remedy");

            world.cluster.edit(SITES, Unstructured.class, OperatorWorld.BLOG,
                    site -> site.set("spec", Map.of("image", "nginx", "replicas", 3)));
            world.settle();
            look(world);
            assertThat(operator.takeCalls()).contains("blog");
            assertThat(world.controller.problems()).isEmpty();
            assertThat(world.json(SITES).at("/status/conditions/0/status").asString()).isEqualTo("True");
        }
    }

    @ResourceDefinition(group = "example.com", version = "v1")
    static final class Numbered extends CustomResource<Numbered.Spec, Void> {
        record Spec(int replicas) {}
    }

    @Test
    void anObjectThatIsOnlyWatchedGetsAnEvent() {
        Scripted operator = new Scripted(setup -> setup.name("sites")
                .watches(Numbered.class, numbered -> List.of(ObjectKey.of(numbered))));
        ResourceType numbered = ResourceTypes.of(Numbered.class);
        try (OperatorWorld world = new OperatorWorld(operator, cluster -> cluster.define(numbered))) {
            world.cluster.create(numbered, Unstructured.class, """
                    {apiVersion: example.com/v1, kind: Numbered, metadata: {namespace: default, name: other},
                     spec: {replicas: three}}""");
            world.settle();
            look(world);
            assertThat(events(world.cluster)).anyMatch(event -> event.contains(
                    "default/other Warning Unreadable sites cannot read it as Numbered, field spec.replicas"));
        }
    }

    /** Its spec throws what it names. */
    @ResourceDefinition(group = "example.com", version = "v1")
    static final class Throwing extends CustomResource<Throwing.Spec, Void> {
        record Spec(String thrown) {
            Spec {
                for (Throwable e : ChangeFilterTest.THROWN) {
                    if (e.getClass().getSimpleName().equals(thrown)) {
                        throw ChangeFilterTest.<RuntimeException>thrown(e);
                    }
                }
            }
        }
    }

    private static void createThrowing(OperatorWorld world, String name, String thrown) {
        world.cluster.create(ResourceTypes.of(Throwing.class), Unstructured.class, """
                {apiVersion: example.com/v1, kind: Throwing, metadata: {namespace: default, name: %s},
                 spec: {thrown: %s}}""", name, thrown);
    }

    @Test
    void anObjectWhoseClassThrowsAnythingKeepsNoOtherFromTheCache() {
        Set<String> seen = new TreeSet<>();
        Scripted operator = new Scripted(setup -> setup.name("sites").watches(Throwing.class, object -> {
            seen.add(object.getMetadata().getName());
            return List.of();
        }));
        try (OperatorWorld world = new OperatorWorld(operator,
                cluster -> cluster.define(ResourceTypes.of(Throwing.class)))) {
            for (String round : List.of("listed", "watched")) {
                for (int i = 0; i < ChangeFilterTest.THROWN.size(); i++) {
                    createThrowing(world, round + i, ChangeFilterTest.THROWN.get(i).getClass().getSimpleName());
                }
                createThrowing(world, round, "Nothing");
                world.settle();
                look(world);
            }
            assertThat(seen).containsExactly("listed", "watched");
            assertThat(events(world.cluster)).hasSize(2 * ChangeFilterTest.THROWN.size());
        }
    }

    @Test
    void anObjectThatIsDeletedIsForgotten() {
        Scripted operator = new Scripted(setup -> setup.name("sites"));
        try (OperatorWorld world = new OperatorWorld(operator)) {
            create(world, "blog", "three");
            world.settle();
            look(world);
            world.cluster.delete(SITES, OperatorWorld.BLOG);
            world.cluster.clock.advance(Duration.ofMinutes(2));
            world.settle();
            look(world);
            assertThat(world.controller.problems()).isEmpty();
        }
    }
}
