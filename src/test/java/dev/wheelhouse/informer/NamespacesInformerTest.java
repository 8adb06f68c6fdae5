package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** An informer of two namespaces, of which the server may forbid one. */
@Isolated
class NamespacesInformerTest {
    private final Cluster cluster = new Cluster();
    private final Set<String> forbidden = new HashSet<>();
    private final List<String> told = new ArrayList<>();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final InformerFactory factory = new InformerFactory(
            new InterceptedClient(cluster.server.client("informers"), new Interceptor() {
                @Override
                public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options,
                        Supplier<ListPage<T>> call) {
                    if (forbidden.stream().anyMatch(namespace -> scope.contains(" " + namespace + " "))) {
                        throw new KubeApiException("list " + type, 403, "Forbidden", "forbidden", null);
                    }
                    return call.get();
                }
            }), cluster.clock, registry, InformerOptions.builder().seed(1).watchList(false).build());
    private final SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS,
            V1ConfigMap.class, Set.of("default", "kube-public"), LabelSelector.everything(),
            FieldSelector.everything());

    @BeforeEach
    void listen() {
        for (String namespace : List.of("default", "kube-public")) {
            cluster.create(ResourceType.CONFIG_MAPS,
                    new V1ConfigMap().metadata(new V1ObjectMeta().namespace(namespace).name("of-" + namespace)));
        }
        SharedIndexInformer.Registration handler = informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap map, boolean initial) {
                told.add("added " + map.getMetadata().getName());
            }

            @Override
            public void onUpdate(V1ConfigMap before, V1ConfigMap after) {}

            @Override
            public void onDelete(V1ConfigMap map, boolean finalStateUnknown) {
                told.add("deleted " + map.getMetadata().getName());
            }
        });
        informer.whenSynced(() -> told.add("synced"));
        informer.whenFresh(cluster.clock.nanoTime(), () -> told.add("fresh"));
        handler.whenSynced(() -> told.add("handled " + handler.hasSynced()));
    }

    @AfterEach
    void close() {
        factory.close();
        cluster.close();
    }

    private List<String> settle(Duration time) throws InterruptedException {
        cluster.clock.advance(time);
        for (boolean any = true; any;) {
            any = false;
            for (Loop loop : factory.loops()) {
                any |= loop.step() == Loop.BUSY;
            }
        }
        List<String> since = List.copyOf(told);
        told.clear();
        return since;
    }

    @Test
    void oneThatIsForbiddenDoesNotStopTheOtherIsNamedAndTriedAgain() throws Exception {
        forbidden.add("kube-public");
        try (Logged log = Logged.by(Reflector.class.getName())) {
            assertThat(settle(Duration.ZERO)).contains("added of-default", "synced", "fresh", "handled true")
                    .doesNotContain("added of-kube-public");
            assertThat(log.lines()).containsExactly("WARN reflector of configmaps in kube-public: list configmaps: 403 "
                    + "Forbidden: forbidden - missing permission: verb list on resource configmaps of API group \"\" "
                    + "in namespace kube-public; grant it with a Role and its binding");
        }
        assertThat(informer.hasSynced()).isTrue();
        assertThat(informer.resourceVersion()).isNotEmpty();
        forbidden.clear();
        assertThat(settle(Duration.ofMinutes(2))).contains("added of-kube-public").doesNotContain("synced");
        assertThat(informer.getIndexer().list("kube-public")).isNotEmpty();
    }

    @Test
    void ifAllAreForbiddenNothingBeginsBeforeOneIsAllowed() throws Exception {
        forbidden.addAll(Set.of("default", "kube-public"));
        assertThat(settle(Duration.ZERO)).isEmpty();
        assertThat(informer.hasSynced()).isFalse();
        forbidden.remove("default");
        assertThat(settle(Duration.ofMinutes(2))).contains("synced", "handled true");
    }

    @Test
    void ifNoneIsForbiddenAllAreAwaited() throws Exception {
        assertThat(settle(Duration.ZERO)).contains("added of-default", "added of-kube-public", "synced");
    }

    // ---- namespaces that come and go

    private <T extends KubernetesObject> SharedIndexInformer<T> following(NamespaceSet set, ResourceType type,
            Class<T> model) {
        return factory.informer(
                new CachedCollection<>(type, model, "", LabelSelector.everything(), FieldSelector.everything()), set);
    }

    @Test
    void aNamespaceOpensWhenAllItsCachesAreThereAndOneThatIsForbiddenStopsNoOther() throws Exception {
        NamespaceSet set = new NamespaceSet();
        SharedIndexInformer<V1Secret> first = following(set, ResourceType.SECRETS, V1Secret.class);
        SharedIndexInformer<V1ConfigMap> second = following(set, ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        assertThat(second.hasSynced()).as("there is nothing to wait for").isTrue();
        List<String> calls = new ArrayList<>();
        second.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap map, boolean initial) {
                calls.add("added " + map.getMetadata().getName());
            }

            @Override
            public void onUpdate(V1ConfigMap before, V1ConfigMap after) {}

            @Override
            public void onDelete(V1ConfigMap map, boolean finalStateUnknown) {
                calls.add("deleted " + map.getMetadata().getName());
            }
        });
        second.getIndexer().addIndex("name", map -> List.of(map.getMetadata().getName()));
        forbidden.add("kube-public");
        Set<String> both = Set.of("default", "kube-public");
        assertThat(set.change(both, cluster.clock.nanoTime(), () -> {})).isTrue();
        settle(Duration.ZERO);
        assertThat(second.getIndexer().list()).as("not open yet").isEmpty();
        assertThat(set.change(both, cluster.clock.nanoTime(), () -> {})).isTrue();
        assertThat(set.open()).containsOnlyKeys("default");
        assertThat(set.opening()).as("the forbidden one is not awaited").isEmpty();
        settle(Duration.ZERO);
        assertThat(calls).contains("added of-default").doesNotContain("added of-kube-public");
        assertThat(second.getIndexer().byIndex("name", "of-default")).hasSize(1);
        forbidden.clear();
        settle(Duration.ofMinutes(2));
        set.change(both, cluster.clock.nanoTime(), () -> {});
        settle(Duration.ZERO);
        assertThat(calls).contains("added of-kube-public");
        assertThat(second.getIndexer().byIndex("name", "of-kube-public")).hasSize(1);
        Object mark = set.open().get("kube-public");
        set.change(Set.of("default"), cluster.clock.nanoTime(), () -> {});
        assertThat(calls).contains("deleted of-kube-public").doesNotContain("deleted of-default");
        assertThat(second.getIndexer().list("kube-public")).isEmpty();
        assertThat((Object) second.of("kube-public")).isNull();
        assertThat(first.resourceVersion()).isNotEmpty();
        set.change(both, cluster.clock.nanoTime(), () -> {});
        settle(Duration.ZERO);
        set.change(both, cluster.clock.nanoTime(), () -> {});
        assertThat(set.open().get("kube-public")).isNotNull().isNotSameAs(mark);
    }

    /** A thousand lists and watches at the same moment would be refused, and starve the process's own Lease. */
    @Test
    void ofManyNamespacesSomeOpenAtATime() throws Exception {
        settle(Duration.ZERO);
        NamespaceSet set = new NamespaceSet();
        following(set, ResourceType.SECRETS, V1Secret.class);
        Set<String> many = IntStream.range(0, 35).mapToObj(i -> "n" + i).collect(Collectors.toSet());
        for (int i = 0; i < 10 && set.open().size() < 35; i++) {
            set.change(many, cluster.clock.nanoTime(), () -> {});
            assertThat(set.opening()).hasSizeLessThanOrEqualTo(NamespaceSet.MOST_OPENING);
            assertThat(set.isComplete()).isEqualTo(set.open().size() + set.opening().size() == 35);
            settle(Duration.ZERO);
        }
        assertThat(set.open()).hasSize(35);
    }

    @Test
    void whatANamespaceHadEndsWithItUnlessOthersUseIt() throws Exception {
        settle(Duration.ZERO);
        NamespaceSet set = new NamespaceSet();
        SharedIndexInformer<V1ConfigMap> changing = following(set, ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        following(set, ResourceType.SECRETS, V1Secret.class);
        int informers = factory.informers().size();
        Set<String> meters = meters();
        Set<String> three = Set.of("default", "kube-public", "kube-system");
        for (int i = 0; i < 3; i++) {
            set.change(three, cluster.clock.nanoTime(), () -> {});
            settle(Duration.ZERO);
            set.change(three, cluster.clock.nanoTime(), () -> {});
            assertThat(factory.informers()).as("ConfigMaps of two namespaces are shared").hasSize(informers + 4);
            assertThat(meters()).anyMatch(id -> id.contains("kube-system"));
            set.change(Set.of(), cluster.clock.nanoTime(), () -> {});
            assertThat(factory.informers()).hasSize(informers);
            assertThat(meters()).isEqualTo(meters);
        }
        cluster.create(ResourceType.CONFIG_MAPS,
                new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("late")));
        assertThat(settle(Duration.ZERO)).as("the other user's goes on").containsExactly("added late");
        set.change(three, cluster.clock.nanoTime(), () -> {});
        factory.stop(changing);
        assertThat(factory.informers()).as("the Secrets of three namespaces are still there").hasSize(informers + 3);
    }

    private Set<String> meters() {
        return registry.getMeters().stream().map(meter -> meter.getId().toString()).collect(Collectors.toSet());
    }
}
