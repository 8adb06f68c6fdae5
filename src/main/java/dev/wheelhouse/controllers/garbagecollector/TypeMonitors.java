package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * Follows discovery: an informer for each type that can be listed, watched and deleted, and none for those that have gone
 * (upstream: {@code syncMonitors} in {@code graph_builder.go}). Types of groups whose discovery fails are kept. Events are
 * ignored.
 */
final class TypeMonitors implements Loop {
    private static final Logger log = LoggerFactory.getLogger(TypeMonitors.class);
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    /** After this time the collector begins, whatever has not synced. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Set<String> IGNORED = Set.of("events", "events.events.k8s.io");

    private final KubeClient client;
    private final SharedInformerFactory factory;
    private final GraphKeeper keeper;
    private final Clock clock;
    private final Signal closing = new Signal();
    private final Map<ResourceType, Monitor> monitors = new LinkedHashMap<>();
    private long next;
    private long giveUpWaiting;
    private boolean begun;
    private boolean ready;
    private volatile boolean closed;

    private record Monitor(SharedIndexInformer<PartialObjectMetadata> informer,
            SharedIndexInformer.Registration registration) {}

    TypeMonitors(KubeClient client, SharedInformerFactory factory, GraphKeeper keeper, Clock clock) {
        this.client = client;
        this.factory = factory;
        this.keeper = keeper;
        this.clock = clock;
    }

    @Override
    public long step() {
        if (closed) {
            return IDLE;
        }
        long now = clock.nanoTime();
        if (begun && now < next) {
            return next - now;
        }
        if (!begun) {
            begun = true;
            giveUpWaiting = clock.deadline(LONGEST_WAIT);
        }
        Duration pause = AFTER_FAILURE;
        try {
            KubeClient.Discovered discovered = client.discover();
            if (discovered.types().isEmpty()) {
                log.warn("discovery names no resource type at all; the garbage collector keeps those it knows");
            } else {
                follow(discovered);
                pause = PERIOD;
            }
        } catch (ApiError e) {
            log.warn("discovery failed, the garbage collector keeps the types it knows: {}", e.getMessage());
        }
        next = clock.deadline(pause);
        return pause.toNanos();
    }

    private void follow(KubeClient.Discovered discovered) {
        Map<ResourceType, ResourceType> wanted = new LinkedHashMap<>();
        discovered.types().forEach(type -> wanted.put(type, type));
        synchronized (monitors) {
            for (ResourceType type : monitors.keySet()) {
                if (discovered.failures().stream().anyMatch(failure -> concerns(failure, type))) {
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
                log.info("garbage collector follows {} types{}", monitors.size(),
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

    /** Whether a failure of discovery, which begins with the group or group version, is about the group of a type. */
    private static boolean concerns(String failure, ResourceType type) {
        String name = type.group().isEmpty() ? type.version() : type.group();
        return failure.startsWith(name) && (failure.length() == name.length()
                || !Character.isLetterOrDigit(failure.charAt(name.length())) && failure.charAt(name.length()) != '.');
    }

    private void start(ResourceType type) {
        SharedIndexInformer<PartialObjectMetadata> informer = factory.metadata(type);
        monitors.put(type, new Monitor(informer, informer.addEventHandler(keeper.handler(type))));
    }

    private void stop(ResourceType type) {
        Monitor monitor = monitors.remove(type);
        if (monitor != null) {
            monitor.registration.remove();
            factory.stop(monitor.informer);
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
     * Whether the graph is fit to be acted on: every type has been seen in full, or has had its time. Types that come later
     * hold nobody up.
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
                log.warn("the garbage collector begins without these types: {}", String.join("; ", late));
            }
            return ready;
        }
    }

    /** The types that have not been seen in full, each with the reason. */
    List<String> notSynced() {
        synchronized (monitors) {
            List<String> late = new ArrayList<>();
            monitors.forEach((type, monitor) -> {
                if (!monitor.registration.hasSynced()) {
                    String reason = monitor.informer.state().reasonNotSynced();
                    late.add(reason.isEmpty() ? type.groupResource() + ": being read" : reason);
                }
            });
            return late;
        }
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        closing.await(nanos);
    }

    @Override
    public void close() {
        closed = true;
        closing.raise();
    }
}
