package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * The objects of another source that are in one shard of the namespaces. It requests only the shard from the API server
 * (KEP-5866). A server that does not know shards sends all objects; this source drops those of other shards.
 */
final class ShardedSource<T extends KubernetesObject> extends ForwardingListerWatcher<T> {
    private final ShardSelector shard;

    ShardedSource(ListerWatcher<T> source, ShardSelector shard) {
        super(source);
        this.shard = shard;
    }

    @Override
    public String selector() {
        return super.selector().isEmpty() ? shard.toString() : super.selector() + "; " + shard;
    }

    private boolean holds(T object) {
        String namespace = object.getMetadata().getNamespace();
        return shard.matches(namespace == null ? "" : namespace);
    }

    @Override
    public ListPage<T> list(ListOptions options) throws InterruptedException {
        ListPage<T> page = super.list(options.of(shard));
        List<T> held = page.items().stream().filter(this::holds).toList();
        return held.size() == page.items().size()
                ? page
                : new ListPage<>(held, page.resourceVersion(), page.continueToken(), page.skipped(), page.bytes());
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        return new ForwardingWatchStream<>(super.watch(options.of(shard))) {
            @Override
            public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
                return switch (super.next(maxWait)) {
                    case null -> null;
                    case WatchEvent.Added<T> e -> held(e, e.object());
                    case WatchEvent.Modified<T> e -> held(e, e.object());
                    case WatchEvent.Deleted<T> e -> held(e, e.object());
                    case WatchEvent<T> e -> e;
                };
            }
        };
    }

    /** The event. For an object of another shard only its version, so that the next watch begins after it. */
    private WatchEvent<T> held(WatchEvent<T> event, T object) {
        String version = object.getMetadata().getResourceVersion();
        return holds(object) ? event : new WatchEvent.Bookmark<>(version == null ? "" : version, false);
    }
}
