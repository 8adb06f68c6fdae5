package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/** Passes each failed list or watch to the official client's exception handler. The informer retries by itself. */
final class ReportingSource<T extends KubernetesObject> extends ForwardingListerWatcher<T> {
    private final Consumer<Throwable> report;

    ReportingSource(ListerWatcher<T> source, Consumer<Throwable> report) {
        super(source);
        this.report = report;
    }

    @Override
    public ListPage<T> list(ListOptions options) throws InterruptedException {
        try {
            return super.list(options);
        } catch (ApiError e) {
            report.accept(e);
            throw e;
        }
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        try {
            return new Stream(super.watch(options));
        } catch (ApiError e) {
            report.accept(e);
            throw e;
        }
    }

    private final class Stream extends ForwardingWatchStream<T> {
        Stream(WatchStream<T> stream) {
            super(stream);
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            try {
                WatchEvent<T> event = super.next(maxWait);
                if (event instanceof WatchEvent.Failed<T> failed) {
                    report.accept(failed.error());
                }
                return event;
            } catch (ApiError e) {
                report.accept(e);
                throw e;
            }
        }
    }
}
