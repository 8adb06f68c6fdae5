package dev.wheelhouse.controller;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.runtime.Clock;

/**
 * The times at which a loop reads discovery: every 30 s, as upstream's garbage collector does, and soon after a
 * CustomResourceDefinition was created, changed or deleted. Thread safe.
 */
public final class DiscoverySchedule implements ResourceEventHandler<PartialObjectMetadata> {
    /** The usual time between two reads. */
    public static final Duration PERIOD = Duration.ofSeconds(30);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    /**
     * The delays after a change of a CustomResourceDefinition. Discovery is read several times, because it lags behind.
     */
    private static final List<Duration> AFTER_CHANGE = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2),
            Duration.ofSeconds(4), Duration.ofSeconds(8));

    /** A definition of this age may be missing in discovery. */
    private static final Duration LAG = Duration.ofSeconds(10);

    private final Clock clock;
    private final Runnable wake;
    private boolean begun;
    private long next;
    private int asked = AFTER_CHANGE.size();

    /** @param wake wakes the loop, because the next read is due earlier than the loop knows */
    public DiscoverySchedule(Clock clock, Runnable wake) {
        this.clock = clock;
        this.wake = wake;
    }

    /** The nanoseconds until the next read; 0 or less if it is due. The first read is due at once. */
    public synchronized long untilNext() {
        return begun ? next - clock.nanoTime() : 0;
    }

    /**
     * Ends a read, and sets the time of the next one. A definition that changed during the read shortens the delay.
     *
     * @param period the delay if the read succeeded and no definition has changed
     */
    public synchronized Duration ended(boolean succeeded, Duration period) {
        begun = true;
        Duration pause = !succeeded
                ? AFTER_FAILURE
                : asked < AFTER_CHANGE.size() ? AFTER_CHANGE.get(asked++) : period;
        next = clock.deadline(pause);
        return pause;
    }

    /** Makes the next reads earlier, because a definition has changed. */
    public void soon() {
        synchronized (this) {
            asked = 1;
            long soon = clock.deadline(AFTER_CHANGE.getFirst());
            next = soon - next < 0 ? soon : next;
        }
        wake.run();
    }

    @Override
    public void onAdd(PartialObjectMetadata definition, boolean initial) {
        OffsetDateTime created = definition.getMetadata().getCreationTimestamp();
        if (!initial || created != null && created.toInstant().plus(LAG).isAfter(clock.now())) {
            soon();
        }
    }

    @Override
    public void onUpdate(PartialObjectMetadata before, PartialObjectMetadata after) {
        if (!Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
            soon();
        }
    }

    @Override
    public void onDelete(PartialObjectMetadata definition, boolean finalStateUnknown) {
        soon();
    }
}
