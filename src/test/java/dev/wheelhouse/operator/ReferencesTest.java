package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;

/** Objects that primary objects name, and mappings that look around. */
class ReferencesTest {
    private final List<String> seen = new ArrayList<>();
    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    /** Sites name ConfigMaps by their hosts: in their own namespace, or elsewhere as namespace/name. */
    private OperatorWorld sitesWithSettings() {
        Scripted operator = new Scripted(setup -> setup.references(V1ConfigMap.class,
                site -> Objects.requireNonNull(site.getSpec().hosts()).stream().map(ObjectKey::parse).toList()));
        operator.does((request, context) -> {
            seen.add(request.key().name() + " " + context.related().all(V1ConfigMap.class).stream()
                    .map(map -> ObjectKey.of(map) + "=" + map.getData().get("k")).toList());
        });
        running = new OperatorWorld(operator);
        return running;
    }

    private List<String> takeSeen() {
        List<String> taken = List.copyOf(seen);
        seen.clear();
        return taken;
    }

    private static void site(OperatorWorld world, String name, String hosts) {
        world.createSite("{metadata: {name: %s, namespace: default}, spec: {image: a, replicas: 1, hosts: %s}}"
                .formatted(name, hosts));
        world.settle();
    }

    private static V1ConfigMap map(String namespace, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("settings").namespace(namespace))
                .data(Map.of("k", value));
    }

    @Test
    void aChangeOfAnObjectReconcilesThosePrimaryObjectsThatNameItAlsoInOtherNamespaces() {
        OperatorWorld world = sitesWithSettings();
        site(world, "blog", "[settings, kube-public/settings]");
        site(world, "shop", "[settings]");
        site(world, "none", "[]");
        takeSeen();
        world.cluster.create(ResourceType.CONFIG_MAPS, map("kube-public", "1"));
        world.settle();
        assertThat(takeSeen()).containsExactly("blog [kube-public/settings=1]");
        world.cluster.create(ResourceType.CONFIG_MAPS, map("default", "1"));
        world.settle();
        assertThat(takeSeen()).containsExactlyInAnyOrder("blog [default/settings=1, kube-public/settings=1]",
                "shop [default/settings=1]");
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("a", 1, List.of("settings"))));
        world.settle();
        takeSeen();
        world.cluster.delete(ResourceType.CONFIG_MAPS, ObjectKey.of("kube-public", "settings"));
        world.settle();
        assertThat(takeSeen()).as("nobody names it any more").isEmpty();
        world.cluster.delete(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "settings"));
        world.settle();
        assertThat(takeSeen()).containsExactlyInAnyOrder("blog []", "shop []");
    }

    @Test
    void aPrimaryObjectForWhichTheFunctionThrowsNamesNothing() {
        OperatorWorld world = sitesWithSettings();
        world.cluster.create(ResourceType.CONFIG_MAPS, map("default", "1"));
        site(world, "bad", "null");
        site(world, "good", "[settings]");
        assertThat(takeSeen()).containsExactly("bad []", "good [default/settings=1]");
    }

    @Test
    void anObjectOfAnotherNamespaceIsFoundByItsKey() {
        V1ConfigMap here = map("default", "1");
        V1ConfigMap there = map("kube-public", "2");
        Related related = Related.of(here, there);
        assertThat(related.named(V1ConfigMap.class, ObjectKey.of("kube-public", "settings"))).contains(there);
        assertThat(related.named(V1ConfigMap.class, ObjectKey.of("kube-system", "settings"))).isEmpty();
    }

    @Test
    void aMappingReadsTheCaches() {
        List<String> problems = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.watches(V1Node.class,
                (node, caches) -> caches.list(Site.class, "", LabelSelector.everything()).stream()
                        .filter(site -> site.getSpec().image().equals(node.getMetadata().getName())).map(ObjectKey::of)
                        .toList()));
        operator.does((request, context) -> {
            try {
                context.related().all(V1Node.class);
            } catch (IllegalArgumentException e) {
                problems.add(e.getMessage());
            }
        });
        running = new OperatorWorld(operator);
        OperatorWorld world = running;
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: north, replicas: 1}}");
        world.createSite("{metadata: {name: shop, namespace: default}, spec: {image: south, replicas: 1}}");
        world.settle();
        operator.takeCalls();
        world.cluster.create(ResourceType.NODES, new V1Node().metadata(new V1ObjectMeta().name("south")));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("shop");
        assertThat(problems).contains("operator scripted maps V1Node by its caches, so it is not known which of them "
                + "belong to one primary object: read them by the Context, or declare setup.references");
    }

    @Test
    void aNamespaceInTheKeyOfAnObjectThatHasNoneIsIgnored() {
        Scripted operator = new Scripted(setup -> setup.watches(V1Node.class, node -> List.of(BLOG)));
        operator.does((request, context) -> seen.add(context.get(V1Node.class, ObjectKey.of("default", "n1"))
                .map(ObjectKey::of) + " " + context.list(V1Node.class, "default", LabelSelector.everything()).size()));
        running = new OperatorWorld(operator);
        site(running, "blog", "[]");
        running.cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: n1}}");
        running.settle();
        assertThat(seen.getLast()).isEqualTo("Optional[n1] 1");
    }
}
