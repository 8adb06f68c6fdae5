package dev.wheelhouse.fake;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.fake.FakeCluster.Change;
import dev.wheelhouse.fake.FakeCluster.Request;

/** Lists and watches the selected objects of a {@link FakeCluster}. A watch never waits. */
record FakeListerWatcher<T extends KubernetesObject>(FakeCluster cluster, FakeResourceClient<T> client,
        String namespace,
        LabelSelector labels, FieldSelector fields) implements ListerWatcher<T> {
    @Override
    public ResourceType type() {
        return client.type();
    }

    @Override
    public ListPage<T> list(ListOptions options) {
        return client.list(namespace, labels, fields, options);
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) {
        return cluster.call(new Request("watch", type(), "", new ObjectKey(namespace, "*"), ""),
                () -> new Stream(Long.parseLong(options.resourceVersion())));
    }

    boolean selects(@Nullable JsonNode object) {
        if (object == null) {
            return false;
        }
        JsonNode meta = object.path("metadata");
        return (namespace.isEmpty() || namespace.equals(meta.path("namespace").asString("")))
                && labels.matches(labelsOf(meta))
                && fields.matches(field -> object.at("/" + field.replace('.', '/')).asString(""));
    }

    private static Map<String, String> labelsOf(JsonNode meta) {
        Map<String, String> labels = new HashMap<>();
        meta.path("labels").forEachEntry((name, value) -> labels.put(name, value.asString()));
        return labels;
    }

    private final class Stream implements WatchStream<T> {
        private long seen;
        private boolean closed;

        Stream(long after) {
            seen = after;
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) {
            for (Change change : cluster.changesAfter(seen)) {
                seen = change.version();
                boolean was = selects(change.before());
                if (!change.type().equals(type())) {
                    continue;
                }
                if (change.after() != null && selects(change.after())) {
                    T object = client.typed(change.after());
                    return was ? new WatchEvent.Modified<>(object) : new WatchEvent.Added<>(object);
                }
                if (change.before() != null && was) {
                    return new WatchEvent.Deleted<>(client.typed(change.before()));
                }
            }
            return null;
        }

        @Override
        public boolean isEnded() {
            return closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
