package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerMode;
import dev.wheelhouse.manager.LiveController;
import dev.wheelhouse.node.NodeAgent;

/** The views of the running process: the flow from the API server to the writes, and each controller. Thread safe. */
record LiveViews(Parts parts) {
    /** The lag beyond which a cache counts as late: a live watch brings at least a bookmark in about a minute. */
    private static final Duration LAGS = Duration.ofMinutes(2);
    /** The row of the types that only the garbage collector follows. */
    private static final String OTHER = "other types";
    /**
     * Stands for all types. The keys of a controller that works on any type are shown only to those who may read all
     * types.
     */
    private static final ResourceType ANY = new ResourceType("*", "*", "*", "*", true);
    private static final int LATEST = 12;
    private static final Duration SLOW = Duration.ofSeconds(30);

    /**
     * In each part, {@code problem} says why something is not as it should be, and is empty if all is well.
     *
     * @param latest the newest writes that the viewer may see
     */
    record Flow(Server server, List<Cache> caches, List<Controller> controllers, int nodes, int nodesReady,
            Journal.State journal, List<Map<String, Object>> latest) {}

    /** @param doing {@code leads}, or a sentence that says who does */
    record Server(String url, boolean embedded, String doing, String problem) {}

    /**
     * The caches of one type.
     *
     * @param events the events of watches since the start
     * @param waiting the changes that are on their way to the cache or to handlers
     * @param lagSeconds how far the cache can be behind the server; null before the first message
     */
    record Cache(String type, int objects, long events, long waiting, @Nullable Long lagSeconds, long relists,
            String problem) {}

    /**
     * @param heldBack the delayed keys that wait because of a limit of the rate of syncs
     * @param taken the keys that workers have taken since the controller was made
     * @param writes the writes since the start of the process
     */
    record Controller(String name, String doing, ControllerMode mode, List<String> reads, int workers, int busy,
            int depth, int delayed, int heldBack, long longestMillis, long taken, long writes, int failing,
            String problem) {}

    /** A controller in detail. */
    record Detail(Controller summary, List<Queue> queues, List<Running> running, List<Failing> failing) {}

    record Queue(String name, int depth, int delayed, int processing, long firstMillis, long longestMillis,
            double perSecond, int burst) {}

    record Running(String key, long millis, String at) {}

    /** @param nextTry milliseconds since 1970; null if the key is not delayed */
    record Failing(String key, long since, int failures, String error, @Nullable Long nextTry) {}

    Flow flow(Viewer viewer) {
        String storage = parts.storageProblem().get();
        boolean standsBy = parts.manager().standsBy();
        Server server = new Server(parts.client().server(), parts.embedded(),
                standsBy ? String.join("; ", parts.manager().waitingFor()) : "leads",
                storage == null ? "" : "it takes no writes: " + storage);
        List<NodeAgent> nodes = parts.nodes().get();
        return new Flow(server, caches(), details(viewer).stream().map(Detail::summary).toList(), nodes.size(),
                (int) nodes.stream().filter(NodeAgent::isReady).count(), parts.journal().state(),
                WritesPage.folded(parts.journal(), entry -> true, Long.MAX_VALUE, LATEST, viewer::mayGet));
    }

    /** The caches that handlers use, by type; those of metadata are one row. */
    private List<Cache> caches() {
        Set<String> read = new TreeSet<>();
        parts.manager().live().forEach(controller -> read.addAll(controller.reads()));
        Map<String, List<InformerState>> byType = new TreeMap<>();
        for (InformerState state : parts.states().get()) {
            String type = state.type().groupResource();
            byType.computeIfAbsent(read.contains(type) ? type : OTHER, t -> new ArrayList<>()).add(state);
        }
        List<Cache> caches = new ArrayList<>();
        byType.forEach((type, states) -> caches.add(cache(type, states, parts.clock().now())));
        return caches;
    }

    private static Cache cache(String type, List<InformerState> states, Instant now) {
        int objects = 0;
        long events = 0;
        long waiting = 0;
        long relists = 0;
        Duration lag = null;
        String problem = "";
        for (InformerState state : states) {
            // Caches of whole objects and of metadata see the same objects and events.
            objects = type.equals(OTHER) ? objects + state.objects() : Math.max(objects, state.objects());
            events = Math.max(events, state.counts().events());
            waiting += state.counts().queued()
                    + state.handlers().stream().mapToLong(InformerState.Handler::pending).sum();
            relists += state.counts().relists().values().stream().mapToLong(Long::longValue).sum();
            Duration own = state.lag(now);
            lag = lag == null || (own != null && own.compareTo(lag) > 0) ? own : lag;
            problem = problem.isEmpty() ? problem(state, own) : problem;
        }
        return new Cache(type, objects, events, waiting, lag == null ? null : lag.toSeconds(), relists, problem);
    }

    private static String problem(InformerState state, @Nullable Duration lag) {
        if (!state.synced()) {
            return state.reasonNotSynced();
        }
        if (state.lastFailure() != null) {
            return state.name() + ": " + state.lastFailure().message();
        }
        return lag != null && lag.compareTo(LAGS) > 0
                ? state.name() + ": the server has sent nothing for " + lag.toSeconds() + " s"
                : "";
    }

    /** The type of the objects that the keys of a controller stand for, by its name; ANY if there is no one type. */
    private Map<String, ResourceType> types() {
        Map<String, ResourceType> types = new HashMap<>();
        parts.manager().controllers().forEach(controller -> types.put(controller.name(),
                Objects.requireNonNullElse(controller.syncs(), ANY)));
        return types;
    }

    /** The same by the types' names, for links; without controllers of any type. */
    Map<String, String> keys() {
        Map<String, String> keys = new TreeMap<>();
        types().forEach((name, type) -> {
            if (!type.equals(ANY)) {
                keys.put(name, type.groupResource());
            }
        });
        return keys;
    }

    /** Each controller, with those of its keys that the viewer may read. */
    List<Detail> details(Viewer viewer) {
        Map<String, Long> writes = parts.journal().state().writes();
        Map<String, ResourceType> types = types();
        Map<String, Integer> held = new HashMap<>();
        for (dev.wheelhouse.controller.Controller controller : parts.manager().controllers()) {
            held.merge(controller.name(), controller.heldBack(), Integer::sum);
        }
        return parts.manager().live().stream().map(live -> {
            ResourceType type = types.getOrDefault(live.state().controller(), ANY);
            return detail(live, held.getOrDefault(live.state().controller(), 0),
                    writes.getOrDefault(live.state().controller(), 0L),
                    key -> viewer.mayGet(type, key.substring(0, Math.max(0, key.indexOf('/')))));
        }).toList();
    }

    private static Detail detail(LiveController live, int heldBack, long writes, Predicate<String> readable) {
        List<Queue> queues = new ArrayList<>();
        int depth = 0;
        int delayed = 0;
        int processing = 0;
        long taken = 0;
        Duration longest = Duration.ZERO;
        for (LiveController.Queue queue : live.queues()) {
            depth += queue.state().depth();
            delayed += queue.state().delayed();
            processing += queue.state().processing();
            taken += queue.state().taken();
            longest = longest.compareTo(queue.state().longestRunning()) > 0 ? longest : queue.state().longestRunning();
            queues.add(new Queue(queue.name(), queue.state().depth(), queue.state().delayed(),
                    queue.state().processing(), queue.limits().first().toMillis(), queue.limits().longest().toMillis(),
                    queue.limits().perSecond(), queue.limits().burst()));
        }
        Controller summary = new Controller(live.state().name(), live.state().doing(), live.mode(), live.reads(),
                live.workers(), processing, depth, delayed, heldBack, longest.toMillis(), taken, writes,
                live.state().failingKeys(), problem(live, longest, readable));
        return new Detail(summary, queues, live.running().stream().filter(sync -> readable.test(sync.key()))
                .map(sync -> new Running(sync.key(), sync.age().toMillis(), sync.at())).toList(),
                live.state().failing().stream().filter(key -> readable.test(key.key())).map(LiveViews::failing)
                        .toList());
    }

    private static Failing failing(FailingKey key) {
        return new Failing(key.key(), key.since().toEpochMilli(), key.failures(), key.error(),
                key.nextTry() == null ? null : key.nextTry().toEpochMilli());
    }

    private static String problem(LiveController live, Duration longest, Predicate<String> readable) {
        String doing = live.state().doing();
        if (!Set.of("running", "observing", "starting", "standing by").contains(doing)) {
            return doing;
        }
        if (!live.state().blocked().isEmpty()) {
            return live.running().stream().map(LiveController.Running::key).allMatch(readable)
                    ? live.state().blocked().getFirst()
                    : live.state().blocked().size() + " syncs seem to be blocked";
        }
        if (longest.compareTo(SLOW) > 0) {
            return "a sync has run for " + longest.toSeconds() + " s";
        }
        if (live.mode() != ControllerMode.RUNNING) {
            return live.mode() == ControllerMode.PAUSED ? "it is paused" : "it drains";
        }
        int failing = live.state().failingKeys();
        return failing == 0
                ? ""
                : failing > 1
                        ? failing + " keys fail"
                        : live.state().failing().stream().filter(key -> readable.test(key.key())).findFirst()
                                .map(key -> "1 key fails: " + key.error()).orElse("1 key fails");
    }
}
