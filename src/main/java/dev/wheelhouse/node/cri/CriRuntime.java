package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.PodLifecycleEvent;
import dev.wheelhouse.node.PodRuntime;
import dev.wheelhouse.node.PodRuntimeStatus;
import dev.wheelhouse.node.cri.proto.Cri.VersionResponse;
import dev.wheelhouse.node.net.PodNetwork;
import dev.wheelhouse.node.net.PodPort;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Runs pods on a container runtime. Each pod has a loop of its own, so that no pod waits for another one. Sandboxes and
 * containers without the label of this node are not touched. Thread safe.
 */
final class CriRuntime implements PodRuntime {
    private static final Logger log = LoggerFactory.getLogger(CriRuntime.class);
    /** Kubelet's {@code containerLogMonitorInterval}. */
    private static final long BETWEEN_ROTATIONS = Duration.ofSeconds(10).toNanos();

    final NodeAgentOptions node;
    final PodNetwork network;
    final CriService cri;
    final Prober prober;
    final Hooks hooks;
    final KubeClient client;
    final Claims claims;
    final NodeImages images;
    final PodEventRecorder events;
    final Clock clock;
    private final NodeFolders folders;
    private final CriNode owner;
    private final Map<String, CriPod> pods = new ConcurrentHashMap<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private final LogBudget lines;
    private final NodeServer server;
    private final RuntimeWatch watch;
    private final ControlGroups groups;
    private final SignalledLoop rotation = new SignalledLoop() {
        @Override
        public long step() {
            pods.values().stream().filter(pod -> !isClosed()).forEach(CriPod::rotateLogs);
            return isClosed() ? IDLE : BETWEEN_ROTATIONS;
        }
    };
    private final CniFiles cni;
    private final NodeStorage storage = new NodeStorage(this);
    private volatile @Nullable LoopRunner runner;
    private volatile Runnable wake = () -> {};
    private volatile Runnable problemChanged = () -> {};

    CriRuntime(CriNode owner, NodeAgentOptions node, boolean services, CriService cri, NodeFolders folders,
            ControlGroups groups, KubeClient client, KubeClient process, PodEventRecorder events, Clock clock) {
        this.owner = owner;
        this.node = node;
        this.cri = cri;
        this.prober = new Prober(cri);
        this.hooks = new Hooks(prober);
        this.folders = folders;
        this.client = client;
        this.claims = new Claims(client, folders);
        this.images = new NodeImages(cri, events, clock);
        this.events = events;
        this.clock = clock;
        this.lines = new LogBudget(clock);
        this.network = new PodNetwork(node, services, this::hostPorts, process, clock);
        this.cni = new CniFiles(this, services);
        this.groups = groups;
        this.watch = new RuntimeWatch(this);
        this.server = owner.server(this);
        watch.look();
    }

    /** The scheme of the IDs of containers, such as {@code containerd://}. */
    String idPrefix() {
        return owner.version().replaceFirst("://.*", "://");
    }

    void isVersion(VersionResponse version) {
        owner.isVersion(version);
    }

    /**
     * The runtime has something else of a pod than before.
     * @param first whether an earlier process may have left the pod
     */
    void seen(String uid, boolean first) {
        CriPod there = pods.get(uid);
        if (there != null) {
            there.wake();
        } else if (first) {
            begin(CriPod.adopted(this, uid));
        }
    }

    void problemChanged() {
        problemChanged.run();
    }

    /**
     * Makes the control group of a pod.
     * @return its name; empty where there can be none, which is logged
     */
    String controlGroup(V1Pod pod) {
        try {
            return watch.usesSystemd() ? "" : groups.make(pod);
        } catch (IOException e) {
            warn("the pods of the node " + node.name() + " have no control groups of their own, only their containers"
                    + " are limited: " + e);
            return "";
        }
    }

    /** Removes the control groups of all pods but those. */
    void retainControlGroups(Predicate<String> uids) throws IOException {
        groups.retain(uids);
    }

    private List<PodPort> hostPorts() {
        return pods.values().stream().flatMap(CriPod::hostPorts).toList();
    }

    long memory() {
        return owner.memory();
    }

    boolean hasSelinux() {
        return owner.hasSelinux();
    }

    NodeFolders folders() {
        return folders;
    }

    Collection<CriPod> all() {
        return pods.values();
    }

    /** Tells of a container of a pod. */
    void event(V1Pod pod, CriContainer container, String type, String reason, String message) {
        events.event(pod, container.fieldPath(), type, reason, message);
    }

    /** Ends the probes of a container that is to stop. */
    void endProbes(CriContainer container) {
        Probes probes = container.probes;
        LoopRunner threads = runner;
        if (probes != null && threads != null) {
            probes.stop(threads);
        }
    }

    /** Runs a task that may block, unless this process ends. */
    void run(String name, Runnable task) {
        LoopRunner threads = runner;
        if (threads != null) {
            threads.run(node.name() + "/" + name, task);
        }
    }

    @Nullable
    LoopRunner runner() {
        return runner;
    }

    /** Logs that a pod has to wait; a runtime that is down says it of every pod, once a second. */
    void warn(String what) {
        lines.warn(log, what);
    }

    void changed(String uid) {
        synchronized (changed) {
            changed.add(uid);
        }
        network.wake();
        wake.run();
    }

    /** Ends the loop of a pod of which nothing is left. The pod starts again if it was synced meanwhile. */
    synchronized void gone(CriPod pod) {
        pods.remove(pod.uid, pod);
        pod.close();
        V1Pod again = pod.next();
        if (again != null) {
            sync(again);
        }
    }

    @Override
    public void start(LoopRunner threads) {
        runner = threads;
        server.start(threads);
        threads.start(node.name() + "/containers", watch);
        threads.start(node.name() + "/container-events", watch.events());
        threads.start(node.name() + "/log-rotation", rotation);
        threads.start(node.name() + "/storage", storage);
        network.start(threads);
        threads.start(node.name() + "/cni", cni);
        pods.values().forEach(pod -> threads.start(node.name() + "/pod-" + pod.uid, pod));
    }

    private CriPod known(String uid) {
        CriPod there = pods.get(uid);
        return there != null ? there : begin(new CriPod(this, uid));
    }

    private CriPod begin(CriPod pod) {
        pods.put(pod.uid, pod);
        LoopRunner threads = runner;
        if (threads != null) {
            threads.start(node.name() + "/pod-" + pod.uid, pod);
        }
        return pod;
    }

    @Override
    public synchronized void sync(V1Pod pod) {
        known(pod.getMetadata().getUid()).sync(pod);
    }

    @Override
    public void kill(V1Pod pod, Duration gracePeriod) {
        CriPod there = pods.get(pod.getMetadata().getUid());
        if (there != null) {
            there.kill(pod, gracePeriod);
        }
    }

    @Override
    public @Nullable PodRuntimeStatus status(String uid) {
        CriPod pod = pods.get(uid);
        return pod == null || pod.isRemoved() ? null : pod.status();
    }

    @Override
    public @Nullable String evicted(String uid) {
        CriPod pod = pods.get(uid);
        return pod == null ? null : pod.evicted;
    }

    @Override
    public void describe(V1NodeStatus status) {
        status.images(images.shown());
    }

    @Override
    public void remove(String uid) {
        CriPod pod = pods.get(uid);
        if (pod != null) {
            pod.remove();
        }
    }

    /** Whether nothing follows in a log. */
    boolean hasEnded(String container, NodeFolders.Log run) {
        CriPod there = pods.get(run.podUid());
        return there == null || !there.isRunning(container, run.attempt());
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public Set<String> pods() {
        return pods.values().stream().filter(pod -> !pod.isRemoved()).map(pod -> pod.uid)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void retain(Set<String> uids) {
        pods.values().stream().filter(pod -> !uids.contains(pod.uid)).forEach(CriPod::removeOrphan);
        run("clean", () -> {
            try {
                folders.retain(uid -> uids.contains(uid) || pods.containsKey(uid));
                retainControlGroups(uid -> uids.contains(uid) || pods.containsKey(uid));
            } catch (IOException e) {
                lines.warn(log,
                        "the files and control groups of pods that are gone could not be deleted; it is tried again: "
                                + e);
            }
        });
    }

    @Override
    public @Nullable PodLifecycleEvent pollEvent() {
        synchronized (changed) {
            if (changed.isEmpty()) {
                return null;
            }
            String uid = changed.iterator().next();
            changed.remove(uid);
            return new PodLifecycleEvent(uid);
        }
    }

    @Override
    public long nanosToNextEvent() {
        synchronized (changed) {
            return changed.isEmpty() ? Long.MAX_VALUE : 0;
        }
    }

    @Override
    public void onEvent(Runnable callback) {
        wake = callback;
    }

    @Override
    public @Nullable String problem() {
        return watch.problem();
    }

    @Override
    public void onProblem(Runnable callback) {
        problemChanged = callback;
    }

    @Override
    public boolean isKnown() {
        return watch.hasLooked();
    }

    @Override
    public void close() {
        server.close();
        watch.close();
        rotation.close();
        storage.close();
        pods.values().forEach(CriPod::close);
        prober.close();
        network.close();
        cni.close();
        cri.client().close();
    }
}
