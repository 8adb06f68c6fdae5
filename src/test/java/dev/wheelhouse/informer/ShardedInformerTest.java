package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;

import static org.assertj.core.api.Assertions.assertThat;

/** Informers of one shard of the namespaces, on servers that know shards and on servers that do not. */
class ShardedInformerTest {
    private static final ResourceType SECRETS = new ResourceType("", "v1", "secrets", "Secret", true);
    private static final List<String> NAMESPACES = List.of("team-1", "a", "blue", "zoo", "green");

    private final Stepper stepper = new Stepper(() -> loops());
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(stepper.clock));
    private final InformerFactory process = new InformerFactory(server.client("informer"), stepper.clock,
            Meters.NONE, InformerOptions.builder().seed(1).build());
    private final ResourceClient<V1Secret> client = server.client("test").resource(SECRETS, V1Secret.class);
    private final List<CachingInformer<V1Secret>> made = new ArrayList<>();

    private List<Loop> loops() {
        List<Loop> all = new ArrayList<>(process.loops());
        made.forEach(informer -> all.addAll(informer.loops()));
        return all;
    }

    @AfterEach
    void close() {
        server.close();
    }

    @BeforeEach
    void createNamespaces() {
        NAMESPACES.forEach(namespace -> server.client("test").resource(ResourceType.NAMESPACES, V1Namespace.class)
                .create(new V1Namespace().metadata(new V1ObjectMeta().name(namespace))));
    }

    private void create(String name) {
        NAMESPACES.forEach(namespace -> client
                .create(new V1Secret().metadata(new V1ObjectMeta().namespace(namespace).name(name))));
    }

    private static TreeSet<String> keys(SharedIndexInformer<V1Secret> informer) {
        TreeSet<String> keys = new TreeSet<>();
        informer.getIndexer().list().forEach(secret -> keys.add(ObjectKey.of(secret).toString()));
        return keys;
    }

    /** A server that ignores the parameter, like those before 1.36. */
    private static final class Older extends ForwardingListerWatcher<V1Secret> {
        Older(ListerWatcher<V1Secret> source) {
            super(source);
        }

        @Override
        public ListPage<V1Secret> list(ListOptions options) throws InterruptedException {
            return super.list(new ListOptions(options.resourceVersion(), options.resourceVersionMatch(),
                    options.limit(), options.continueToken()));
        }

        @Override
        public WatchStream<V1Secret> watch(WatchOptions options) throws InterruptedException {
            return super.watch(new WatchOptions(options.resourceVersion(), options.sendInitialEvents(),
                    options.timeout()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCacheHasTheObjectsOfItsShardOnAnyServer(boolean older) {
        create("before");
        ListerWatcher<V1Secret> whole = client.listerWatcher("", LabelSelector.everything(),
                FieldSelector.everything());
        FaultySource<V1Secret> line = new FaultySource<>(older ? new Older(whole) : whole);
        ShardSelector shard = ShardSelector.ofNamespaces(0, 2);
        CachingInformer<V1Secret> informer = new CachingInformer<>(new ShardedSource<>(line, shard), V1Secret.class,
                InformerOptions.builder().seed(1).build(), stepper.clock,
                Meters.NONE);
        made.add(informer);
        stepper.settle();
        create("after");
        stepper.settle();

        assertThat(line.lists).isNotEmpty().allMatch(options -> shard.equals(options.shard()));
        assertThat(line.watches).isNotEmpty().allMatch(options -> shard.equals(options.shard()));
        assertThat(keys(informer)).isNotEmpty().isEqualTo(new TreeSet<>(NAMESPACES.stream().filter(shard::matches)
                .flatMap(namespace -> Stream.of(namespace + "/after", namespace + "/before")).toList()));

        NAMESPACES.forEach(namespace -> client.delete(ObjectKey.of(namespace, "before"), Deletion.unconditional()));
        stepper.settle();
        assertThat(keys(informer)).isNotEmpty().allMatch(key -> key.endsWith("/after"));
        line.end();
        stepper.pass(Duration.ofSeconds(5));
        assertThat(line.watches.getLast().resourceVersion()).as("events of other shards move the watch on")
                .isEqualTo(Long.toString(server.store().version()));
    }

    @Test
    void theShardsOfAProcessShareTheCachesOfClusterScopedTypes() {
        create("one");
        ShardInformers first = new ShardInformers(process, ShardSelector.ofNamespaces(0, 2));
        ShardInformers second = new ShardInformers(process, ShardSelector.ofNamespaces(1, 2));
        var secrets = first.informer(SECRETS, V1Secret.class);
        var others = second.informer(SECRETS, V1Secret.class);
        for (int i = 0; i < 50; i++) {
            Stream.of(first, second).forEach(shard -> shard.loops().forEach(Stepper::step));
        }
        assertThat(keys(secrets).size() + keys(others).size()).isEqualTo(NAMESPACES.size());
        assertThat(keys(secrets)).doesNotContainAnyElementsOf(keys(others));
        assertThat(first.informer(ResourceType.NAMESPACES, V1Namespace.class))
                .isSameAs(second.informer(ResourceType.NAMESPACES, V1Namespace.class))
                .isSameAs(process.informer(ResourceType.NAMESPACES, V1Namespace.class));
        assertThat(process.informers()).as("no cache of all secrets").hasSize(1);
        first.close();
        assertThat(process.informer(ResourceType.NAMESPACES, V1Namespace.class)).isNotNull();
    }
}
