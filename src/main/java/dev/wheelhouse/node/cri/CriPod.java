package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.node.HollowImages;
import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.node.PodRuntimeStatus;
import dev.wheelhouse.node.RestartBackoff;
import dev.wheelhouse.node.RestartPolicies;
import dev.wheelhouse.node.cri.CriContainer.Kind;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.node.cri.proto.Cri.Mount;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.net.PodPort;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

import okhttp3.Call;

/**
 * One pod: each step looks at what the runtime has of it, and does what its spec lacks, like kubelet's pod worker
 * (upstream: {@code SyncPod} and {@code computePodActions} in {@code kuberuntime_manager.go}). A step may take as long
 * as the pull of an image; the stop of a container takes a task of its own.
 */
final class CriPod extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(CriPod.class);
    private static final Duration RETRY = Duration.ofSeconds(10);
    private static final Duration NOTICE = Duration.ofSeconds(1);
    /** The least time between two looks at the objects that volumes show, while the pod itself does not change. */
    private static final Duration BETWEEN_REFRESHES = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final Duration ORPHANS_GRACE = Duration.ofSeconds(30);
    /** The least time between SIGTERM and SIGKILL, even after a hook that took the whole grace period. */
    private static final Duration LEAST_GRACE = Duration.ofSeconds(2);
    private static final Duration HOOK = Duration.ofMinutes(10);
    private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
    private static final int MOST_OF_MESSAGE = 4096;
    private static final String HOSTS = """
            # Kubernetes-managed hosts file.
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost ip6-loopback
            """;

    final String uid;
    private final CriRuntime runtime;
    private final PodVolumes volumes;
    private final Map<String, CriContainer> containers = new LinkedHashMap<>();
    private final Map<String, Run> ended = new HashMap<>();
    /** The times at which containers that stop are killed, by their IDs. */
    private final Map<String, Long> stops = new ConcurrentHashMap<>();
    private volatile Observed seen = Observed.NOTHING;
    private volatile @Nullable Call call;
    private @Nullable V1Pod desired;
    private @Nullable V1Pod next;
    private boolean killing;
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
        this.volumes = new PodVolumes(runtime.folders().disk(uid), runtime.folders().memory(uid),
                new PodObjects(runtime.client, runtime.clock));
    }

    /** A pod that an earlier process has left. */
    static CriPod adopted(CriRuntime runtime, String uid) {
        CriPod pod = new CriPod(runtime, uid);
        pod.observe();
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
            killing = true;
            long now = runtime.clock.nanoTime();
            long at = now + Math.min(Durations.saturatedNanos(grace), Long.MAX_VALUE / 4);
            killAt = killAt == Long.MAX_VALUE ? at : Math.min(killAt, at);
        }
        cancel();
        wake();
    }

    void remove() {
        synchronized (this) {
            removed = true;
            killing = true;
            next = null;
        }
        cancel();
        wake();
    }

    /** Stops and removes a pod that no source names. */
    void removeOrphan() {
        synchronized (this) {
            if (orphan || removed) {
                return;
            }
            orphan = true;
            killing = true;
            killAt = runtime.clock.deadline(ORPHANS_GRACE);
        }
        cancel();
        wake();
    }

    synchronized boolean isRemoved() {
        return removed;
    }

    /** The pod that is to run after the removal of this one; null if there is none. */
    synchronized @Nullable V1Pod next() {
        return next;
    }

    private synchronized boolean isKilling() {
        return killing;
    }

    /** Ends the call that keeps a step from noticing that the pod is to stop. */
    private void cancel() {
        Call current = call;
        if (current != null) {
            current.cancel();
        }
    }

    private void begun(Call begun) {
        call = begun;
        if (isKilling()) {
            begun.cancel();
        }
    }

    private void use(V1Pod pod) {
        desired = pod;
        for (V1Container each : PodPhases.initContainers(pod.getSpec())) {
            use(PodPhases.isSidecar(each) ? Kind.SIDECAR : Kind.INIT, each);
        }
        pod.getSpec().getContainers().forEach(each -> use(Kind.MAIN, each));
    }

    private void use(Kind kind, V1Container spec) {
        containers.computeIfAbsent(spec.getName(), name -> new CriContainer(kind, spec)).spec = spec;
    }

    private synchronized List<CriContainer> containers(boolean mains) {
        return containers.values().stream().filter(each -> (each.kind == Kind.MAIN) == mains).toList();
    }

    /** The status for the API. A pod whose spec is not known yet has the containers that the runtime has. */
    PodRuntimeStatus status() {
        Observed now = seen;
        List<CriContainer> inits = containers(false);
        List<CriContainer> mains = containers(true);
        if (mains.isEmpty()) {
            mains = now.runs().keySet().stream()
                    .map(name -> new CriContainer(Kind.MAIN, new V1Container().name(name).image(""))).toList();
        }
        boolean initializing = inits.stream().anyMatch(each -> !isInitialized(each, now));
        return new PodRuntimeStatus(now.ready() != null, now.ip(),
                inits.stream().map(each -> each.status(now, true)).toList(),
                mains.stream().map(each -> each.status(now, initializing)).toList(), List.of());
    }

    private static boolean isInitialized(CriContainer init, Observed now) {
        Run run = now.last(init.name());
        Probes probes = init.probes;
        return run != null && (init.kind == Kind.INIT
                ? run.succeeded()
                : run.isRunning() && probes != null && probes.isStarted());
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        V1Pod pod;
        boolean stops;
        boolean ends;
        synchronized (this) {
            pod = desired;
            stops = killing;
            ends = removed || orphan && !seen.anyRunning();
        }
        long wait;
        try {
            observe();
            wait = ends ? tearDown() : stops ? stopAll() : pod == null ? IDLE : advance(pod);
        } catch (CriException | IOException e) {
            if (isClosed()) {
                return IDLE;
            }
            if (!isKilling() || ends) {
                String name = pod == null ? uid : pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
                runtime.warn("the pod " + name + " could not be brought nearer to its spec, trying again: "
                        + e.getMessage());
            }
            wait = NOTICE.toNanos();
        }
        publish();
        return wait;
    }

    boolean isRunning(String container, int attempt) {
        Run run = seen.last(container);
        return run != null && run.isRunning() && run.attempt() == attempt;
    }

    private void publish() {
        PodRuntimeStatus now = status();
        if (!now.equals(shown)) {
            shown = now;
            runtime.changed(uid);
        }
    }

    /** Asks the runtime what it has of this pod. */
    private void observe() {
        Map<String, String> labels = Configs.labels(runtime.node.name(), uid);
        List<PodSandbox> sandboxes = runtime.cri.sandboxes(labels).stream()
                .sorted(Comparator.comparingLong(PodSandbox::getCreatedAt).reversed()).toList();
        Map<String, List<Run>> runs = new HashMap<>();
        List<String> unstarted = new ArrayList<>();
        for (Container container : runtime.cri.containers(labels)) {
            if (container.getState() == ContainerState.CONTAINER_CREATED) {
                unstarted.add(container.getId());
                continue;
            }
            Run run = ended.get(container.getId());
            ContainerStatus status = run != null ? run.status() : runtime.cri.status(container.getId());
            if (status != null) {
                Run found = run != null ? run : run(container.getPodSandboxId(), status);
                runs.computeIfAbsent(status.getMetadata().getName(), name -> new ArrayList<>()).add(found);
            }
        }
        runs.values().forEach(all -> all.sort(Comparator.comparingInt(Run::attempt)
                .thenComparingLong(each -> each.status().getCreatedAt()).reversed()));
        PodSandbox first = sandboxes.isEmpty() ? null : sandboxes.get(0);
        Observed before = seen;
        boolean sameSandbox = first != null && before.ready() != null && before.ready().getId().equals(first.getId());
        Observed now = new Observed(sandboxes, "", runs, unstarted);
        String ip = now.ready() == null ? "" : sameSandbox ? before.ip() : runtime.cri.address(now.ready().getId());
        seen = new Observed(sandboxes, ip, runs, unstarted);
        stops.keySet().removeIf(id -> runs.values().stream().flatMap(List::stream)
                .noneMatch(each -> each.id().equals(id) && !each.hasEnded()));
    }

    private Run run(String sandbox, ContainerStatus status) {
        CriContainer container = container(status.getMetadata().getName());
        boolean over = status.getState() == ContainerState.CONTAINER_EXITED;
        Run run = new Run(sandbox, status, runtime.idPrefix,
                over && container != null ? message(container.spec, status) : status.getMessage());
        if (over && container != null) {
            ended.put(status.getId(), run);
        }
        return run;
    }

    private synchronized @Nullable CriContainer container(String name) {
        return containers.get(name);
    }

    /** The last words of a container: in its file, else at the end of its log if the spec asks for that. */
    private String message(V1Container spec, ContainerStatus status) {
        int attempt = status.getMetadata().getAttempt();
        Path file = runtime.folders().message(uid, spec.getName(), attempt);
        try (var in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(MOST_OF_MESSAGE), StandardCharsets.UTF_8);
            if (!text.isEmpty()) {
                return text;
            }
        } catch (IOException e) {
            // The container never came so far.
        }
        V1Pod pod = pod();
        boolean fallsBack = "FallbackToLogsOnError".equals(spec.getTerminationMessagePolicy())
                && status.getExitCode() != 0 && pod != null;
        String tail = fallsBack && pod != null
                ? CriLogs.tail(runtime.folders().logs(pod).resolve(spec.getName()).resolve(attempt + ".log"))
                : "";
        return tail.isEmpty() ? status.getMessage() : tail;
    }

    private synchronized @Nullable V1Pod pod() {
        return desired;
    }

    /** The ports of the machine that lead to this pod, while it has an address of its own. */
    Stream<PodPort> hostPorts() {
        V1Pod pod = pod();
        String ip = seen.ip();
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
            tell(pod, "Warning", "Unsupported", problem);
            if (seen.runs().isEmpty()) {
                return IDLE;
            }
        }
        for (String id : seen.unstarted()) {
            runtime.cri.remove(id);
        }
        PodSandbox sandbox = seen.ready();
        if (sandbox == null && !wantsSandbox(pod)) {
            return IDLE;
        }
        if (!runtime.network.isReadyFor(pod)) {
            return SOON.toNanos();
        }
        try {
            if (takeRefresh() || sandbox == null) {
                volumes.prepare(fields(pod));
            }
        } catch (ConfigProblem e) {
            tell(pod, "Warning", "FailedMount", e.reason);
            if (sandbox == null) {
                return RETRY.toNanos();
            }
        }
        if (sandbox == null) {
            sandbox = makeSandbox(pod);
            if (sandbox == null) {
                return RETRY.toNanos();
            }
        }
        return runContainers(pod, sandbox);
    }

    private synchronized boolean takeRefresh() {
        boolean taken = refresh;
        refresh = false;
        refreshed = runtime.clock.nanoTime();
        return taken;
    }

    private void tell(V1Pod pod, String type, String reason, String message) {
        if (!told.equals(message)) {
            told = message;
            runtime.events.event(pod, "", type, reason, message);
        }
    }

    private FieldRefs fields(V1Pod pod) {
        boolean onHost = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
        Map<String, Quantity> allocatable = new HashMap<>();
        runtime.node.capacity().forEach((name, amount) -> allocatable.put(name, BoundedQuantity.parse(amount)));
        return new FieldRefs(pod, runtime.node.hostIp(), onHost ? runtime.node.hostIp() : seen.ip(), allocatable);
    }

    /** Whether any container has to run, in a new sandbox if there is none (upstream: {@code computePodActions}). */
    private boolean wantsSandbox(V1Pod pod) {
        boolean never = "Never".equals(pod.getSpec().getRestartPolicy());
        boolean fresh = seen.runs().isEmpty();
        return fresh || containers(true).stream().anyMatch(each -> {
            Run run = seen.last(each.name());
            return run == null ? !never : restarts(pod, each, run);
        });
    }

    private static boolean restarts(V1Pod pod, CriContainer container, Run run) {
        return (container.kind != Kind.INIT || !run.succeeded())
                && RestartPolicies.restarts(pod.getSpec().getRestartPolicy(), container.spec,
                        run.hasEnded() ? run.status().getExitCode() : 137);
    }

    private PodSandboxConfig sandboxConfig(V1Pod pod, int attempt) throws IOException {
        List<String> resolvConf = Files.exists(RESOLV_CONF) ? Files.readAllLines(RESOLV_CONF) : List.of();
        return Configs.sandbox(pod, runtime.node.name(), attempt, runtime.folders().logs(pod).toString(), resolvConf,
                runtime.network.nameServer());
    }

    /** Makes a sandbox, after the end of all that is left in older ones. Null if the runtime cannot make one now. */
    private @Nullable PodSandbox makeSandbox(V1Pod pod) throws IOException {
        int attempt = 0;
        if (!seen.sandboxes().isEmpty()) {
            runtime.events.event(pod, "", "Normal", "SandboxChanged",
                    "Pod sandbox changed, it will be killed and re-created.");
            attempt = seen.sandboxes().get(0).getMetadata().getAttempt() + 1;
        }
        for (PodSandbox old : seen.sandboxes()) {
            runtime.cri.stopSandbox(old.getId());
        }
        Files.createDirectories(runtime.folders().logs(pod));
        try {
            runtime.cri.runSandbox(sandboxConfig(pod, attempt), this::begun);
        } catch (CriException e) {
            if (!isKilling()) {
                runtime.events.event(pod, "", "Warning", "FailedCreatePodSandBox",
                        "Failed to create pod sandbox: " + e.reason);
            }
            return null;
        }
        for (PodSandbox old : seen.sandboxes()) {
            // The newest dead runs stay, for the status; the sandboxes of older ones go with them.
            if (seen.runs().values().stream().flatMap(List::stream).noneMatch(r -> r.sandbox().equals(old.getId()))) {
                runtime.cri.removeSandbox(old.getId());
            }
        }
        observe();
        return seen.ready();
    }

    private long runContainers(V1Pod pod, PodSandbox sandbox) throws IOException {
        List<CriContainer> mains = containers(true);
        boolean over = mains.stream().allMatch(each -> {
            Run run = seen.last(each.name());
            return run != null && run.hasEnded() && !restarts(pod, each, run);
        });
        if (over) {
            stopSidecars(pod, runtime.clock.deadline(grace(pod)));
            return IDLE;
        }
        boolean begun = mains.stream().anyMatch(each -> {
            Run run = seen.last(each.name());
            return run != null && run.sandbox().equals(sandbox.getId());
        });
        long wait = IDLE;
        for (CriContainer init : containers(false)) {
            Run run = seen.last(init.name());
            boolean here = run != null && run.sandbox().equals(sandbox.getId());
            if (init.kind == Kind.INIT && (begun || here && run != null && run.succeeded())) {
                continue;
            }
            wait = Math.min(wait, ensure(pod, sandbox, init));
            Run now = seen.last(init.name());
            if (init.kind == Kind.SIDECAR ? !begun && !isInitialized(init, seen) : !isInitialized(init, seen)) {
                // The next container should not wait for the next listing if this one is short.
                boolean brief = init.kind == Kind.INIT && now != null && now.isRunning()
                        && Duration.between(now.startedAt(), runtime.clock.now()).compareTo(SHORT) < 0;
                return brief ? Math.min(wait, SOON.toNanos()) : wait;
            }
        }
        for (CriContainer main : mains) {
            wait = Math.min(wait, ensure(pod, sandbox, main));
        }
        return wait;
    }

    private static Duration grace(V1Pod pod) {
        Long seconds = pod.getSpec().getTerminationGracePeriodSeconds();
        return Duration.ofSeconds(seconds == null ? 30 : Math.clamp(seconds, 0, Integer.MAX_VALUE));
    }

    /** Makes a container run, or run again. @return the time until it has to be looked at again */
    private long ensure(V1Pod pod, PodSandbox sandbox, CriContainer container) throws IOException {
        if (isKilling()) {
            return BUSY;
        }
        Run run = seen.last(container.name());
        long now = runtime.clock.nanoTime();
        if (run != null && run.isRunning()) {
            return watch(pod, container, run);
        }
        // An init container runs again in each sandbox, whatever became of it in an older one.
        boolean again = run != null && run.hasEnded() && run.sandbox().equals(sandbox.getId());
        if (run != null && run.hasEnded() && (again || container.kind == Kind.MAIN) && !restarts(pod, container, run)) {
            return IDLE;
        }
        if (run != null && !run.hasEnded()) {
            runtime.cri.stop(run.id(), 0);
        }
        if (now < container.nextAttempt) {
            return container.nextAttempt - now;
        }
        if (again && run != null) {
            Duration backoff = container.backoff();
            Duration left = backoff.minus(Duration.between(run.finishedAt(), runtime.clock.now()));
            if (left.isPositive()) {
                container.waits("CrashLoopBackOff", "back-off " + RestartBackoff.text(backoff)
                        + " restarting failed container=" + container.name() + " pod=" + shortName(pod));
                if (container.isNews(run)) {
                    event(pod, container, "Warning", "BackOff", "Back-off restarting failed container "
                            + container.name() + " in pod " + shortName(pod));
                }
                return left.toNanos();
            }
        }
        start(pod, sandbox, container, run);
        observe();
        publish();
        Run started = seen.last(container.name());
        return started != null && started.isRunning() ? watch(pod, container, started) : NOTICE.toNanos();
    }

    private static String shortName(V1Pod pod) {
        return pod.getMetadata().getName() + "_" + pod.getMetadata().getNamespace() + "(" + pod.getMetadata().getUid()
                + ")";
    }

    private void event(V1Pod pod, CriContainer container, String type, String reason, String message) {
        runtime.events.event(pod, container.fieldPath(), type, reason, message);
    }

    /** Looks after a container that runs: its probes, and whether its image is still the one of the spec. */
    private long watch(V1Pod pod, CriContainer container, Run run) {
        container.waitsNoMore();
        Probes probes = container.probes;
        if (probes == null || !probes.containerId.equals(run.id())) {
            probes = probe(pod, container, run);
        }
        V1Probe fatal = probes.fatal();
        String image = run.status().getAnnotationsOrDefault(Configs.IMAGE, "");
        if (fatal != null) {
            Long own = fatal.getTerminationGracePeriodSeconds();
            stop(pod, container, run, runtime.clock.deadline(own == null ? grace(pod) : Duration.ofSeconds(own)),
                    "Container " + container.name() + " failed " + probes.fatalKind() + " probe, will be restarted");
        } else if (container.kind != Kind.INIT && !image.isEmpty() && !image.equals(container.spec.getImage())) {
            stop(pod, container, run, runtime.clock.deadline(grace(pod)),
                    "Container " + container.name() + " definition changed, will be restarted");
        }
        return IDLE;
    }

    private Probes probe(V1Pod pod, CriContainer container, Run run) {
        endProbes(container);
        String address = fields(pod).podIp();
        Probes made = new Probes(container.spec, run.id(), Duration.between(run.startedAt(), runtime.clock.now()),
                wasReady(pod, run), probe -> runtime.prober.probe(probe, container.spec, run.id(), address),
                new Probes.Listener() {
                    @Override
                    public void failed(String kind, String why) {
                        event(pod, container, "Warning", "Unhealthy", kind + " probe failed: " + why);
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
        return made;
    }

    /** Whether the API server has it that this very run was ready, by an earlier process. */
    private static boolean wasReady(V1Pod pod, Run run) {
        V1PodStatus status = pod.getStatus();
        return status != null && Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses())
                .filter(Objects::nonNull).flatMap(List<V1ContainerStatus>::stream)
                .anyMatch(each -> (run.idPrefix() + run.id()).equals(each.getContainerID())
                        && Boolean.TRUE.equals(each.getReady()));
    }

    private void endProbes(CriContainer container) {
        Probes probes = container.probes;
        LoopRunner runner = runtime.runner();
        if (probes != null && runner != null) {
            probes.stop(runner);
        }
    }

    /** @param last the last run; null for the first one */
    private void start(V1Pod pod, PodSandbox sandbox, CriContainer container, @Nullable Run last) throws IOException {
        PodSandboxConfig sandboxConfig = sandboxConfig(pod, sandbox.getMetadata().getAttempt());
        Image image = image(pod, container, sandboxConfig);
        if (image == null) {
            return;
        }
        int attempt = last == null ? 0 : last.attempt() + 1;
        String id;
        try {
            Environment environment = Environment.of(container.spec, runtime.network.variables(pod), fields(pod),
                    new PodObjects(runtime.client, runtime.clock));
            id = runtime.cri.create(sandbox.getId(), Configs.container(pod, container.spec, image, runtime.node.name(),
                    attempt, environment, mounts(pod, container, attempt), runtime.memory()), sandboxConfig);
        } catch (ConfigProblem e) {
            fails(pod, container, "CreateContainerConfigError", e.reason);
            return;
        } catch (CriException e) {
            fails(pod, container, "CreateContainerError", e.reason);
            return;
        }
        event(pod, container, "Normal", "Created", "Container created");
        if (last != null) {
            container.restarted(runtime.clock.nanoTime());
        }
        try {
            runtime.cri.start(id);
        } catch (CriException e) {
            // The runtime has this run as ended with an error, and the restart policy counts.
            event(pod, container, "Warning", "Failed", "Error: " + e.reason);
            return;
        }
        container.waitsNoMore();
        event(pod, container, "Normal", "Started", "Container started");
        removeOldRuns(pod, container);
        V1LifecycleHandler hook = container.spec.getLifecycle() == null
                ? null
                : container.spec.getLifecycle().getPostStart();
        String failure = hook == null ? null : handle(hook, id, HOOK, this::begun);
        if (failure != null && !isKilling()) {
            event(pod, container, "Warning", "FailedPostStartHook", "PostStartHook failed: " + failure);
            runtime.cri.stop(id, grace(pod).toSeconds());
        }
    }

    private void fails(V1Pod pod, CriContainer container, String reason, String message) {
        if (!isKilling()) {
            container.waits(reason, message);
            container.nextAttempt = runtime.clock.deadline(RETRY);
            event(pod, container, "Warning", "Failed", "Error: " + message);
        }
    }

    /** Keeps the last two runs of a container. */
    private void removeOldRuns(V1Pod pod, CriContainer container) throws IOException {
        List<Run> runs = seen.of(container.name());
        for (Run old : runs.subList(Math.min(1, runs.size()), runs.size())) {
            runtime.cri.remove(old.id());
            ended.remove(old.id());
            Files.deleteIfExists(runtime.folders().message(uid, container.name(), old.attempt()));
            Files.deleteIfExists(
                    runtime.folders().logs(pod).resolve(container.name()).resolve(old.attempt() + ".log"));
        }
    }

    /** Runs a hook. @return null if it succeeds, else why not */
    private @Nullable String handle(V1LifecycleHandler hook, String id, Duration timeout, Consumer<Call> begun) {
        if (hook.getSleep() != null) {
            try {
                Thread.sleep(Duration.ofSeconds(Math.min(hook.getSleep().getSeconds(), timeout.toSeconds())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return null;
        }
        List<String> command = hook.getExec() == null ? null : hook.getExec().getCommand();
        return command == null ? null : runtime.prober.exec(id, command, timeout, begun);
    }

    /** The image, pulled if its policy says so; null if the container has to wait (upstream: image_manager.go). */
    private @Nullable Image image(V1Pod pod, CriContainer container, PodSandboxConfig sandbox) {
        String name = container.spec.getImage() == null ? "" : container.spec.getImage();
        String policy = container.spec.getImagePullPolicy();
        if (!HollowImages.isReference(name)) {
            String message = "Failed to apply default image tag \"" + name + "\": couldn't parse image reference \""
                    + name + "\": invalid reference format";
            container.waits("InvalidImageName", message);
            container.nextAttempt = runtime.clock.deadline(RETRY);
            event(pod, container, "Warning", "InspectFailed", message);
            return null;
        }
        try {
            Image there = "Always".equals(policy) ? null : runtime.cri.image(name);
            if (there != null) {
                event(pod, container, "Normal", "Pulled", "Container image \"" + name
                        + "\" already present on machine and can be accessed by the pod");
                return there;
            }
            if ("Never".equals(policy)) {
                String message = "Container image \"" + name + "\" is not present with pull policy of Never";
                event(pod, container, "Warning", "ErrImageNeverPull", message);
                container.waits("ErrImageNeverPull", message);
                container.nextAttempt = runtime.clock.deadline(RETRY);
                return null;
            }
            return pull(pod, container, sandbox, name);
        } catch (CriException e) {
            fails(pod, container, "ImageInspectError", "Failed to inspect image \"" + name + "\": " + e.reason);
            return null;
        }
    }

    private @Nullable Image pull(V1Pod pod, CriContainer container, PodSandboxConfig sandbox, String name) {
        long now = runtime.clock.nanoTime();
        if (container.waitingReason.equals("ErrImagePull")) {
            Duration backoff = RestartBackoff.after(container.pullFailures).minus(NOTICE);
            container.waits("ImagePullBackOff", "Back-off pulling image \"" + name + "\": ErrImagePull: "
                    + container.waitingMessage);
            container.nextAttempt = runtime.clock.deadline(backoff);
            event(pod, container, "Normal", "BackOff", "Back-off pulling image \"" + name + "\"");
            return null;
        }
        event(pod, container, "Normal", "Pulling", "Pulling image \"" + name + "\"");
        try {
            runtime.cri.pull(name, sandbox, this::begun);
        } catch (CriException e) {
            if (!isKilling()) {
                container.pullFailures++;
                event(pod, container, "Warning", "Failed", "Failed to pull image \"" + name + "\": " + e.reason);
                event(pod, container, "Warning", "Failed", "Error: ErrImagePull");
                container.waits("ErrImagePull", e.reason);
                container.nextAttempt = runtime.clock.deadline(NOTICE);
            }
            return null;
        }
        container.pullFailures = 0;
        Image pulled = runtime.cri.image(name);
        event(pod, container, "Normal", "Pulled", "Successfully pulled image \"" + name + "\" in "
                + Duration.ofNanos(runtime.clock.nanoTime() - now).toMillis() + "ms. Image size: "
                + (pulled == null ? 0 : pulled.getSize()) + " bytes.");
        return pulled;
    }

    private List<Mount> mounts(V1Pod pod, CriContainer container, int attempt) throws ConfigProblem, IOException {
        List<Mount> mounts = new ArrayList<>(volumes.mounts(pod, container.spec));
        if (mounts.stream().noneMatch(each -> each.getContainerPath().equals("/etc/hosts"))) {
            Path hosts = runtime.folders().disk(uid).resolve("etc-hosts");
            Files.createDirectories(hosts.getParent());
            Files.writeString(hosts, hosts(pod));
            PodFiles.permit(hosts, 0644, null);
            mounts.add(Mount.newBuilder().setContainerPath("/etc/hosts").setHostPath(hosts.toString()).build());
        }
        String path = container.spec.getTerminationMessagePath();
        Path message = runtime.folders().message(uid, container.name(), attempt);
        Files.createDirectories(message.getParent());
        Files.write(message, new byte[0]);
        // The container may run as any user.
        PodFiles.permit(message, 0666, null);
        mounts.add(Mount.newBuilder().setContainerPath(path == null ? "/dev/termination-log" : path)
                .setHostPath(message.toString()).build());
        return mounts;
    }

    private String hosts(V1Pod pod) throws IOException {
        boolean onHost = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
        StringBuilder hosts = new StringBuilder(onHost ? Files.readString(Path.of("/etc/hosts")) : HOSTS);
        String name = Configs.hostname(pod);
        if (!onHost && !seen.ip().isEmpty()) {
            String subdomain = pod.getSpec().getSubdomain();
            hosts.append(seen.ip()).append('\t').append(subdomain == null || subdomain.isEmpty()
                    ? ""
                    : name + "." + subdomain + "." + pod.getMetadata().getNamespace() + ".svc.cluster.local\t")
                    .append(name).append('\n');
        }
        if (pod.getSpec().getHostAliases() != null && !pod.getSpec().getHostAliases().isEmpty()) {
            hosts.append("\n# Entries added by HostAliases.\n");
            pod.getSpec().getHostAliases().forEach(alias -> hosts.append(alias.getIp()).append('\t')
                    .append(String.join("\t", alias.getHostnames() == null ? List.of() : alias.getHostnames()))
                    .append('\n'));
        }
        return hosts.toString();
    }

    private long stopAll() {
        V1Pod pod = pod();
        long until;
        synchronized (this) {
            until = killAt;
        }
        if (pod == null) {
            for (List<Run> runs : seen.runs().values()) {
                if (runs.get(0).isRunning()) {
                    stop(null, null, runs.get(0), until, "");
                }
            }
            return NOTICE.toNanos();
        }
        for (CriContainer container : Stream.concat(containers(true).stream(), containers(false).stream()).toList()) {
            Run run = seen.last(container.name());
            if (container.kind != Kind.SIDECAR && run != null && run.isRunning()) {
                stop(pod, container, run, until, "Stopping container " + container.name());
            }
        }
        stopSidecars(pod, until);
        return seen.anyRunning() ? Math.max(1, Math.min(until - runtime.clock.nanoTime(), NOTICE.toNanos())) : IDLE;
    }

    /** Stops sidecars in the reverse of their order, each when those before it have ended, or when time is up. */
    private void stopSidecars(V1Pod pod, long until) {
        boolean late = runtime.clock.nanoTime() >= until;
        boolean mains = containers(true).stream().map(each -> seen.last(each.name()))
                .anyMatch(run -> run != null && run.isRunning());
        if (mains && !late) {
            return;
        }
        for (CriContainer sidecar : containers(false).reversed()) {
            Run run = seen.last(sidecar.name());
            if (sidecar.kind == Kind.SIDECAR && run != null && run.isRunning()) {
                stop(pod, sidecar, run, until, "Stopping container " + sidecar.name());
                if (!late) {
                    return;
                }
            }
        }
    }

    /** Begins to stop a container. A further call can only shorten its time. */
    private void stop(@Nullable V1Pod pod, @Nullable CriContainer container, Run run, long until, String why) {
        Long before = stops.get(run.id());
        if (before != null && until >= before - NOTICE.toNanos()) {
            return;
        }
        stops.put(run.id(), until);
        if (container != null) {
            endProbes(container);
            if (before == null && pod != null) {
                event(pod, container, "Normal", "Killing", why);
            }
        }
        V1LifecycleHandler hook = container == null || container.spec.getLifecycle() == null || before != null
                ? null
                : container.spec.getLifecycle().getPreStop();
        runtime.run("stop-" + run.id(), () -> {
            Duration left = Duration.ofNanos(Math.max(0, until - runtime.clock.nanoTime()));
            if (hook != null && left.isPositive()) {
                String failure = handle(hook, run.id(), left, each -> {});
                if (failure != null && pod != null && container != null) {
                    event(pod, container, "Warning", "FailedPreStopHook", "PreStopHook failed: " + failure);
                }
                Duration rest = Duration.ofNanos(until - runtime.clock.nanoTime());
                left = rest.compareTo(LEAST_GRACE) < 0 ? LEAST_GRACE : rest;
            }
            try {
                runtime.cri.stop(run.id(), left.plusMillis(999).toSeconds());
            } catch (CriException e) {
                // The next step tries again.
                stops.remove(run.id());
                log.debug("the container {} could not be stopped: {}", run.id(), e.getMessage());
            }
            wake();
        });
    }

    /** Removes all that the runtime and the disk have of this pod, except its logs. */
    private long tearDown() throws IOException {
        containers.values().forEach(this::endProbes);
        for (PodSandbox sandbox : seen.sandboxes()) {
            runtime.cri.stopSandbox(sandbox.getId());
        }
        for (String id : Stream.concat(seen.unstarted().stream(),
                seen.runs().values().stream().flatMap(List::stream).map(Run::id)).toList()) {
            runtime.cri.remove(id);
        }
        for (PodSandbox sandbox : seen.sandboxes()) {
            runtime.cri.removeSandbox(sandbox.getId());
        }
        observe();
        if (!seen.isEmpty()) {
            return NOTICE.toNanos();
        }
        volumes.remove();
        runtime.gone(this);
        return IDLE;
    }
}
