package dev.wheelhouse.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.podconfig.ApiServerSource;
import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.podconfig.HttpManifests;
import dev.wheelhouse.podconfig.HttpSource;
import dev.wheelhouse.podconfig.PodConfig;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.Refusal;
import dev.wheelhouse.podconfig.RejectionListener;
import dev.wheelhouse.podconfig.SourceReport;
import dev.wheelhouse.podconfig.SourcesReady;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The agent of one node: pod sources → Mux → PodStorage → SyncLoop → PodWorkers → PodRuntime. It reports statuses to
 * the API server, and registers its node (upstream: {@code pkg/kubelet/kubelet.go}). An agent that was made has no
 * threads: the caller starts it, or steps its loops. One process can have many agents.
 */
public final class NodeAgent implements AutoCloseable {
    private static final RateLimits RETRIES = new RateLimits(Duration.ofMillis(200), Duration.ofMinutes(1), 1000, 1000);

    private final NodeAgentOptions options;
    private final PodConfig podConfig;
    private final PodRuntime runtime;
    private final NodeRegistration registration;
    /** The pods of the API server; null without one. */
    private final @Nullable ApiServerSource apiSource;
    private final StatusManager statuses;
    private final @Nullable FileSource fileSource;
    private final @Nullable HttpSource httpSource;
    private final NodeTasks tasks = new NodeTasks();
    private final Map<String, Loop> loops = new LinkedHashMap<>();

    private NodeAgent(NodeAgentOptions options, boolean alone, KubeClient process, EventRecorder recorder,
            MeterRegistry registry, Clock clock) {
        KubeClient client = alone ? process : process.asNode(options.name());
        PodEventRecorder events = new PodEventRecorder() {
            @Override
            public void event(V1Pod pod, String fieldPath, String type, String reason, String message) {
                recorder.event(ResourceType.PODS, pod, fieldPath, type, reason, message);
            }

            @Override
            public void onNode(String type, String reason, String message) {
                recorder.event(ResourceType.NODES, NodeObjects.reference(options.name()), type, reason, message);
            }
        };
        this.options = options;
        // The sources log refused manifests by themselves.
        RejectionListener rejected = alone
                ? (source, pod, why) -> {}
                : new RejectionEvents(options.name(), recorder);
        this.podConfig = new PodConfig(rejected, registry, clock);
        ResourceClient<V1Pod> podClient = client.sharing().resource(ResourceType.PODS, V1Pod.class);
        NodeRuntime real = options.runtime();
        this.runtime = real == null
                ? new HollowRuntime(options.podCidr(), options.profile(), events, clock)
                : real.open(options, client, process, events, clock);
        PodManager pods = new PodManager();
        this.statuses = new StatusManager(podClient, pods, queue("status", clock), options.workers(),
                tasks, registry);
        this.registration = new NodeRegistration(options, client, process, runtime, registry, clock);
        runtime.onProblem(registration::readSoon);
        MirrorPods mirrors = new MirrorPods(podClient, registration::node, tasks, registry);
        SourcesReady sourcesReady = new SourcesReady(podConfig::seenAllSources);
        PodSyncer syncer = new PodSyncer(runtime, statuses, pods, alone ? null : mirrors, events, options.hostIp(),
                () -> sourcesReady.hasSeen(PodSources.API), clock);
        PodWorkers workers = new PodWorkers(syncer, uid -> runtime.status(uid) != null, queue("pods", clock),
                options.workers(), tasks, options.resync(), registry, clock);
        PodAdmitter admitter = new PodAdmitter(new PodAdmission(options.name(), options.capacity()), registration, pods,
                workers, statuses, events, registry, clock);
        SyncLoop syncLoop = new SyncLoop(podConfig.updates(), sourcesReady, pods, workers, statuses, mirrors, runtime,
                admitter, clock);
        this.apiSource = alone
                ? null
                : new ApiServerSource(podClient, options.name(), podConfig.channel(PodSources.API), clock);
        this.fileSource = fileSource(rejected, registry, clock);
        this.httpSource = httpSource(rejected, registry, clock);

        if (!alone) {
            loops.put("registration", registration);
        }
        loops.put("status", whileRunning(statuses.loop()));
        loops.put("pods", whileRunning(workers.loop()));
        loops.put("sync", whileRunning(syncLoop, runtime::isKnown));
        podConfig.loops().forEach((source, loop) -> loops.put("mux-" + source, loop));
        if (fileSource != null) {
            loops.put("file-source", fileSource);
        }
        if (httpSource != null) {
            loops.put("http-source", httpSource);
        }
        if (apiSource != null) {
            loops.put("api-source", apiSource);
        }
    }

    private Loop whileRunning(Loop loop) {
        return whileRunning(loop, () -> true);
    }

    /** A loop that does nothing while a user has stopped the node, or the condition does not hold. */
    private Loop whileRunning(Loop loop, BooleanSupplier condition) {
        return new Loop() {
            @Override
            public long step() throws InterruptedException {
                return registration.isStopped() || !condition.getAsBoolean()
                        ? NodeRegistration.RENEWAL.toNanos() / 10
                        : loop.step();
            }

            @Override
            public void await(long nanos) throws InterruptedException {
                loop.await(nanos);
            }

            @Override
            public void close() {
                loop.close();
            }
        };
    }

    private @Nullable FileSource fileSource(RejectionListener rejected, MeterRegistry registry, Clock clock) {
        Path manifests = options.manifestPath();
        return manifests == null
                ? null
                : new FileSource(manifests, options.name(), options.fileCheckPeriod(),
                        podConfig.channel(PodSources.FILE), rejected, registry, clock);
    }

    private @Nullable HttpSource httpSource(RejectionListener rejected, MeterRegistry registry, Clock clock) {
        HttpManifests url = options.manifestUrl();
        return url == null
                ? null
                : new HttpSource(url, options.name(), podConfig.channel(PodSources.HTTP), rejected, registry, clock);
    }

    /**
     * An agent that registers its node at an API server. It simulates its pods, unless its options name a runtime. A
     * simulated pod's annotations {@code hollow.wheelhouse.dev/…} say how the pod behaves.
     *
     * @param client the agent acts as its node, if the API server is in this process; else as the user of the client
     */
    public static NodeAgent registered(NodeAgentOptions options, KubeClient client, EventRecorder recorder,
            MeterRegistry registry, Clock clock) {
        return new NodeAgent(options, false, client, recorder, registry, clock);
    }

    /**
     * An agent without an API server, which runs static pods only (upstream: kubelet without {@code --kubeconfig}). It
     * has no Node, writes no statuses and no mirror pods.
     *
     * @param nowhere a client whose every request fails
     */
    public static NodeAgent alone(NodeAgentOptions options, KubeClient nowhere, EventRecorder recorder,
            MeterRegistry registry, Clock clock) {
        return new NodeAgent(options, true, nowhere, recorder, registry, clock);
    }

    private RateLimitingQueue<String> queue(String what, Clock clock) {
        return new RateLimitingQueue<>("node-" + options.name() + "-" + what, clock, RETRIES,
                RateLimitingQueue.DEFAULT_AGING, uid -> "", Meters.NONE);
    }

    public String name() {
        return options.name();
    }

    /**
     * The loops by name, in the order in which to start them, for a caller that steps them by hand. Others call
     * {@link #start}.
     */
    public Map<String, Loop> loops() {
        return new LinkedHashMap<>(loops);
    }

    /** Runs each loop on a virtual thread, and each pod's work on a virtual thread of its own. */
    public void start(LoopRunner runner) {
        tasks.runOn(runner, options.name() + "/pod");
        runtime.start(runner);
        loops.forEach((name, loop) -> runner.start(options.name() + "/" + name, loop));
    }

    /** The Node as the API server last returned it; null until it is registered. */
    public @Nullable V1Node node() {
        return registration.node();
    }

    /** Whether the node is registered and knows the pods that are bound to it, if there is an API server. */
    public boolean isReady() {
        return apiSource == null || registration.node() != null && apiSource.hasSynced();
    }

    /** The status of a pod as this agent last saw it; null if it has none. */
    public @Nullable V1PodStatus status(String uid) {
        return statuses.get(uid);
    }

    /** The UIDs of the pods that the runtime knows. */
    public Set<String> knownPods() {
        return runtime.pods();
    }

    /** Whether the node runs containers. */
    public boolean isReal() {
        return options.runtime() != null;
    }

    /** The pod sources and their merged pods. */
    public PodConfig podConfig() {
        return podConfig;
    }

    /** The state of each source, in the order file, http, api. */
    public List<SourceReport> sources() {
        List<SourceReport> reports = new ArrayList<>();
        if (fileSource != null) {
            reports.add(fileSource.report());
        }
        if (httpSource != null) {
            reports.add(httpSource.report());
        }
        if (apiSource != null) {
            reports.add(apiSource.report());
        }
        return reports;
    }

    /** The manifests that are refused now, and why. */
    public List<Refusal> refusals() {
        List<Refusal> refusals = new ArrayList<>(fileSource == null ? List.of() : fileSource.refusals());
        refusals.addAll(httpSource == null ? List.of() : httpSource.refusals());
        return refusals;
    }

    /**
     * Asks all loops to end, and does not wait for them. The pods stay as they are; the next agent of this node
     * continues with them.
     */
    @Override
    public void close() {
        loops.values().forEach(Loop::close);
        runtime.close();
    }
}
