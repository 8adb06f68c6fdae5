package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.DiscoverySchedule;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Follows discovery: starts an informer for each type that can be listed, watched and deleted, and stops those of
 * removed types (upstream: {@code syncMonitors} in {@code graph_builder.go}). Types of API groups whose discovery fails
 * are kept. Events are ignored. Discovery is read by a {@link DiscoverySchedule}: if it were read every 30 s only,
 * garbage owned by new custom resources would not be collected until then.
 */
final class TypeMonitors extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(TypeMonitors.class);
    /** The time after which the collector starts, even if types have not synced. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Set<String> IGNORED = Set.of("events", "events.events.k8s.io");

    private static final Measure FAILURES = Measure.counter("garbagecollector_controller_resources_sync_error_total",
            "Reads of discovery that failed or named no types");

    private final KubeClient client;
    private final SharedInformerFactory factory;
    private final GraphKeeper keeper;
    private final Clock clock;
    private final ControllerMetrics metrics;
    private final LogBudget lines;
    private final Map<ResourceType, Monitor> monitors = new LinkedHashMap<>();
    private final DiscoverySchedule schedule;
    private long giveUpWaiting;
    private boolean begun;
    private boolean ready;

    private record Monitor(SharedIndexInformer<?> informer, SharedIndexInformer.Registration registration) {}

    TypeMonitors(KubeClient client, SharedInformerFactory factory, GraphKeeper keeper, Clock clock,
            ControllerMetrics metrics) {
        this.client = client;
        this.factory = factory;
        this.keeper = keeper;
        this.clock = clock;
        this.metrics = metrics;
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
        try {
            KubeClient.Discovered discovered = client.discover();
            if (discovered.types().isEmpty()) {
                lines.warn(log,
                        "discovery returned no resource types; the garbage collector keeps the types that it knows");
            } else {
                follow(discovered);
                succeeded = true;
            }
        } catch (ApiError e) {
            if (!e.isUnreachable()) {
                lines.warn(log,
                        "discovery failed; the garbage collector keeps the types that it knows: " + e.getMessage());
            }
        }
        if (!succeeded) {
            metrics.record(FAILURES, 1);
        }
        return schedule.ended(succeeded, DiscoverySchedule.PERIOD).toNanos();
    }

    private void follow(KubeClient.Discovered discovered) {
        Map<ResourceType, ResourceType> wanted = new LinkedHashMap<>();
        discovered.types().forEach(type -> wanted.put(type, type));
        synchronized (monitors) {
            for (ResourceType type : monitors.keySet()) {
                if (discovered.failedFor(type)) {
                    wanted.put(type, type);
                }
            }
            keeper.setTypes(new Types(wanted.keySet(), discovered.otherVersions()));
            wanted.keySet().removeIf(type -> IGNORED.contains(type.groupResource()));
            List<ResourceType> gone = monitors.keySet().stream().filter(t -> !wanted.containsKey(t)).toList();
            List<ResourceType> come = wanted.keySet().stream().filter(t -> !monitors.containsKey(t)).toList();
            gone.forEach(this::stop);
            come.forEach(this::start);
            if (!come.isEmpty() || !gone.isEmpty()) {
                boolean first = monitors.size() == come.size();
                log.info("the garbage collector follows {} types{}", monitors.size(),
                        first ? "" : "; new: " + names(come) + "; gone: " + names(gone));
            }
            if (!come.isEmpty()) {
                factory.startNew();
            }
        }
    }

    private static String names(List<ResourceType> types) {
        return types.isEmpty()
                ? "none"
                : types.stream().map(ResourceType::groupResource).sorted().collect(Collectors.joining(", "));
    }

    private void start(ResourceType type) {
        monitors.put(type, monitor(type, factory.metadataOrMore(type)));
        if (type.groupResource().equals(ResourceType.CUSTOM_RESOURCE_DEFINITIONS.groupResource())) {
            factory.metadata(type).addEventHandler(schedule);
        }
    }

    private <T extends KubernetesObject> Monitor monitor(ResourceType type, SharedIndexInformer<T> informer) {
        return new Monitor(informer, informer.addEventHandler(keeper.handler(type)));
    }

    private void stop(ResourceType type) {
        Monitor monitor = monitors.remove(type);
        if (monitor != null) {
            monitor.registration.remove();
            factory.stop(monitor.informer);
        }
    }

    /** The type with this name, if an informer follows it. */
    Optional<ResourceType> followed(String groupResource) {
        synchronized (monitors) {
            return monitors.keySet().stream().filter(type -> type.groupResource().equals(groupResource)).findFirst();
        }
    }

    /** Whether an informer follows a type and has shown all its objects. */
    boolean isWatched(ResourceType type) {
        synchronized (monitors) {
            Monitor monitor = monitors.get(type);
            return monitor != null && monitor.registration.hasSynced();
        }
    }

    /**
     * Whether the graph is complete enough to act on: every type has synced, or the longest wait is over. Types that
     * are discovered later delay nothing.
     */
    boolean isReady() {
        synchronized (monitors) {
            if (ready || monitors.isEmpty()) {
                return ready;
            }
            List<String> late = notSynced();
            boolean waited = clock.nanoTime() - giveUpWaiting >= 0;
            ready = late.isEmpty() || waited;
            if (ready && !late.isEmpty()) {
                log.warn("the garbage collector starts although these types have not synced: {}",
                        String.join("; ", late));
            }
            return ready;
        }
    }

    /** The types that have not synced, each with the reason. */
    List<String> notSynced() {
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
