package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.controller.DiscoverySchedule;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Follows which of the types that controllers require are served. All controllers share one look at discovery. The look
 * is repeated soon after a CustomResourceDefinition has changed, if this process may watch definitions, and every ten
 * seconds otherwise. While all types are served and definitions are watched, five minutes pass between two looks. A
 * type of an API group whose discovery fails stays as it was. One thread steps it; any thread may ask.
 */
final class ServedTypes extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(ServedTypes.class);
    private static final Duration WITHOUT_WATCH = Duration.ofSeconds(10);
    private static final Duration WHILE_ALL_ARE_SERVED = Duration.ofMinutes(5);

    private final KubeClient client;
    private final SharedInformerFactory informers;
    private final Set<ResourceType> required;
    private final Runnable changed;
    private final LogBudget lines;
    private final DiscoverySchedule schedule;
    private volatile @Nullable Set<ResourceType> served;
    private volatile String failure = "";
    private boolean triedToWatch;
    private boolean watches;

    /**
     * @param required the types that any controller requires
     * @param changed called on the thread that steps this loop, whenever one of the types comes or goes, and when a
     *     look fails for the first time
     */
    ServedTypes(KubeClient client, SharedInformerFactory informers, Set<ResourceType> required, Clock clock,
            Runnable changed) {
        this.client = client;
        this.informers = informers;
        this.required = Set.copyOf(required);
        this.changed = changed;
        this.lines = new LogBudget(clock);
        this.schedule = new DiscoverySchedule(clock, this::wake);
    }

    boolean isNeeded() {
        return !required.isEmpty();
    }

    /** Whether discovery has told which of these types are served. */
    boolean knows(Set<ResourceType> types) {
        return types.isEmpty() || served != null;
    }

    /** The reason why the last look failed; empty if it did not. */
    String failure() {
        return failure;
    }

    /** Looks at discovery again soon, because a type may have been installed. */
    void lookSoon() {
        schedule.soon();
    }

    /** The types among these that are not served, or not known to be served. */
    List<ResourceType> missing(Set<ResourceType> types) {
        return types.stream().filter(type -> !isKnownToBeServed(type)).toList();
    }

    private boolean isKnownToBeServed(ResourceType type) {
        Set<ResourceType> now = served;
        return now != null && now.contains(type);
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        long left = schedule.untilNext();
        if (left > 0) {
            return left;
        }
        boolean succeeded = false;
        try {
            watchDefinitions();
            KubeClient.Discovered discovered = client.discover();
            succeeded = true;
            failure = "";
            Set<ResourceType> now = required.stream().filter(type -> isServed(type, discovered)
                    || discovered.failedFor(type) && isKnownToBeServed(type)).collect(Collectors.toSet());
            if (!now.equals(served)) {
                served = Set.copyOf(now);
                changed.run();
            }
        } catch (KubeApiException e) {
            if (!e.isUnreachable()) {
                lines.warn(log, "it is unknown which types the API server serves: " + e.getMessage());
            }
            boolean isFirst = failure.isEmpty();
            failure = String.valueOf(e.getMessage());
            if (isFirst) {
                changed.run();
            }
        }
        Duration period = missing(required).isEmpty() ? WHILE_ALL_ARE_SERVED : DiscoverySchedule.PERIOD;
        return schedule.ended(succeeded, watches ? period : WITHOUT_WATCH).toNanos();
    }

    private static boolean isServed(ResourceType type, KubeClient.Discovered discovered) {
        return Stream.concat(discovered.types().stream(), discovered.otherVersions().stream())
                .anyMatch(other -> other.groupResource().equals(type.groupResource())
                        && (type.isNamed() || other.version().equals(type.version())));
    }

    /** Tries a list before the informer starts, because an informer that may not list would try for ever. */
    private void watchDefinitions() {
        if (triedToWatch) {
            return;
        }
        try {
            client.metadata(ResourceType.CUSTOM_RESOURCE_DEFINITIONS).list("", LabelSelector.everything(),
                    FieldSelector.everything(), ListOptions.consistent(1));
            watches = true;
            informers.metadata(ResourceType.CUSTOM_RESOURCE_DEFINITIONS).addEventHandler(schedule);
            informers.startNew();
        } catch (KubeApiException e) {
            if (!e.isForbidden() && !e.isNotFound()) {
                throw e;
            }
        }
        triedToWatch = true;
    }
}
