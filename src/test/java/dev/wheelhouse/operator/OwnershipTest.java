package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.testing.OperatorSimulation;
import dev.wheelhouse.testing.SimulationReport;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;

/** Which objects an operator takes, leaves, makes once, and leaves behind. */
class OwnershipTest {
    private static final ObjectKey SETTINGS = ObjectKey.of("default", "settings");

    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld run(Consumer<Setup<Site>> declarations, Scripted.Act act) {
        Scripted operator = new Scripted(declarations);
        operator.does(act);
        running = new OperatorWorld(operator);
        return running;
    }

    private static V1ConfigMap settings(String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("settings").namespace("default"))
                .data(Map.of("k", value));
    }

    private static void createBlog(OperatorWorld world) {
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
    }

    private static String value(OperatorWorld world) {
        return world.cluster.read(ResourceType.CONFIG_MAPS, SETTINGS, V1ConfigMap.class).getData().get("k");
    }

    /** Whether or not the cache shows the object, it stays as it was, and everybody is told. */
    @Test
    void anObjectOfSomebodyElseIsNotTaken() {
        for (boolean limited : List.of(false, true)) {
            OperatorWorld world = run(setup -> setup.errorCondition("Synced").owns(V1ConfigMap.class, maps -> {
                if (limited) {
                    maps.labels("app=web");
                }
            }), (request, context) -> {
                V1ConfigMap wanted = settings("ours");
                wanted.getMetadata().putLabelsItem("app", "web");
                context.apply(wanted);
            });
            world.cluster.create(ResourceType.CONFIG_MAPS, settings("precious"));
            createBlog(world);
            world.settle();
            String refusal = "apply configmaps default/settings: 422 NotOwned: it exists, and this operator has not "
                    + "made it, so Site default/blog cannot take it: choose another name, delete it, or allow to "
                    + "overwrite and later delete it by setup.adopt(V1ConfigMap.class, …)";
            assertThat(value(world)).isEqualTo("precious");
            assertThat(world.json(SITES).at("/status/conditions/0/reason").asString()).isEqualTo("NotOwned");
            assertThat(world.json(SITES).at("/status/conditions/0/message").asString()).isEqualTo(refusal);
            assertThat(world.cluster.eventTexts()).contains("Warning NotOwned " + refusal);
            world.cluster.delete(ResourceType.CONFIG_MAPS, SETTINGS);
            world.settle(Duration.ofMinutes(1));
            assertThat(value(world)).isEqualTo("ours");
            world.close();
        }
    }

    @Test
    void anObjectThatTheCacheDoesNotShowYetIsNotOverwritten() {
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class),
                (request, context) -> context.apply(settings("ours")));
        createBlog(world);
        world.cluster.deliver();
        world.cluster.create(ResourceType.CONFIG_MAPS, settings("precious"));
        Cluster.work(world.controller.loops());
        assertThat(value(world)).isEqualTo("precious");
        world.settle();
        assertThat(value(world)).isEqualTo("precious");
    }

    @Test
    void anObjectThatMayBeAdoptedIsTaken() {
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class)
                .adopt(V1ConfigMap.class, map -> "old".equals(map.getData().get("k"))),
                (request, context) -> context.apply(settings("ours")));
        world.cluster.create(ResourceType.CONFIG_MAPS, settings("old"));
        createBlog(world);
        world.settle();
        assertThat(value(world)).isEqualTo("ours");
        assertThat(world.cluster.read(ResourceType.CONFIG_MAPS, SETTINGS, V1ConfigMap.class).getMetadata()
                .getOwnerReferences()).hasSize(1);
    }

    @Test
    void anObjectThatOutlivedItsPrimaryIsTakenBackByTheNextOne() {
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class),
                (request, context) -> context.apply(settings(request.primary().getSpec().image())));
        createBlog(world);
        world.settle();
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, SETTINGS,
                map -> map.getMetadata().setOwnerReferences(null));
        world.cluster.delete(SITES, BLOG);
        world.settle();
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: b, replicas: 1}}");
        world.settle();
        assertThat(value(world)).isEqualTo("b");
    }

    @Test
    void anObjectOfAnEarlierPrimaryOfTheSameNameIsAwaited() {
        OperatorWorld world = run(setup -> setup.errorCondition("Synced").owns(V1ConfigMap.class),
                (request, context) -> context.apply(settings(request.primary().getSpec().image())));
        createBlog(world);
        world.settle();
        world.cluster.delete(SITES, BLOG);
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: b, replicas: 1}}");
        world.settle();
        assertThat(world.cluster.eventTexts()).as("no garbage collector has been here yet").isEmpty();
        world.cluster.delete(ResourceType.CONFIG_MAPS, SETTINGS);
        world.settle();
        assertThat(value(world)).isEqualTo("b");
    }

    /** Only a primary object of the same group and namespace can be an earlier one. */
    @Test
    void anObjectOfANamesakeIsRefusedAndNotAwaited() {
        ResourceType namesakes = new ResourceType("other.example", "v1", "sites", "Site", true);
        for (ResourceType owner : List.of(namesakes, SITES)) {
            V1ConfigMap taken = settings("precious");
            taken.getMetadata().namespace("kube-public").addOwnerReferencesItem(OwnerReferences.controllerReference(
                    owner, new V1ObjectMeta().name("blog").uid("1")));
            OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class), (request, context) -> {
                V1ConfigMap wanted = settings("ours");
                wanted.getMetadata().setNamespace("kube-public");
                context.applyUnowned(wanted);
            });
            world.cluster.create(ResourceType.CONFIG_MAPS, taken);
            createBlog(world);
            world.settle();
            assertThat(world.cluster.eventTexts()).singleElement().asString().contains("NotOwned");
            world.close();
        }
        V1ConfigMap taken = settings("precious");
        taken.getMetadata().addOwnerReferencesItem(
                OwnerReferences.controllerReference(namesakes, new V1ObjectMeta().name("blog").uid("1")));
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class),
                (request, context) -> context.apply(settings("ours")));
        world.cluster.create(ResourceType.CONFIG_MAPS, taken);
        createBlog(world);
        world.settle();
        assertThat(world.cluster.eventTexts()).singleElement().asString().contains("NotOwned");
    }

    @Test
    void anUnownedObjectIsWrittenAnywhereAndStays() {
        OperatorWorld world = run(
                setup -> setup.owns(V1ConfigMap.class).watches(V1ClusterRole.class, role -> List.of()),
                (request, context) -> {
                    V1ConfigMap elsewhere = settings("shared");
                    elsewhere.getMetadata().setNamespace("kube-public");
                    Decision decision = Decision.apply().applyUnowned(elsewhere,
                            new V1ClusterRole().metadata(new V1ObjectMeta().name("settings-reader")));
                    context.execute(request.primary().getSpec().replicas() == 1 ? decision : Decision.deleteAll());
                });
        createBlog(world);
        world.settle();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("a", 0, null)));
        world.settle();
        V1ConfigMap stored = world.cluster.read(ResourceType.CONFIG_MAPS, ObjectKey.of("kube-public", "settings"),
                V1ConfigMap.class);
        assertThat(stored.getMetadata().getOwnerReferences()).isNullOrEmpty();
        assertThat(world.writes()).containsExactly("apply configmaps kube-public/settings",
                "apply clusterroles.rbac.authorization.k8s.io settings-reader");
    }

    @Test
    void anObjectThatIsMadeOnceIsOwnedPrunedAndNeverReplaced() {
        List<String> seen = new ArrayList<>();
        int[] run = new int[1];
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class), (request, context) -> {
            run[0]++;
            if (request.primary().getSpec().replicas() == 1) {
                seen.add(context.createOnce(settings("made " + run[0])).getData().get("k"));
                context.prune(List.of(settings("")));
            } else {
                context.execute(Decision.deleteAll());
            }
        });
        createBlog(world);
        world.settle();
        world.restart();
        world.settle();
        assertThat(seen).containsOnly("made 1").hasSizeGreaterThan(1);
        assertThat(world.writes()).containsExactly("create configmaps default/settings");
        world.restart();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("a", 0, null)));
        world.settle();
        assertThat(world.writes()).containsExactly("delete configmaps default/settings");
    }

    @Test
    void anObjectThatWasMadeOnceAndOutlivedItsPrimaryGetsTheNextOneAsItsOwnerAndKeepsItsValue() {
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class),
                (request, context) -> context.createOnce(settings(request.primary().getSpec().image())));
        createBlog(world);
        world.settle();
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, SETTINGS,
                map -> map.getMetadata().setOwnerReferences(null));
        world.cluster.delete(SITES, BLOG);
        world.settle();
        Site next = world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: b, replicas: 1}}");
        world.settle();
        assertThat(value(world)).isEqualTo("a");
        assertThat(world.cluster.read(ResourceType.CONFIG_MAPS, SETTINGS, V1ConfigMap.class).getMetadata()
                .getOwnerReferences()).singleElement()
                .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(next.getMetadata().getUid()));
    }

    @Test
    void whoComesLateGetsTheObjectThatAnotherProcessMadeOnce() {
        List<String> seen = new ArrayList<>();
        OperatorWorld world = run(setup -> setup.owns(V1ConfigMap.class),
                (request, context) -> seen.add(context.createOnce(settings("late")).getData().get("k")));
        createBlog(world);
        world.cluster.deliver();
        V1ConfigMap first = settings("first");
        first.getMetadata().addOwnerReferencesItem(OwnerReferences.controllerReference(SITES,
                world.cluster.read(SITES, BLOG, Site.class).getMetadata()));
        world.cluster.create(ResourceType.CONFIG_MAPS, first);
        Cluster.work(world.controller.loops());
        assertThat(seen).containsExactly("first");
    }

    /** A Secret with a password by chance, which the status repeats. */
    static class Passwords implements DecidingOperator<Site> {
        @Override
        public void setup(Setup<Site> setup) {
            setup.owns(V1Secret.class);
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            String name = site.getMetadata().getName();
            byte[] password = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
            boolean made = related.named(V1Secret.class, name).isPresent();
            return Decision.apply()
                    .createOnce(
                            new V1Secret().metadata(new V1ObjectMeta().name(name)).putDataItem("password", password))
                    .status(Site.Status.ready(made ? 1 : 0));
        }
    }

    @Test
    void theRecipeOfThePageIsThatOfThisTest() throws IOException {
        Matcher snippet = Pattern.compile("### Made once.*?```java\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/library.md")));
        assertThat(snippet.find()).isTrue();
        assertThat(Files.readString(Path.of("src/test/java/dev/wheelhouse/operator/OwnershipTest.java"))
                .replaceAll("\\s+", "")).contains(snippet.group(1).replaceAll("\\s+", ""));
    }

    @Test
    void theSimulationAcceptsChanceThatIsDeclaredAndFindsOtherChance() {
        OperatorSimulation simulation = OperatorSimulation.of(Passwords::new).crds(Site.class).seeds(1)
                .step("creates a site", user -> {
                    Site site = new Site();
                    site.getMetadata().namespace("default").name("blog");
                    site.setSpec(new Site.Spec("a", 1, null));
                    user.create(site);
                });
        SimulationReport report = simulation.explore();
        assertThat(report.findings()).singleElement().asString().contains("does not do the same in two equal runs");
        assertThat(simulation.ignoring("data.password").explore().findings()).isEmpty();
    }
}
