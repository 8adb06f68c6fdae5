package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.PodLifecycleEvent;
import dev.wheelhouse.node.PodRuntime;
import dev.wheelhouse.node.PodRuntimeStatus;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Runs pods on a container runtime. Each pod has a loop of its own, so that no pod waits for another one. Once a second
 * the runtime is asked for its sandboxes and containers, and the pods whose containers changed are woken (upstream:
 * {@code pkg/kubelet/pleg/generic.go}). Sandboxes and containers without the label of this node are not touched. Thread
 * safe.
 */
final class CriRuntime implements PodRuntime {
    private static final Logger log = LoggerFactory.getLogger(CriRuntime.class);
    private static final long PERIOD = Duration.ofSeconds(1).toNanos();

    final NodeAgentOptions node;
    final CriService cri;
    final Prober prober;
    final KubeClient client;
    final PodEventRecorder events;
    final Clock clock;
    final String idPrefix;
    private final NodeFolders folders;
    private final CriNode owner;
    private final Map<String, CriPod> pods = new ConcurrentHashMap<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private final LogBudget lines;
    private final NodeServer server;
    private final SignalledLoop lister = new SignalledLoop() {
        private Map<String, Set<String>> last = Map.of();

        @Override
        public long step() {
            if (isClosed() || pods.isEmpty()) {
                return isClosed() ? IDLE : PERIOD;
            }
            try {
                Map<String, Set<String>> now = list();
                Stream.concat(last.keySet().stream(), now.keySet().stream()).distinct()
                        .filter(uid -> !now.getOrDefault(uid, Set.of()).equals(last.get(uid))).map(pods::get)
                        .forEach(pod -> {
                            if (pod != null) {
                                pod.wake();
                            }
                        });
                last = now;
            } catch (CriException e) {
                if (!isClosed()) {
                    lines.warn(log, "the container runtime of the node " + node.name()
                            + " does not answer; its pods are not watched until it does: " + e.getMessage());
                }
            }
            return PERIOD;
        }
    };
    private volatile @Nullable LoopRunner runner;
    private volatile Runnable wake = () -> {};

    /** @throws CriException if the runtime does not list what it runs */
    CriRuntime(CriNode owner, NodeAgentOptions node, CriService cri, NodeFolders folders, KubeClient client,
            PodEventRecorder events, Clock clock) {
        this.owner = owner;
        this.node = node;
        this.cri = cri;
        this.prober = new Prober(cri);
        this.folders = folders;
        this.client = client;
        this.events = events;
        this.clock = clock;
        this.idPrefix = owner.version().replaceFirst("://.*", "://");
        this.lines = new LogBudget(clock);
        for (String uid : list().keySet()) {
            pods.put(uid, CriPod.adopted(this, uid));
        }
        this.server = owner.server(this);
    }

    /** The sandboxes and containers of this node with their states, by the UIDs of their pods. */
    private Map<String, Set<String>> list() {
        Map<String, Set<String>> found = new HashMap<>();
        Map<String, String> mine = Map.of(Configs.NODE, node.name());
        for (PodSandbox sandbox : cri.sandboxes(mine)) {
            found.computeIfAbsent(sandbox.getLabelsOrDefault(Configs.POD_UID, ""), uid -> new TreeSet<>())
                    .add(sandbox.getId() + sandbox.getState());
        }
        for (Container container : cri.containers(mine)) {
            found.computeIfAbsent(container.getLabelsOrDefault(Configs.POD_UID, ""), uid -> new TreeSet<>())
                    .add(container.getId() + container.getState());
        }
        return found;
    }

    long memory() {
        return owner.memory();
    }

    NodeFolders folders() {
        return folders;
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
        threads.start(node.name() + "/containers", lister);
        pods.values().forEach(pod -> threads.start(node.name() + "/pod-" + pod.uid, pod));
    }

    private CriPod known(String uid) {
        CriPod there = pods.get(uid);
        if (there != null) {
            return there;
        }
        CriPod made = new CriPod(this, uid);
        pods.put(uid, made);
        LoopRunner threads = runner;
        if (threads != null) {
            threads.start(node.name() + "/pod-" + uid, made);
        }
        return made;
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
            } catch (IOException e) {
                lines.warn(log, "the files of pods that are gone could not be deleted; it is tried again: " + e);
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
    public void close() {
        server.close();
        lister.close();
        pods.values().forEach(CriPod::close);
        prober.close();
        cri.client().close();
    }
}
