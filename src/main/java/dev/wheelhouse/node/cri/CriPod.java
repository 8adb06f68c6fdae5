package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.node.PodRuntimeStatus;
import dev.wheelhouse.node.RestartBackoff;
import dev.wheelhouse.node.cri.CriContainer.Kind;
import dev.wheelhouse.node.cri.PodActions.Action;
import dev.wheelhouse.node.cri.PodActions.BackOff;
import dev.wheelhouse.node.cri.PodActions.MakeSandbox;
import dev.wheelhouse.node.cri.PodActions.Start;
import dev.wheelhouse.node.cri.PodActions.Stop;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.net.PodPort;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * One pod: each step looks at what the runtime has of it, and does what {@link PodActions} says, like kubelet's pod
 * worker (upstream: {@code SyncPod} in {@code kuberuntime_manager.go}). A step may take as long as the pull of an
 * image; the stop of a container takes a task of its own.
 */
final class CriPod extends SignalledLoop {
    /** The time after which something that failed is tried again. */
    static final Duration RETRY = Duration.ofSeconds(10);
    private static final Duration NOTICE = Duration.ofSeconds(1);
    /** The least time between two looks at the objects that volumes show, while the pod itself does not change. */
    private static final Duration BETWEEN_REFRESHES = Duration.ofSeconds(30);
    private static final Duration EVICTION = Duration.ofSeconds(1);
    private static final Duration ORPHANS_GRACE = Duration.ofSeconds(30);
    private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");

    final String uid;
    private final CriRuntime runtime;
    private final PodObjects objects;
    private final PodVolumes volumes;
    private final PodObserver observer;
    private final Interruption interruption = new Interruption();
    private final ContainerStarter starter;
    private final ContainerStops stops;
    private final Map<String, CriContainer> containers = new LinkedHashMap<>();
    /** Why the pod was evicted; null if it was not. */
    volatile @Nullable String evicted;
    private @Nullable V1Pod desired;
    private @Nullable V1Pod next;
    private boolean orphan;
    private long killAt = Long.MAX_VALUE;
    private boolean removed;
    private @Nullable PodRuntimeStatus shown;
    private String told = "";
    private boolean refresh = true;
    private long refreshed;

    CriPod(CriRuntime runtime, String uid) {
        this.runtime = runtime;
        this.uid = uid;
        ContainerFiles files = new ContainerFiles(runtime.folders(), uid);
        this.objects = new PodObjects(runtime.client, runtime.clock);
        this.volumes = new PodVolumes(runtime.folders().disk(uid), runtime.folders().memory(uid), objects,
                runtime.claims);
        this.starter = new ContainerStarter(runtime, volumes, files, interruption);
        this.stops = new ContainerStops(runtime, this::wake);
        this.observer = new PodObserver(runtime.cri, Configs.labels(runtime.node.name(), uid), runtime.idPrefix(),
                status -> {
                    CriContainer container = container(status.getMetadata().getName());
                    return container == null ? null : files.message(pod(), container.spec, status);
                }, id -> interruption.isRequested() || stops.isUnderWay(id), runtime.clock);
    }

    /** A pod that an earlier process has left. */
    static CriPod adopted(CriRuntime runtime, String uid) {
        CriPod pod = new CriPod(runtime, uid);
        pod.observer.observe();
        return pod;
    }

    void sync(V1Pod pod) {
        synchronized (this) {
            if (removed) {
                next = pod;
            } else {
                refresh |= pod != desired || runtime.clock.nanoTime() - refreshed >= BETWEEN_REFRESHES.toNanos();
                use(pod);
            }
        }
        wake();
    }

    void kill(V1Pod pod, Duration grace) {
        synchronized (this) {
            if (removed) {
                next = null;
                return;
            }
            use(pod);
            killAt = Math.min(killAt, runtime.clock.deadline(grace));
        }
        interruption.request();
        wake();
    }

    /** Ends the pod for good, because it uses too much of the disk. */
    void evict(V1Pod pod, String why) {
        evicted = why;
        kill(pod, EVICTION);
        runtime.changed(uid);
    }

    void remove() {
        synchronized (this) {
            removed = true;
            next = null;
        }
        interruption.request();
        wake();
    }

    /** Stops and removes a pod that no source names. */
    void removeOrphan() {
        synchronized (this) {
            if (orphan || removed) {
                return;
            }
            orphan = true;
            killAt = runtime.clock.deadline(ORPHANS_GRACE);
        }
        interruption.request();
        wake();
    }

    synchronized boolean isRemoved() {
        return removed;
    }

    /** The pod that is to run after the removal of this one; null if there is none. */
    synchronized @Nullable V1Pod next() {
        return next;
    }

    synchronized @Nullable V1Pod pod() {
        return desired;
    }

    private void use(V1Pod pod) {
        desired = pod;
        for (V1Container each : PodPhases.initContainers(pod.getSpec())) {
            use(PodPhases.isSidecar(each) ? Kind.SIDECAR : Kind.INIT, each);
        }
        pod.getSpec().getContainers().forEach(each -> use(Kind.MAIN, each));
        orEmpty(pod.getSpec().getEphemeralContainers())
                .forEach(each -> containers.computeIfAbsent(each.getName(), name -> CriContainer.of(each)));
    }

    private void use(Kind kind, V1Container spec) {
        containers.computeIfAbsent(spec.getName(), name -> new CriContainer(kind, spec)).spec = spec;
    }

    private synchronized @Nullable CriContainer container(String name) {
        return containers.get(name);
    }

    /** The state now. A pod whose spec is not known yet has the containers that the runtime has. */
    private synchronized PodActions.View view(@Nullable V1Pod pod) {
        Observed now = observer.seen();
        List<CriContainer> known = !containers.isEmpty()
                ? List.copyOf(containers.values())
                : now.runs().keySet().stream()
                        .map(name -> new CriContainer(Kind.MAIN, new V1Container().name(name).image(""))).toList();
        return new PodActions.View(pod == null ? new V1Pod() : pod, now, known, runtime.clock.now(),
                runtime.clock.nanoTime());
    }

    /** The status for the API. */
    PodRuntimeStatus status() {
        PodActions.View view = view(null);
        Observed now = view.seen();
        List<CriContainer> inits = view.of(Kind.INIT, Kind.SIDECAR);
        boolean initializing = inits.stream().anyMatch(each -> !each.isInitialized(now));
        return new PodRuntimeStatus(now.ready() != null, now.ip(),
                inits.stream().map(each -> each.status(now, true)).toList(),
                view.of(Kind.MAIN).stream().map(each -> each.status(now, initializing)).toList(),
                view.of(Kind.EPHEMERAL).stream().map(each -> each.status(now, false)).toList());
    }

    /** Rotates the logs of the containers that run. */
    void rotateLogs() {
        V1Pod pod = pod();
        if (pod == null) {
            return;
        }
        observer.runs().filter(Run::isRunning).forEach(run -> {
            try {
                LogRotation.rotate(runtime.folders().log(pod, run.status().getMetadata().getName(), run.attempt()),
                        LogRotation.MOST_BYTES, runtime.clock.now(), () -> runtime.cri.reopenLog(run.id()));
            } catch (IOException | CriException e) {
                runtime.warn("the log of a container of the pod " + uid + " could not be rotated, it is tried again: "
                        + e.getMessage());
            }
        });
    }

    boolean isRunning(String container, int attempt) {
        Run run = observer.seen().last(container);
        return run != null && run.isRunning() && run.attempt() == attempt;
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        V1Pod pod;
        boolean ends;
        synchronized (this) {
            pod = desired;
            ends = removed || orphan && !observer.seen().anyRunning();
        }
        long wait;
        try {
            observe();
            wait = ends ? tearDown() : interruption.isRequested() ? stopAll(pod) : pod == null ? IDLE : advance(pod);
        } catch (CriException | IOException e) {
            if (isClosed()) {
                return IDLE;
            }
            if (!interruption.isRequested() || ends) {
                String name = pod == null ? uid : pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
                runtime.warn("the pod " + name + " could not be brought nearer to its spec, trying again: "
                        + e.getMessage());
            }
            wait = NOTICE.toNanos();
        }
        PodRuntimeStatus now = status();
        if (!now.equals(shown)) {
            shown = now;
            runtime.changed(uid);
        }
        return observer.awaitsReason() ? Math.min(wait, PodActions.SOON.toNanos()) : wait;
    }

    private Observed observe() {
        Observed seen = observer.observe();
        stops.retain(id -> observer.runs().anyMatch(each -> each.id().equals(id) && !each.hasEnded()));
        return seen;
    }

    /** The ports of the machine that lead to this pod, while it has an address of its own. */
    Stream<PodPort> hostPorts() {
        V1Pod pod = pod();
        String ip = observer.seen().ip();
        return pod == null || ip.isEmpty() || Boolean.TRUE.equals(pod.getSpec().getHostNetwork())
                ? Stream.of()
                : PodPhases.containers(pod.getSpec()).flatMap(each -> Absent.orEmpty(each.getPorts()).stream())
                        .filter(port -> Absent.orZero(port.getHostPort()) > 0)
                        .map(port -> new PodPort(Absent.orEmpty(port.getHostIP()), port.getProtocol(),
                                port.getHostPort(), ip, port.getContainerPort()));
    }

    private long advance(V1Pod pod) throws IOException {
        String problem = Unsupported.of(pod, runtime.hasSelinux());
        if (problem != null) {
            tell(pod, "Unsupported", problem);
            if (observer.seen().runs().isEmpty()) {
                return IDLE;
            }
        }
        for (String id : observer.seen().unstarted()) {
            runtime.cri.remove(id);
        }
        view(pod).containers().forEach(each -> lookAfter(pod, each));
        PodActions todo = PodActions.of(view(pod));
        boolean lacksSandbox = observer.seen().ready() == null;
        if (lacksSandbox && todo.actions().isEmpty()) {
            return IDLE;
        }
        if (!runtime.network.isReadyFor(pod)) {
            return NOTICE.toNanos() / 5;
        }
        try {
            if (takeRefresh() || lacksSandbox) {
                volumes.prepare(fields(pod));
            }
        } catch (ConfigProblem e) {
            tell(pod, "FailedMount", e.reason);
            if (lacksSandbox) {
                return RETRY.toNanos();
            }
        }
        for (Action action : todo.actions()) {
            Long wait = perform(pod, action);
            if (wait != null) {
                return wait;
            }
        }
        return todo.pause();
    }

    private synchronized boolean takeRefresh() {
        boolean taken = refresh;
        refresh = false;
        refreshed = runtime.clock.nanoTime();
        return taken;
    }

    private void tell(V1Pod pod, String reason, String message) {
        if (!told.equals(message)) {
            told = message;
            runtime.events.event(pod, "", "Warning", reason, message);
        }
    }

    private FieldRefs fields(V1Pod pod) {
        boolean onHost = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
        Map<String, Quantity> allocatable = new HashMap<>();
        runtime.node.capacity().forEach((name, amount) -> allocatable.put(name, BoundedQuantity.parse(amount)));
        return new FieldRefs(pod, runtime.node.hostIp(), onHost ? runtime.node.hostIp() : observer.seen().ip(),
                allocatable);
    }

    /** Does one thing. @return the time until the next step, if all else has changed; null to go on */
    private @Nullable Long perform(V1Pod pod, Action action) throws IOException {
        return switch (action) {
            case MakeSandbox make -> makeSandbox(pod) ? BUSY : RETRY.toNanos();
            case Start start -> start(pod, start);
            case BackOff put -> backOff(pod, put.container(), put.last(), put.whole());
            case Stop stop -> stop(pod, stop);
        };
    }

    private @Nullable Long start(V1Pod pod, Start start) throws IOException {
        PodSandbox sandbox = observer.seen().ready();
        CriContainer container = start.container();
        Run last = start.last();
        if (last != null && !last.hasEnded()) {
            runtime.cri.stop(last.id(), 0);
        }
        String id = sandbox == null || interruption.isRequested()
                ? null
                : starter.start(fields(pod), sandbox, sandboxConfig(pod, sandbox.getMetadata().getAttempt()),
                        container, last, observer.seen().last(container.target));
        if (id != null) {
            starter.removeOldRuns(pod, container, observer.seen().of(container.name()));
            starter.afterStart(fields(pod), container, id);
        }
        return BUSY;
    }

    private @Nullable Long backOff(V1Pod pod, CriContainer container, Run last, Duration whole) {
        String name = Configs.podName(pod, "%2$s_%1$s(%3$s)");
        container.waits("CrashLoopBackOff", "back-off " + RestartBackoff.text(whole) + " restarting failed container="
                + container.name() + " pod=" + name);
        if (container.isNews(last)) {
            runtime.event(pod, container, "Warning", "BackOff", "Back-off restarting failed container "
                    + container.name() + " in pod " + name);
        }
        return null;
    }

    private @Nullable Long stop(@Nullable V1Pod pod, Stop stop) {
        stops.begin(pod, stop.container(), stop.run(), stop.grace(), stop.why(),
                pod == null ? "" : fields(pod).podIp());
        return null;
    }

    private PodSandboxConfig sandboxConfig(V1Pod pod, int attempt) throws IOException {
        List<String> resolvConf = Files.exists(RESOLV_CONF) ? Files.readAllLines(RESOLV_CONF) : List.of();
        PodSandboxConfig config = Configs.sandbox(pod, runtime.node.name(), attempt,
                runtime.folders().logs(pod).toString(), resolvConf,
                runtime.network.nameServer());
        return config.toBuilder()
                .setLinux(config.getLinux().toBuilder().setCgroupParent(runtime.controlGroup(pod))).build();
    }

    /** Makes a sandbox, after the end of all that is left in older ones. */
    private boolean makeSandbox(V1Pod pod) throws IOException {
        List<PodSandbox> olds = observer.seen().sandboxes();
        int attempt = 0;
        if (!olds.isEmpty()) {
            runtime.events.event(pod, "", "Normal", "SandboxChanged",
                    "Pod sandbox changed, it will be killed and re-created.");
            attempt = olds.get(0).getMetadata().getAttempt() + 1;
        }
        for (PodSandbox old : olds) {
            runtime.cri.stopSandbox(old.getId());
        }
        Files.createDirectories(runtime.folders().logs(pod));
        try {
            runtime.cri.runSandbox(sandboxConfig(pod, attempt), objects.runtimeHandler(pod), interruption::begun);
        } catch (CriException | ConfigProblem e) {
            if (!interruption.isRequested()) {
                runtime.events.event(pod, "", "Warning", "FailedCreatePodSandBox",
                        "Failed to create pod sandbox: "
                                + (e instanceof CriException cri ? cri.reason : e.getMessage()));
            }
            return false;
        }
        for (PodSandbox old : olds) {
            // The newest dead runs stay, for the status; the sandboxes of older ones go with them.
            if (observer.runs().noneMatch(run -> run.sandbox().equals(old.getId()))) {
                runtime.cri.removeSandbox(old.getId());
            }
        }
        return true;
    }

    /** Looks after a container that runs: nothing keeps it waiting, and it is probed. */
    private void lookAfter(V1Pod pod, CriContainer container) {
        Run run = observer.seen().last(container.name());
        if (run == null || !run.isRunning() || run.isOver()) {
            runtime.endProbes(container);
            return;
        }
        container.waitsNoMore();
        Probes probes = container.probes;
        if (probes != null && probes.containerId.equals(run.id())) {
            return;
        }
        runtime.endProbes(container);
        String address = fields(pod).podIp();
        Probes made = new Probes(container.spec, run.id(), Duration.between(run.startedAt(), runtime.clock.now()),
                wasReady(pod, run),
                (kind, probe) -> runtime.prober.probe(probe, container.spec, run.id(), address,
                        why -> runtime.event(pod, container, "Warning", "ProbeWarning",
                                kind + " probe warning: " + why)),
                new Probes.Listener() {
                    @Override
                    public void failed(String kind, String why) {
                        runtime.event(pod, container, "Warning", "Unhealthy", kind + " probe failed: " + why);
                    }

                    @Override
                    public void changed() {
                        wake();
                    }
                }, runtime.clock);
        container.probes = made;
        LoopRunner runner = runtime.runner();
        if (runner != null) {
            made.start(runner, runtime.node.name() + "/probe-" + container.name());
        }
    }

    /** Whether the API server has it that this very run was ready, by an earlier process. */
    private static boolean wasReady(V1Pod pod, Run run) {
        V1PodStatus status = pod.getStatus();
        return status != null && Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses())
                .filter(Objects::nonNull).flatMap(List<V1ContainerStatus>::stream)
                .anyMatch(each -> (run.idPrefix() + run.id()).equals(each.getContainerID())
                        && Boolean.TRUE.equals(each.getReady()));
    }

    private long stopAll(@Nullable V1Pod pod) {
        long until;
        synchronized (this) {
            until = killAt;
        }
        Duration left = runtime.clock.until(until);
        PodActions.stops(view(pod), left).forEach(stop -> stop(pod, stop));
        return observer.seen().anyRunning() ? Math.max(1, Math.min(left.toNanos(), NOTICE.toNanos())) : IDLE;
    }

    /** Removes all that the runtime and the disk have of this pod, except its logs. */
    private long tearDown() throws IOException {
        Observed seen = observer.seen();
        containers.values().forEach(runtime::endProbes);
        for (PodSandbox sandbox : seen.sandboxes()) {
            runtime.cri.stopSandbox(sandbox.getId());
        }
        for (String id : Stream.concat(seen.unstarted().stream(), observer.runs().map(Run::id)).toList()) {
            runtime.cri.remove(id);
        }
        for (PodSandbox sandbox : seen.sandboxes()) {
            runtime.cri.removeSandbox(sandbox.getId());
        }
        if (!observe().isEmpty()) {
            return NOTICE.toNanos();
        }
        volumes.remove();
        runtime.retainControlGroups(other -> !other.equals(uid));
        runtime.gone(this);
        return IDLE;
    }
}
