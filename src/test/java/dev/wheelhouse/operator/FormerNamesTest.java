package dev.wheelhouse.operator;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.controller.Result;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A later version of an operator has another class, another name, other finalizers. */
@Isolated
class FormerNamesTest {
    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private static Scripted version(Consumer<Setup<Site>> declarations, V1ConfigMap... wanted) {
        return new Scripted(setup -> declarations.accept(setup.owns(V1ConfigMap.class)),
                (request, context) -> context.execute(Decision.apply(wanted)));
    }

    private static V1ConfigMap map(String name, String... keys) {
        V1ConfigMap map = new V1ConfigMap().metadata(new V1ObjectMeta().name(name));
        for (String key : keys) {
            map.putDataItem(key, "v");
        }
        return map;
    }

    private OperatorWorld first(Scripted operator) {
        OperatorWorld world = new OperatorWorld(operator);
        running = world;
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        world.settle();
        world.writes();
        return world;
    }

    private static V1ConfigMap stored(OperatorWorld world, String name) {
        return world.cluster.read(ResourceType.CONFIG_MAPS, ObjectKey.of("default", name), V1ConfigMap.class);
    }

    @Test
    void theFieldsAndObjectsOfAFormerNameAreHandedOver() {
        OperatorWorld world = first(version(setup -> setup.name("old"), map("kept", "a", "b"), map("same", "a"),
                map("gone", "a")));
        world.restart(version(setup -> setup.name("new").formerNames("older", "old"), map("kept", "a"),
                map("same", "a")));
        world.settle();
        assertThat(stored(world, "kept").getData()).containsOnlyKeys("a");
        assertThat(world.cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "gone"))).isFalse();
        assertThat(world.cluster.client().metadata(ResourceType.CONFIG_MAPS).appliers(ObjectKey.of("default", "same"))
                .entries()).extracting(Appliers.Entry::manager).containsExactly("new");
        world.writes();
        world.restart();
        world.settle();
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void aNameThatWasChangedByMistakeIsNamed() {
        OperatorWorld world = first(version(setup -> setup.name("old"), map("kept", "a")));
        try (Logged log = Logged.by(OperatorController.class.getName())) {
            world.restart(version(setup -> setup.name("new"), map("kept", "a")));
            world.settle();
            assertThat(log.lines()).containsExactly("WARN new: configmaps default/kept was applied under the name old. "
                    + "If that is an earlier name of this operator, add setup.formerNames(\"old\"), so that it can "
                    + "remove what is not wanted any more");
        }
    }

    @Test
    void aFormerFinalizerLeavesLivingAndDeletedObjects() {
        int[] cleanUps = new int[1];
        OperatorWorld world = first(version(setup -> setup.finalizer("example.com/old", (request, context) -> {
            return Result.requeue();
        })));
        world.restart(version(setup -> setup.formerFinalizers("example.com/old").finalizer("example.com/new",
                (request, context) -> {
                    cleanUps[0]++;
                    return Result.done();
                })));
        world.settle();
        assertThat(world.cluster.read(SITES, BLOG, Site.class).getMetadata().getFinalizers())
                .containsExactly("example.com/new");
        world.restart(version(setup -> setup.formerFinalizers("example.com/new")));
        world.cluster.delete(SITES, BLOG);
        world.settle();
        assertThat(world.cluster.exists(SITES, BLOG)).as("without a clean-up nothing is left to do").isFalse();
        assertThat(cleanUps[0]).isZero();
    }

    @Test
    void aFinalizerThatNoVersionRemovesIsNamed() {
        OperatorWorld world = first(version(setup -> setup.finalizer("example.com/old", (request, context) -> {
            return Result.done();
        })));
        world.restart(version(setup -> {}));
        world.cluster.delete(SITES, BLOG);
        try (Logged log = Logged.by(OperatorController.class.getName())) {
            world.settle();
            assertThat(log.lines()).containsExactly("WARN scripted: Site default/blog is being deleted, and has the "
                    + "finalizer example.com/old, which this operator does not declare. If an earlier version of it "
                    + "did, add setup.formerFinalizers(\"example.com/old\")");
        }
    }

    @Test
    void anObjectThatLeavesTheSelectionWithItsFinalizerIsNamed() {
        OperatorWorld world = first(version(setup -> setup.primary(site -> site.labels("!archived"))
                .finalizer("example.com/site", (request, context) -> Result.done())));
        try (Logged log = Logged.by(OperatorController.class.getName())) {
            world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("archived", "yes"));
            world.settle();
            assertThat(log.lines()).containsExactly("WARN scripted: Site default/blog no longer matches the selector "
                    + "of setup.primary, and has the finalizer example.com/site: it will stay when it is deleted, "
                    + "because no clean-up runs. Let it match again, or remove the finalizer");
        }
    }

    @Test
    void aFinalizerMayHaveTheDeclaredNameOfTheOperator() {
        Cleanup<Site> cleanup = (request, context) -> Result.done();
        assertThat(Declaration.of(version(setup -> setup.name("sites").finalizer(cleanup))).finalizer().name())
                .isEqualTo("example.com/sites");
        assertThatThrownBy(() -> Declaration.of(version(setup -> setup.finalizer(cleanup)))).hasMessageContaining(
                "a finalizer without a name is named by the operator: declare setup.name(…) before it");
    }

    @Test
    void aSecondFinalizerIsRefused() {
        assertThatThrownBy(() -> Declaration.of(version(setup -> setup.name("s")
                .finalizer("example.com/a", (request, context) -> Result.done())
                .finalizer("example.com/b", (request, context) -> Result.done()))))
                .hasMessage(
                        "operator s: the finalizer example.com/b is the second one: make one clean-up of both. If it "
                                + "takes the place of an earlier one, name that by setup.formerFinalizers");
    }
}
