package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogTally;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Assigns a node to each pending pod of the schedulers of its configuration, by default of {@code default-scheduler}
 * (upstream: {@code pkg/scheduler}, without extenders, resource claims and groups of pods).
 *
 * <p>The constructor registers handlers with the factory's informers. The caller starts the informers, runs each loop
 * on its own thread, and closes the scheduler. One loop decides, as soon as the informers have synced. The others write
 * bindings of pods and volumes, and the {@code PodScheduled} condition of pods that fit on no node. When a change of
 * nodes, pods or volumes may help such a pod, it is tried again after a backoff, by default of 1 s to 10 s. Without a
 * change, it is tried every 5 minutes.
 */
public final class Scheduler implements AutoCloseable {
    /** The {@code spec.schedulerName} of pods that name none. */
    public static final String NAME = "default-scheduler";

    private static final Duration UNSCHEDULABLE_AT_LONGEST = Duration.ofMinutes(5);
    private static final RateLimits LIMITS = new RateLimits(Duration.ofMillis(100), Duration.ofSeconds(10), 1000, 1000);

    private final List<SharedIndexInformer.Registration> registrations = new ArrayList<>();
    private final RateLimitingQueue<Task> tasks;
    private final RateLimitingQueue<ObjectKey> writeQueue;
    private final List<Loop> loops = new ArrayList<>();
    private final VolumeCaches volumes;
    private final VolumeEvents volumeEvents;

    /**
     * @param events makes the recorder of a profile, by its name
     * @param seed breaks ties between nodes
     * @param writers the maximum number of concurrent writes, at least 1
     */
    public Scheduler(SchedulerConfig config, KubeClient client, SharedInformerFactory factory,
            Function<String, EventRecorder> events, Clock clock, MeterRegistry registry, long seed, int writers) {
        SharedIndexInformer<V1Pod> pods = factory.informer(ResourceType.PODS, V1Pod.class);
        SharedIndexInformer<V1Node> nodes = factory.informer(ResourceType.NODES, V1Node.class);
        SharedIndexInformer<V1PodDisruptionBudget> budgets = factory.informer(
                ResourceType.POD_DISRUPTION_BUDGETS, V1PodDisruptionBudget.class);
        SharedIndexInformer<V1Namespace> namespaces = factory.informer(ResourceType.NAMESPACES, V1Namespace.class);
        tasks = new RateLimitingQueue<>("scheduler", clock, LIMITS, RateLimitingQueue.DEFAULT_AGING, key -> "",
                registry);
        writeQueue = new RateLimitingQueue<>("scheduler-writes", clock, LIMITS, RateLimitingQueue.DEFAULT_AGING,
                key -> "", registry);
        SchedulerCache cache = new SchedulerCache();
        PendingPods pending = new PendingPods(config, clock);
        WriteQueue writes = new WriteQueue(writeQueue);
        ClusterEvents handlers = new ClusterEvents(config, cache, pending, tasks);
        registrations.add(nodes.addEventHandler(handlers.nodes()));
        registrations.add(pods.addEventHandler(handlers.pods()));
        registrations.add(namespaces.addEventHandler(handlers.namespaces()));
        volumes = new VolumeCaches(factory);
        volumeEvents = new VolumeEvents(config, pods, volumes, pending, tasks, writes);
        registrations.addAll(volumeEvents.register());
        NamespaceLabels labels = name -> {
            V1Namespace namespace = namespaces.get(ObjectKey.cluster(name));
            return namespace == null ? Map.of() : orEmpty(namespace.getMetadata().getLabels());
        };
        loops.add(new SchedulingLoop(config, tasks, this::hasSynced, pods, labels, volumes,
                new Preemption.Facts(() -> budgets.getIndexer().list(), victim -> started(pods.get(victim.key()))),
                cache, pending, writes, registry, clock, seed, UNSCHEDULABLE_AT_LONGEST));
        LogTally lines = new LogTally(LoggerFactory.getLogger(WriterLoop.class), clock);
        Map<String, EventRecorder> recorders = config.profiles().keySet().stream()
                .collect(Collectors.toMap(name -> name, events));
        for (int i = 0; i < writers; i++) {
            loops.add(new WriterLoop(config, writes, client.resource(ResourceType.PODS, V1Pod.class),
                    new VolumeWrites(client, volumes), cache, pending, tasks, recorders, registry, lines,
                    clock));
        }
        loops.add(lines);
    }

    private static long started(@Nullable V1Pod pod) {
        OffsetDateTime time = pod == null || pod.getStatus() == null ? null : pod.getStatus().getStartTime();
        return time == null ? Long.MAX_VALUE : time.toInstant().toEpochMilli();
    }

    private boolean hasSynced() {
        return registrations.stream().allMatch(SharedIndexInformer.Registration::hasSynced);
    }

    /** The loops, each for its own thread. The first one decides. */
    public List<Loop> loops() {
        return List.copyOf(loops);
    }

    /** Shuts the queues down. Queued pods are not scheduled any more. */
    @Override
    public void close() {
        registrations.forEach(SharedIndexInformer.Registration::remove);
        volumeEvents.close();
        volumes.close();
        tasks.shutDown();
        writeQueue.shutDown();
    }
}
