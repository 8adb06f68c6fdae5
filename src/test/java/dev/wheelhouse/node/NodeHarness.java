package dev.wheelhouse.node;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.world.Cluster;

/** One hollow node on an API server, stepped by hand. */
final class NodeHarness {
    final Cluster cluster = new Cluster();
    final ManualClock clock = cluster.clock;
    /** The pods, as users change them. */
    final ResourceClient<V1Pod> pods = cluster.user().resource(ResourceType.PODS, V1Pod.class);
    final List<String> events = new ArrayList<>();
    /** The sources of refused manifests, as the metric reports them. */
    private final MeterRegistry registry = new SimpleMeterRegistry();
    NodeAgent agent;

    NodeHarness() {
        this(NodeAgentOptions.hollow("node-1", 0));
    }

    NodeHarness(NodeAgentOptions options) {
        agent = start(options);
    }

    NodeAgent start(NodeAgentOptions options) {
        return NodeAgent.registered(options, cluster.client(),
                (type, regarding, fieldPath, kind, reason, message) -> events.add(kind + " " + reason + ": " + message),
                registry, clock);
    }

    /** The sources of the refused manifests. */
    List<String> refusals() {
        return Counts.of(registry, "pod.source.refusals", "source");
    }

    long failedStatusWrites() {
        return Counts.of(registry, "kubelet.pod.status.writes", "result").stream().filter("error"::equals).count();
    }

    /** Steps all loops until none has work now, and once more, because a loop may have given work to an earlier one. */
    void settle() {
        try {
            int idle = 0;
            for (int i = 0; idle < 2; i++) {
                boolean busy = false;
                for (Loop loop : agent.loops().values()) {
                    busy |= loop.step() == Loop.BUSY;
                }
                idle = busy ? 0 : idle + 1;
                if (i > 100_000) {
                    throw new AssertionError("the node does not come to rest; last writes: "
                            + writes().subList(Math.max(0, writes().size() - 10), writes().size()));
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Moves the clock in steps of a tenth of a second. */
    void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            clock.advance(Duration.ofMillis(Math.min(100, left)));
            settle();
        }
    }

    static ObjectKey key(String pod) {
        return ObjectKey.of("default", pod);
    }

    static V1Container container(String name) {
        return new V1Container().name(name).image("nginx:1.27");
    }

    static V1Pod pod(String name, Map<String, String> annotations, V1Container... containers) {
        return new V1Pod().apiVersion("v1").kind("Pod")
                .metadata(new V1ObjectMeta().namespace("default").name(name).annotations(annotations))
                .spec(new V1PodSpec().nodeName("node-1").restartPolicy("Always").terminationGracePeriodSeconds(30L)
                        .containers(Arrays.asList(containers)));
    }

    /**
     * Creates a pod with one container that is bound to the node.
     *
     * @param annotations key, value, … without the prefix
     */
    V1Pod create(String name, String... annotations) {
        Map<String, String> map = new java.util.TreeMap<>();
        for (int i = 0; i < annotations.length; i += 2) {
            map.put(HollowProfile.PREFIX + annotations[i], annotations[i + 1]);
        }
        return create(pod(name, map, container("web")));
    }

    V1Pod create(V1Pod pod) {
        V1Pod created = cluster.create(ResourceType.PODS, pod);
        settle();
        return created;
    }

    void change(String name, Consumer<V1Pod> change) {
        cluster.edit(ResourceType.PODS, V1Pod.class, key(name), change);
        settle();
    }

    void delete(String name, @Nullable Long grace) {
        cluster.delete(ResourceType.PODS, key(name), new Deletion(grace, null, null, null));
        settle();
    }

    V1Pod get(String name) {
        return cluster.read(ResourceType.PODS, key(name), V1Pod.class);
    }

    boolean exists(String name) {
        return cluster.exists(ResourceType.PODS, key(name));
    }

    String phase(String name) {
        return Objects.requireNonNull(get(name).getStatus().getPhase());
    }

    /** The status of a condition; "none" if the pod has no such condition. */
    String condition(String name, String type) {
        V1PodCondition condition = PodConditions.find(get(name).getStatus(), type);
        return condition == null ? "none" : condition.getStatus();
    }

    V1ContainerStatus status(String name) {
        return Objects.requireNonNull(get(name).getStatus().getContainerStatuses()).get(0);
    }

    /** A container's state as text: {@code Running}, {@code Waiting CrashLoopBackOff}, {@code Terminated Error 1}. */
    static String state(V1ContainerStatus status) {
        if (status.getState().getRunning() != null) {
            return "Running";
        }
        if (status.getState().getTerminated() != null) {
            return "Terminated " + status.getState().getTerminated().getReason() + " "
                    + status.getState().getTerminated().getExitCode();
        }
        return "Waiting " + Objects.requireNonNull(status.getState().getWaiting()).getReason();
    }

    String state(String name) {
        return state(status(name));
    }

    /** From now on no request reaches the API server. */
    void isolate() {
        cluster.requests.fault((verb, type, key) -> unreachable());
    }

    static KubeApiException unreachable() {
        return new KubeApiException("call the API server", new IOException("connection refused"));
    }

    /** All writes, such as {@code patch pods/status default/web}. */
    List<String> writes() {
        return cluster.requests.writes().stream().map(line -> line.replaceFirst("^(\\S+ \\S+ \\S+) .*", "$1")).toList();
    }

    long writes(String prefix) {
        return writes().stream().filter(w -> w.startsWith(prefix)).count();
    }

    /** The pods of a source, such as {@code web-node-1 nginx:1}. */
    List<String> podsOf(String source) {
        return agent.podConfig().storage().states().stream().filter(s -> s.source().equals(source))
                .flatMap(s -> s.pods().stream())
                .map(p -> p.getMetadata().getName() + " " + p.getSpec().getContainers().get(0).getImage()).toList();
    }

    /** A manifest of a pod with one container. */
    static String manifest(String name, String image) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: '"
                + image + "'}]}\n";
    }
}
