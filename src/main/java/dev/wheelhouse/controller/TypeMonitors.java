package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Follows discovery for one controller: starts an informer for each type that can be listed, watched and deleted and
 * that the controller wants, and stops those of removed types (upstream: {@code syncMonitors} in
 * {@code pkg/controller/garbagecollector/graph_builder.go} and {@code SyncMonitors} in
 * {@code pkg/controller/resourcequota/resource_quota_monitor.go}). Types of API groups whose discovery fails are kept.
 * Discovery is read by a {@link DiscoverySchedule}: if it were read every 30 s only, new custom resources would be
 * unknown until then. Thread safe.
 */
public final class TypeMonitors extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(TypeMonitors.class);
    /** The time after which the controller starts, even if types have not synced. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final String user;
    private final KubeClient client;
    private final SharedInformerFactory factory;
    private final Follower follower;
    private final Clock clock;
    private final LogBudget lines;
    private final Map<ResourceType, Monitor> monitors = new LinkedHashMap<>();
    private final DiscoverySchedule schedule;
    private long giveUpWaiting;
    private boolean begun;
    private boolean ready;
    private boolean seesDefinitions;

    /** The controller that the types are followed for. */
    public interface Follower {
        /** Whether the objects of a discovered type matter. */
        boolean wants(ResourceType type);

        /** Is told of the objects of a type. */
        <T extends KubernetesObject> ResourceEventHandler<T> handler(ResourceType type);

        /** The informer of a type. By default it shows at least the metadata. */
        default SharedIndexInformer<? extends KubernetesObject> informer(SharedInformerFactory factory,
                ResourceType type) {
            return factory.metadataOrMore(type);
        }

        /** Is told of each look at discovery, before the followed types change. */
        default void discovered(Collection<ResourceType> types, Collection<ResourceType> otherVersions) {}

        /** Is told after types have been added to the followed ones. */
        default void added(Collection<ResourceType> types) {}

        /** Is told that a type is not followed any more. */
        default void removed(ResourceType type) {}

        /** Is told of each look at discovery that failed or named no types. */
        default void failed() {}
    }

    private record Monitor(SharedIndexInformer<?> informer, SharedIndexInformer.Registration registration) {}

    /** @param user the controller, for messages, such as {@code the garbage collector} */
    public TypeMonitors(String user, ControllerContext context, Follower follower) {
        this.user = user;
        this.client = context.client();
        this.factory = context.informers();
        this.follower = follower;
        this.clock = context.clock();
        this.lines = new LogBudget(clock);
        this.schedule = new DiscoverySchedule(clock, this::wake);
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
        if (!begun) {
            begun = true;
            giveUpWaiting = clock.deadline(LONGEST_WAIT);
        }
        boolean succeeded = false;
        boolean changed = false;
        try {
            KubeClient.Discovered discovered = client.discover();
            if (discovered.types().isEmpty()) {
                lines.warn(log, "discovery returned no resource types; " + user + " keeps the types that it knows");
            } else {
                changed = follow(discovered);
                succeeded = true;
            }
        } catch (KubeApiException e) {
            if (!e.isUnreachable()) {
                lines.warn(log, "discovery failed; " + user + " keeps the types that it knows: " + e.getMessage());
            }
        }
        if (!succeeded) {
            follower.failed();
        }
        long pause = schedule.ended(succeeded, DiscoverySchedule.PERIOD).toNanos();
        return changed ? BUSY : pause;
    }

    /** @return whether other types are followed than before */
    private boolean follow(KubeClient.Discovered discovered) {
        Map<ResourceType, ResourceType> wanted = new LinkedHashMap<>();
        discovered.types().forEach(type -> wanted.put(type, type));
        synchronized (monitors) {
            for (ResourceType type : monitors.keySet()) {
                if (discovered.failedFor(type)) {
                    wanted.put(type, type);
                }
            }
            follower.discovered(wanted.keySet(), discovered.otherVersions());
            boolean definable = wanted.containsKey(ResourceType.CUSTOM_RESOURCE_DEFINITIONS);
            wanted.keySet().removeIf(type -> !follower.wants(type));
            List<ResourceType> gone = monitors.keySet().stream().filter(t -> !wanted.containsKey(t)).toList();
            List<ResourceType> come = wanted.keySet().stream().filter(t -> !monitors.containsKey(t)).toList();
            gone.forEach(this::stop);
            come.forEach(this::start);
            if (definable && !seesDefinitions) {
                factory.metadata(ResourceType.CUSTOM_RESOURCE_DEFINITIONS).addEventHandler(schedule);
                seesDefinitions = true;
            }
            if (come.isEmpty() && gone.isEmpty()) {
                return false;
            }
            boolean first = monitors.size() == come.size();
            log.atLevel(first ? Level.DEBUG : Level.INFO).log("{} follows {} types; new: {}; gone: {}", user,
                    monitors.size(), names(come), names(gone));
            if (!come.isEmpty()) {
                factory.startNew();
                follower.added(come);
            }
            return true;
        }
    }

    private static String names(List<ResourceType> types) {
        return types.isEmpty()
                ? "none"
                : types.stream().map(ResourceType::groupResource).sorted().collect(Collectors.joining(", "));
    }

    private void start(ResourceType type) {
        monitors.put(type, monitor(type, follower.informer(factory, type)));
    }

    private <T extends KubernetesObject> Monitor monitor(ResourceType type, SharedIndexInformer<T> informer) {
        return new Monitor(informer, informer.addEventHandler(follower.handler(type)));
    }

    private void stop(ResourceType type) {
        Monitor monitor = monitors.remove(type);
        if (monitor != null) {
            monitor.registration.remove();
            follower.removed(type);
            factory.stop(monitor.informer);
        }
    }

    /** The type with this name, if an informer follows it. */
    public Optional<ResourceType> followed(String groupResource) {
        synchronized (monitors) {
            return monitors.keySet().stream().filter(type -> type.groupResource().equals(groupResource)).findFirst();
        }
    }

    /** Whether an informer follows a type and has shown all its objects. */
    public boolean isWatched(ResourceType type) {
        synchronized (monitors) {
            Monitor monitor = monitors.get(type);
            return monitor != null && monitor.registration.hasSynced();
        }
    }

    /**
     * Whether the graph is complete enough to act on: every type has synced, or the longest wait is over. Types that
     * are discovered later delay nothing.
     */
    public boolean isReady() {
        synchronized (monitors) {
            if (ready || monitors.isEmpty()) {
                return ready;
            }
            List<String> late = notSynced();
            boolean waited = clock.nanoTime() - giveUpWaiting >= 0;
            ready = late.isEmpty() || waited;
            if (ready && !late.isEmpty()) {
                log.warn("{} starts although these types have not synced: {}", user, String.join("; ", late));
            }
            return ready;
        }
    }

    /** The types that have not synced, each with the reason. */
    public List<String> notSynced() {
        synchronized (monitors) {
            List<String> late = new ArrayList<>();
            monitors.forEach((type, monitor) -> {
                if (!monitor.registration.hasSynced()) {
                    String reason = monitor.informer.state().reasonNotSynced();
                    late.add(reason.isEmpty() ? type.groupResource() + ": the objects are still being read" : reason);
                }
            });
            return late;
        }
    }
}
