package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.health.Health;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.LiveController;
import dev.wheelhouse.runtime.Clock;

/**
 * The health of all cached objects. Each version of an object is looked at once, and all of them are put together at
 * most twice a second. Thread safe.
 */
public final class ClusterHealth {
    private static final Duration FRESH = Duration.ofMillis(500);
    /** The age of metrics: each object that has changed is looked at again. */
    private static final Duration COUNTED = Duration.ofSeconds(30);
    private static final Pattern OBJECT = Pattern.compile("[^/]+(/[^/]+)?");

    private final CachedObjects objects;
    private final ControllerManager manager;
    private final Journal journal;
    private final Clock clock;
    /** By the identity of the cached objects. */
    private final Cache<KubernetesObject, Health> known = Caffeine.newBuilder().weakKeys().build();
    private final MeterRegistry registry;
    private final Set<Tags> counted = new HashSet<>();
    private volatile Map<Tags, Long> problems = Map.of();
    private @Nullable Assessment last;
    private long made;

    /** @param registry gets the numbers of objects by health, and of problems by type and cause */
    public ClusterHealth(SharedInformerFactory caches, ControllerManager manager, Journal journal, Clock clock,
            MeterRegistry registry) {
        this.objects = new CachedObjects(caches);
        this.manager = manager;
        this.journal = journal;
        this.clock = clock;
        this.registry = registry;
        for (Health.Level level : Health.Level.values()) {
            Gauge.builder("wheelhouse.objects", this, health -> health.within(COUNTED).count(level))
                    .description("Cached objects by their health.")
                    .tag("health", level.name().toLowerCase(Locale.ROOT)).register(registry);
        }
    }

    /** The health of the objects at this moment, or half a second ago. */
    public Assessment now() {
        return within(FRESH);
    }

    private synchronized Assessment within(Duration age) {
        if (last == null || clock.nanoTime() - made >= age.toNanos()) {
            last = new Assessment(objects.types().keySet(), objects.all(), failing(), this::health, clock.now());
            made = clock.nanoTime();
            problems = last.problems().stream().collect(Collectors.groupingBy(ClusterHealth::series,
                    Collectors.counting()));
            problems.keySet().forEach(this::count);
        }
        return last;
    }

    private static Tags series(Assessment.Problem problem) {
        return Tags.of("resource", problem.item().type().groupResource(), "cause", problem.advice().kind());
    }

    /** A series stays, at zero, when its problems have gone. */
    private void count(Tags series) {
        if (counted.add(series)) {
            Gauge.builder("wheelhouse.problems", this, health -> {
                health.within(COUNTED);
                return health.problems.getOrDefault(series, 0L);
            }).description("Objects that are not well, by the kind of the deepest cause.").tags(series)
                    .register(registry);
        }
    }

    private Health health(KubernetesObject object) {
        return Objects.requireNonNull(known.get(object, Health::of));
    }

    /** The keys whose syncs fail, after those for which writes are refused: of one object the last one counts. */
    private List<Assessment.Failing> failing() {
        Map<String, ResourceType> types = new HashMap<>();
        for (Controller controller : manager.controllers()) {
            if (controller.syncs() != null) {
                types.put(controller.name(), controller.syncs());
            }
        }
        List<Assessment.Failing> failing = new ArrayList<>();
        for (Refusal refusal : Refusal.of(journal.find(write -> true, Long.MAX_VALUE, Integer.MAX_VALUE),
                clock.now())) {
            add(failing, refusal.controller(), types.get(refusal.controller()), refusal.key(),
                    "refused " + refusal.times() + " times: " + refusal.error(), refusal.since());
        }
        for (LiveController live : manager.live()) {
            ResourceType type = types.get(live.state().controller());
            for (FailingKey key : live.state().failing()) {
                add(failing, live.state().name(), type, key.key(), key.error(), key.since());
            }
        }
        return failing;
    }

    /** Adds a key if it is that of an object. */
    private static void add(List<Assessment.Failing> failing, String controller, @Nullable ResourceType type,
            String key, String error, Instant since) {
        if (type != null && OBJECT.matcher(key).matches()) {
            failing.add(new Assessment.Failing(controller, type, ObjectKey.parse(key), error, since));
        }
    }
}
