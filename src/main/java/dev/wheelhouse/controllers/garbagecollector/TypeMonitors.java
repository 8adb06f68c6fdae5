package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Follows discovery: an informer for each type that can be listed, watched and deleted, and none for those that have gone
 * (upstream: {@code syncMonitors} in {@code graph_builder.go}). Types of groups whose discovery fails are kept. Events are
 * ignored. Discovery is asked every 30 s as upstream does, and soon after a CustomResourceDefinition has changed, which upstream
 * does not: until then what is owned by such objects would not be collected.
 */
final class TypeMonitors extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(TypeMonitors.class);
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    /** Discovery shows a change of a definition with some delay, so that it is asked several times after one. */
    private static final List<Duration> AFTER_CHANGE = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2),
            Duration.ofSeconds(4), Duration.ofSeconds(8));
    private static final String DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
    /** After this time the collector begins, whatever has not synced. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Set<String> IGNORED = Set.of("events", "events.events.k8s.io");

    private final KubeClient client;
    private final SharedInformerFactory factory;
    private final GraphKeeper keeper;
    private final Clock clock;
    private final LogBudget lines;
    private final Map<ResourceType, Monitor> monitors = new LinkedHashMap<>();
    /** Guarded by {@code monitors}, as is how often discovery has been asked since a definition changed. */
    private long next;
    private int asked = AFTER_CHANGE.size();
    private long giveUpWaiting;
    private boolean begun;
    private boolean ready;

    private record Monitor(SharedIndexInformer<PartialObjectMetadata> informer,
            SharedIndexInformer.Registration registration) {}

    /** A definition that comes, is established or goes brings its type with it. */
    private final class OfDefinitions implements ResourceEventHandler<PartialObjectMetadata> {
        @Override
        public void onAdd(PartialObjectMetadata definition, boolean initial) {
            if (!initial) {
                askSoon();
            }
        }

        @Override
        public void onUpdate(PartialObjectMetadata before, PartialObjectMetadata after) {
            if (!Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
                askSoon();
            }
        }

        @Override
        public void onDelete(PartialObjectMetadata definition, boolean finalStateUnknown) {
            askSoon();
        }
    }

    TypeMonitors(KubeClient client, SharedInformerFactory factory, GraphKeeper keeper, Clock clock) {
        this.client = client;
        this.factory = factory;
        this.keeper = keeper;
        this.clock = clock;
        this.lines = new LogBudget(clock);
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        long left = untilNext();
        if (begun && left > 0) {
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
                warn("discovery names no resource type at all; the garbage collector keeps those it knows");
            } else {
                follow(discovered);
                succeeded = true;
            }
        } catch (ApiError e) {
            warn("discovery failed, the garbage collector keeps the types it knows: " + e.getMessage());
        }
        return askAgain(succeeded).toNanos();
    }

    private void warn(String text) {
        String line = lines.line(text);
        if (line != null) {
            log.warn(line);
        }
    }

    private long untilNext() {
        synchronized (monitors) {
            return next - clock.nanoTime();
        }
    }

    /** A definition that changed while discovery was being asked counts too. */
    private Duration askAgain(boolean succeeded) {
        synchronized (monitors) {
            Duration pause = !succeeded
                    ? AFTER_FAILURE
                    : asked < AFTER_CHANGE.size() ? AFTER_CHANGE.get(asked++) : PERIOD;
            next = clock.deadline(pause);
            return pause;
        }
    }

    private void askSoon() {
        synchronized (monitors) {
            asked = 1;
            long soon = clock.deadline(AFTER_CHANGE.getFirst());
            next = soon - next < 0 ? soon : next;
        }
        wake();
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
        if (type.groupResource().equals(DEFINITIONS)) {
            informer.addEventHandler(new OfDefinitions());
        }
    }

    private void stop(ResourceType type) {
        Monitor monitor = monitors.remove(type);
        if (monitor != null) {
            monitor.registration.remove();
            factory.stop(monitor.informer);
        }
    }

    /** The type of this name that an informer follows. */
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
}
