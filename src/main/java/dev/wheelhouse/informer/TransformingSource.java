package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * Transforms each object between its decoding and the cache (upstream: {@code TransformFunc} in client-go
 * {@code tools/cache/delta_fifo.go}). The function gets a copy, because decoded objects share equal parts. An object on
 * which the function fails is skipped and reported like one that cannot be decoded.
 */
final class TransformingSource<T extends KubernetesObject> extends ForwardingListerWatcher<T> {
    private final Function<ObjectKey, @Nullable T> cache;
    /** The function that trims each object in place before the transform; null for none. */
    private final @Nullable UnaryOperator<T> trim;
    private volatile @Nullable UnaryOperator<T> transform;

    TransformingSource(ListerWatcher<T> source, Function<ObjectKey, @Nullable T> cache,
            @Nullable UnaryOperator<T> trim) {
        super(source);
        this.cache = cache;
        this.trim = trim;
        this.transform = trim;
    }

    /** Sets the transform, for lists and watches that begin later. */
    void transformBy(UnaryOperator<T> function) {
        transform = object -> transformed(function, ModelJson.copy(trim == null ? object : trim.apply(object)));
    }

    private static <T extends KubernetesObject> T transformed(UnaryOperator<T> function, T object) {
        ObjectKey key = ObjectKey.of(object);
        T made;
        try {
            made = function.apply(object);
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e.toString(), e);
        }
        if (made == null || made.getMetadata() == null || !key.equals(ObjectKey.of(made))) {
            throw new IllegalStateException("it returned "
                    + (made == null ? "null" : "an object of another namespace and name"));
        }
        return made;
    }

    /** Whether there is a function beside the one that trims. */
    boolean isTransformed() {
        return transform != trim;
    }

    @Override
    public ListPage<T> list(ListOptions options) throws InterruptedException {
        ListPage<T> page = super.list(options);
        UnaryOperator<T> function = transform;
        if (function == null) {
            return page;
        }
        return page.map(function, this::failure);
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        WatchStream<T> stream = super.watch(options);
        stream.shareWith(cache);
        UnaryOperator<T> function = transform;
        return function == null ? stream : new Transformed(stream, function);
    }

    private DecodeFailure failure(T object, RuntimeException e) {
        ObjectKey key = ObjectKey.of(object);
        return new DecodeFailure(type().groupResource() + " " + key, "", "the informer's transform failed: " + e,
                key);
    }

    private final class Transformed extends ForwardingWatchStream<T> {
        private final UnaryOperator<T> function;

        Transformed(WatchStream<T> stream, UnaryOperator<T> function) {
            super(stream);
            this.function = function;
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            return switch (super.next(maxWait)) {
                case null -> null;
                case WatchEvent.Added<T> e -> changed(e.object(), WatchEvent.Added::new, false);
                case WatchEvent.Modified<T> e -> changed(e.object(), WatchEvent.Modified::new, false);
                case WatchEvent.Deleted<T> e -> changed(e.object(), WatchEvent.Deleted::new, true);
                case WatchEvent<T> e -> e;
            };
        }

        private WatchEvent<T> changed(T object, Function<T, WatchEvent<T>> event, boolean deleted) {
            try {
                return event.apply(function.apply(object));
            } catch (RuntimeException e) {
                return new WatchEvent.Undecodable<>(failure(object, e), deleted);
            }
        }
    }
}
