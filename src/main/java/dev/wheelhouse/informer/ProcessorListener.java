package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.journal.Cause;
import dev.wheelhouse.journal.CurrentEvent;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.Signal;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The queue between the informer loop and one handler (upstream: {@code processorListener} in client-go
 * {@code tools/cache/shared_informer.go}). {@link #add} appends to the pending notifications, {@link #pop} takes the
 * next one, and {@link #run} calls the handler. A slow handler delays only itself. A handler that throws misses that
 * notification only.
 */
final class ProcessorListener<T extends KubernetesObject> extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(ProcessorListener.class);

    private final ResourceEventHandler<? super T> handler;
    private final String name;
    private final ResourceType type;
    private final SyncTracker tracker;
    private final Clock clock;
    private final InformerMeters meters;
    private final PendingNotifications<T> pendingNotifications;
    private final HandlerStats stats = new HandlerStats();
    private final LogBudget budget;
    private final long resyncNanos;
    private long nextResync;
    private boolean resyncing;

    private List<Notification<T>> current = List.of();
    private int taken;
    /** The notification that the handler is called for, for {@link CurrentEvent}. */
    private @Nullable Notification<T> told;
    private final Supplier<Cause> causes = this::cause;

    /**
     * @param resyncPeriod the time between two resyncs; zero for none
     * @param signal the signal of the thread that runs this listener
     */
    ProcessorListener(ResourceType type, ResourceEventHandler<? super T> handler, Duration resyncPeriod,
            int pendingBound, SyncTracker tracker, Signal signal, Clock clock, InformerMeters meters) {
        super(signal);
        this.type = type;
        this.handler = handler;
        this.name = handler.name();
        this.tracker = tracker;
        this.clock = clock;
        this.meters = meters;
        this.pendingNotifications = new PendingNotifications<>(pendingBound);
        this.resyncNanos = Durations.saturatedNanos(resyncPeriod);
        this.nextResync = clock.deadline(resyncPeriod);
        this.budget = new LogBudget(clock);
    }

    /** The handler's name in metrics, logs and thread names. */
    String name() {
        return name;
    }

    SyncTracker tracker() {
        return tracker;
    }

    InformerState.Handler state() {
        return stats.state(name, tracker.hasSynced(), pending());
    }

    /** Appends notifications. The caller holds the informer's lock. */
    void add(List<Notification<T>> notifications) {
        if (isClosed() || notifications.isEmpty()) {
            return;
        }
        synchronized (pendingNotifications) {
            for (int i = 0; i < notifications.size(); i++) {
                Notification<T> notification = notifications.get(i);
                if (pendingNotifications.add(notification)) {
                    stats.conflated();
                    meters.conflated();
                } else if (notification instanceof Notification.Add<T> add && add.initial()) {
                    tracker.start();
                }
            }
        }
        wake();
    }

    @Override
    public long step() {
        Notification<T> notification = pop();
        if (notification == null) {
            return IDLE;
        }
        run(notification);
        return taken < current.size() || pending() > 0 ? BUSY : IDLE;
    }

    private @Nullable Notification<T> pop() {
        if (isClosed()) {
            current = List.of();
            taken = 0;
            return null;
        }
        if (taken == current.size()) {
            taken = 0;
            synchronized (pendingNotifications) {
                current = pendingNotifications.size() == 0 ? List.of() : pendingNotifications.takeAll();
            }
            if (current.isEmpty()) {
                return null;
            }
        }
        Notification<T> next = current.get(taken++);
        if (taken == current.size()) {
            current = List.of();
            taken = 0;
        }
        return next;
    }

    private void run(Notification<T> notification) {
        long began = clock.nanoTime();
        boolean failed = true;
        told = notification;
        CurrentEvent telling = CurrentEvent.begin(causes);
        try {
            notification.deliver(handler);
            failed = false;
        } catch (Throwable e) {
            budget.error(log, "the handler " + name + " failed on " + describe(notification)
                    + ": it misses this notification and gets the next ones", e);
        } finally {
            telling.end();
            told = null;
            if (notification instanceof Notification.Add<T> add && add.initial()) {
                tracker.finished();
            }
            long took = clock.nanoTime() - began;
            stats.handled(took, failed);
            meters.handled(took, failed);
        }
    }

    private Cause cause() {
        return switch (Objects.requireNonNull(told)) {
            case Notification.Add<T> add -> Cause.event("add", type, add.object().getMetadata());
            case Notification.Update<T> update -> Cause.event("update", type, update.after().getMetadata());
            case Notification.Delete<T> delete -> Cause.event("delete", type, delete.object().getMetadata());
        };
    }

    private static <T extends KubernetesObject> String describe(Notification<T> notification) {
        return switch (notification) {
            case Notification.Add<T> add -> "the add of " + describe(add.object());
            case Notification.Update<T> update -> "the update of " + describe(update.after());
            case Notification.Delete<T> delete -> "the delete of " + describe(delete.object());
        };
    }

    private static String describe(KubernetesObject object) {
        var meta = object.getMetadata();
        return object.getKind() + " " + (meta.getNamespace() == null ? "" : meta.getNamespace() + "/") + meta.getName();
    }

    /** The number of notifications in the buffer; those that the listener has already taken do not count. */
    int pending() {
        synchronized (pendingNotifications) {
            return pendingNotifications.size();
        }
    }

    // ---- resync; only the informer loop calls these methods

    /** The nanoseconds until the next resync; {@link #IDLE} if there is none. */
    long untilResync(long now) {
        return resyncNanos == 0 || isClosed() ? IDLE : Math.max(0, nextResync - now);
    }

    /** Marks this listener for the resync that the caller queues next, if its resync is due. */
    boolean beginResync(long now) {
        if (untilResync(now) > 0) {
            return false;
        }
        nextResync = now + resyncNanos;
        resyncing = true;
        return true;
    }

    /** Whether this listener was marked for a resync; clears the mark. */
    boolean takeResync() {
        boolean was = resyncing;
        resyncing = false;
        return was;
    }

    @Override
    public String toString() {
        return "listener " + name;
    }
}
