package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.meters.Meters;
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
            }), cluster.clock, Meters.NONE, InformerOptions.builder().seed(1).watchList(false).build());
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
            public void onDelete(V1ConfigMap map, boolean finalStateUnknown) {}
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
}
