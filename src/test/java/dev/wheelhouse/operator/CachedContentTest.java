package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators whose caches have a part of the objects only. */
class CachedContentTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final List<Object> seen = new ArrayList<>();
    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld start(Operator<?> operator) {
        running = new OperatorWorld(operator);
        running.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1, hosts: [h]}}");
        running.settle();
        return running;
    }

    /** Reconciles the site again, after its generation has changed. @return the requests */
    private List<String> again(String image) {
        OperatorWorld world = Objects.requireNonNull(running);
        world.settle();
        world.cluster.requests.take();
        seen.clear();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec(image, 1, List.of("h"))));
        world.settle();
        return world.cluster.requests.take().stream().filter(line -> line.contains("configmaps")).toList();
    }

    private static V1ConfigMap map(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).data(Map.of("k", name));
    }

    private static Object data(V1ConfigMap map) {
        return map.getData();
    }

    @Test
    void objectsBeyondTheBoundAreReadAgainWhenTheyAreNeeded() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class, it -> it.bounded(1)));
        operator.does((request, context) -> {
            NAMES.forEach(name -> context.apply(map(name)));
            seen.add(context.related().all(V1ConfigMap.class).stream().map(CachedContentTest::data).toList());
            seen.add(context.get(V1ConfigMap.class, ObjectKey.of("default", "c")).map(CachedContentTest::data));
            seen.add(context.view().list(V1ConfigMap.class, "default", LabelSelector.everything()).stream()
                    .filter(map -> !map.getData().isEmpty()).count());
        });
        start(operator);
        List<String> requests = again("b");
        assertThat(seen).startsWith(List.of(Map.of("k", "a"), Map.of("k", "b"), Map.of("k", "c")),
                Optional.of(Map.of("k", "c")), 0L);
        assertThat(requests).allMatch(line -> line.startsWith("get configmaps"))
                .hasSizeBetween(3, 8);
    }

    @Test
    void anObjectWithinTheBoundIsReadOncePerVersion() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class, it -> it.boundedBytes(1_000_000)));
        operator.does((request, context) -> {
            context.apply(map("a"));
            seen.add(context.related().named(V1ConfigMap.class, "a").map(CachedContentTest::data));
        });
        OperatorWorld world = start(operator);
        assertThat(again("b")).isEmpty();
        assertThat(seen).contains(Optional.of(Map.of("k", "a")));
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "a"),
                map -> map.putDataItem("other", "x"));
        seen.clear();
        world.settle();
        assertThat(world.cluster.requests.take()).containsOnlyOnce("get configmaps default/a");
        assertThat(seen).contains(Optional.of(Map.of("k", "a", "other", "x")));
    }

    @Test
    void aDecisionReadsNothingThatIsAsItWas() {
        DecidingOperator<Site> metadata = new DecidingOperator<>() {
            @Override
            public void setup(Setup<Site> setup) {
                setup.name("sites").owns(V1ConfigMap.class, it -> it.metadataOnly());
            }

            @Override
            public Decision decide(Site site, Related related, Instant now) {
                return Decision.apply(map("a")).createOnce(map("once"));
            }
        };
        OperatorWorld world = start(metadata);
        assertThat(again("b")).isEmpty();
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "a"),
                map -> map.putDataItem("k", "changed"));
        world.settle();
        assertThat(world.cluster.requests.take()).satisfiesExactly(
                line -> assertThat(line).isEqualTo("get configmaps default/a"),
                line -> assertThat(line).startsWith("apply configmaps default/a"));
    }

    @Test
    void aTrimmedObjectIsNotTakenForOneThatLacksFields() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class, it -> it.trim(map -> {
            map.setData(null);
            map.getMetadata().setOwnerReferences(null);
            return map;
        })));
        operator.does((request, context) -> {
            context.apply(map("a"));
            seen.add(context.related().all(V1ConfigMap.class).stream().map(V1ConfigMap::getData)
                    .filter(Objects::nonNull).count());
        });
        OperatorWorld world = start(operator);
        assertThat(again("b")).isEmpty();
        assertThat(seen).contains(0L);
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "a"),
                map -> map.putDataItem("k", "changed"));
        world.settle();
        assertThat(world.writes()).containsExactly("apply configmaps default/a");
        world.restart();
        world.settle();
        assertThat(world.writes()).as("the managed fields are compared with the whole object").isEmpty();
    }

    @Test
    void theStatusOfATrimmedPrimaryObjectIsComparedWithTheStoredOne() {
        Scripted operator = new Scripted(setup -> setup.finalizer("example.com/own", (request, context) -> null)
                .primary(it -> it.trim(site -> {
                    site.setStatus(null);
                    site.getMetadata().setFinalizers(List.of());
                    return site;
                })));
        operator.does((request, context) -> {
            seen.add(request.primary().getStatus() == null);
            context.status(Site.Status.ready(7));
            context.condition("Ready", true, "Ready", "");
        });
        OperatorWorld world = start(operator);
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().addFinalizersItem("example.com/other"));
        world.settle();
        world.writes();
        again("b");
        assertThat(seen).containsOnly(true);
        assertThat(world.writes()).isEmpty();
        Site site = world.cluster.read(SITES, BLOG, Site.class);
        assertThat(site.getMetadata().getFinalizers()).containsExactly("example.com/own", "example.com/other");
        assertThat(Objects.requireNonNull(site.getStatus()).conditions).hasSize(1);
    }

    @Test
    void aPrimaryObjectWhoseMetadataIsCachedIsReadForItsReconciliation() {
        Scripted operator = new Scripted(setup -> setup.primary(it -> it.metadataOnly()));
        operator.does((request, context) -> {
            seen.add(String.valueOf(Objects.requireNonNull(request.primary().getSpec()).image()));
            context.status(Site.Status.ready(1));
        });
        OperatorWorld world = start(operator);
        again("b");
        assertThat(seen).contains("b");
        seen.clear();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("c", 1, List.of("h"))));
        world.settle();
        assertThat(world.cluster.requests.take().stream().filter(line -> line.startsWith("get sites")))
                .as("one read for each run").hasSameSizeAs(seen);
        world.cluster.delete(SITES, BLOG);
        world.settle();
        assertThat(world.cluster.exists(SITES, BLOG)).isFalse();
    }

    @Test
    void objectsWithoutAClassAndWithoutANamespaceAreReadToo() {
        Scripted operator = new Scripted(setup -> setup
                .watches(ResourceType.CONFIG_MAPS, map -> List.of(BLOG), it -> it.labels("ours").metadataOnly())
                .watches(V1Node.class, node -> List.of(BLOG), it -> it.metadataOnly()));
        operator.does((request, context) -> {
            context.get(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "x"))
                    .ifPresent(map -> seen.add(map.get("data", "k")));
            context.list(V1Node.class, "", LabelSelector.everything())
                    .forEach(node -> seen.add(Objects.requireNonNull(node.getSpec()).getPodCIDR()));
        });
        OperatorWorld world = start(operator);
        world.cluster.create(ResourceType.CONFIG_MAPS, Unstructured.class,
                "{metadata: {name: x, namespace: default, labels: {ours: ''}}, data: {k: v}}");
        world.cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: n}, spec: {podCIDR: 10.0.0.0/24}}");
        world.settle();
        assertThat(seen).contains("v", "10.0.0.0/24");
    }

    @Test
    void aViewIsOfTheCachedObjectsThemselves() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            context.apply(map("a"));
            if (!context.related().all(V1ConfigMap.class).isEmpty()) {
                seen.add(context.related().view().all(V1ConfigMap.class).getFirst() == context.view()
                        .get(V1ConfigMap.class, ObjectKey.of("default", "a")).orElseThrow());
                seen.add(context.related().all(V1ConfigMap.class).getFirst() != context.related().view()
                        .named(V1ConfigMap.class, "a").orElseThrow());
            }
        });
        start(operator);
        again("b");
        assertThat(seen).isNotEmpty().containsOnly(true);
    }

    @Test
    void operatorsWithDifferentContentDoNotShareAnInformer() {
        Scripted whole = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        OperatorWorld world = start(whole);
        int before = world.cluster.informers().informers().size();
        Map<String, Consumer<Watched<V1ConfigMap>>> others = Map.of("trims", it -> it.trim(map -> map), "bounds",
                it -> it.bounded(3), "less", it -> it.bounded(1));
        others.forEach((name, limits) -> assertThat(
                Operators.descriptor(new Scripted(setup -> setup.name(name).owns(V1ConfigMap.class, limits))).factory()
                        .apply(world.cluster.context()).informers())
                .hasSize(2));
        assertThat(world.cluster.informers().informers()).as("those with the metadata share one").hasSize(before + 2);
    }

    @Test
    void boundsThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> Declaration.of(new Scripted(setup -> setup.owns(V1ConfigMap.class,
                it -> it.bounded(-1))))).hasMessageContaining("the bound -1 of configmaps is negative");
        assertThatThrownBy(() -> Declaration.of(new Scripted(setup -> setup.watchesMetadata(ResourceType.CONFIG_MAPS,
                (PartialObjectMetadata map) -> List.of(), it -> it.bounded(1)))))
                .hasMessageContaining("bound it by its class or its type");
    }
}
