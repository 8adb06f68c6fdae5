package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.runtime.Loop;

/**
 * An informer of one namespace's config maps on an embedded API server, all on one thread. The test steps the loops and
 * moves the clock of both sides. No call waits.
 */
final class SteppedInformer implements AutoCloseable {
    static final String NAMESPACE = "default";
    /** Excludes the config map that every namespace gets automatically. */
    private static final FieldSelector OURS = FieldSelector.parse("metadata.name!=kube-root-ca.crt");

    final Stepper stepper = new Stepper(this::loops);
    final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(stepper.clock));
    final Faults faults = server.faults();
    final ResourceClient<V1ConfigMap> client = server.client("test").resource(ResourceType.CONFIG_MAPS,
            V1ConfigMap.class);
    final FaultySource<V1ConfigMap> source = new FaultySource<>(configMapsOf(server));
    final Told told = new Told();
    final MeterRegistry registry = new SimpleMeterRegistry();
    final CachingInformer<V1ConfigMap> informer;

    SteppedInformer(InformerOptions options) {
        informer = new CachingInformer<>(source, V1ConfigMap.class, options.toBuilder().seed(1).build(), stepper.clock,
                registry);
    }

    /** With the service's options, except that the first list may come from the server's cache. */
    SteppedInformer() {
        this(InformerOptions.builder().freshStart(false).watchList(false).build());
    }

    static ListerWatcher<V1ConfigMap> configMapsOf(ApiServer server) {
        return server.client("informer").resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .listerWatcher(NAMESPACE, LabelSelector.everything(), OURS);
    }

    private List<Loop> loops() {
        return informer.loops();
    }

    static ObjectKey key(String name) {
        return ObjectKey.of(NAMESPACE, name);
    }

    static V1ConfigMap configMap(String name, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace(NAMESPACE).name(name)).putDataItem("v", value);
    }

    V1ConfigMap create(String name, String value) {
        return client.create(configMap(name, value));
    }

    V1ConfigMap update(String name, String value) {
        return client.update(client.get(key(name)).putDataItem("v", value));
    }

    /** The server's version. */
    String version() {
        return Long.toString(server.store().version());
    }

    void delete(String name) {
        client.delete(key(name), Deletion.unconditional());
    }

    void settle() {
        stepper.settle();
    }

    void pass(Duration time) {
        stepper.pass(time);
    }

    /** The content of the cache, such as {@code "a=1"}. */
    List<String> cached() {
        return informer.getIndexer().list().stream().map(SteppedInformer::describe).sorted().toList();
    }

    /** The content of the server. */
    List<String> served() {
        return client.list(NAMESPACE, LabelSelector.everything(), OURS, ListOptions.consistent(0)).items().stream()
                .map(SteppedInformer::describe).sorted().toList();
    }

    static String describe(V1ConfigMap object) {
        return object.getMetadata().getName() + "=" + (object.getData() == null ? "" : object.getData().get("v"));
    }

    /** The causes of lists after the first, in alphabetical order. */
    List<String> relists() {
        return Counts.of(registry, "reflector.relists", "cause");
    }

    /** The causes of the ends of watches, in alphabetical order. */
    List<String> watchEnds() {
        return Counts.of(registry, "reflector.watch.duration", "cause");
    }

    @Override
    public void close() {
        informer.close();
        server.close();
    }

    /** A handler that records its calls as {@code "+a=1 initial"}, {@code "a=1>a=2"}, {@code "-a=2 unknown"}. */
    static final class Told implements ResourceEventHandler<V1ConfigMap> {
        private final List<String> calls = new ArrayList<>();

        @Override
        public void onAdd(V1ConfigMap object, boolean initial) {
            calls.add("+" + describe(object) + (initial ? " initial" : ""));
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
            calls.add(describe(before) + ">" + describe(after));
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            calls.add("-" + describe(object) + (finalStateUnknown ? " unknown" : ""));
        }

        /** The calls since the last call of this method. */
        List<String> calls() {
            List<String> all = List.copyOf(calls);
            calls.clear();
            return all;
        }
    }
}
