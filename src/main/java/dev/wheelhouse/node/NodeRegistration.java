package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1Taint;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Keeps a node registered: it creates the Node once; renews the Lease every 10 s; and reports the status every 5
 * minutes, or when somebody else has written that the node is not ready (upstream: {@code kubelet_node_status.go} and
 * {@code component-helpers/apimachinery/lease}). Like a kubelet, it does not create the Node again after a user has
 * deleted it, and continues when a user creates the Node. While the Node has the annotation {@link #STOPPED}, the agent
 * does nothing, like a machine that hangs.
 */
final class NodeRegistration extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(NodeRegistration.class);

    /** The annotation of a Node whose agent does nothing while the value is {@code true}. */
    static final String STOPPED = "hollow.wheelhouse.dev/stopped";

    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    static final Duration RENEWAL = Duration.ofSeconds(10);
    static final Duration STATUS_PERIOD = Duration.ofMinutes(5);

    private final NodeAgentOptions options;
    private final ResourceClient<V1Node> nodes;
    private final ResourceClient<V1Node> untainting;
    private final ResourceClient<V1Lease> leases;
    private final Meter.MeterProvider<Timer> heartbeats;
    private final PodRuntime runtime;
    private final Clock clock;
    private final LogBudget lines;
    private final Backoff backoff;
    private volatile @Nullable V1Node node;
    private @Nullable V1Lease lease;
    private long nextRenewal;
    private long nextStatus;
    private volatile long readsBegun;
    private volatile long lastRead;
    private volatile boolean readWanted;
    private volatile boolean stopped;
    private volatile Runnable onRead = () -> {};

    /**
     * @param client with the rights of the node
     * @param process takes the taint of the new node away, which no node may do itself
     * @param runtime knows why the node cannot run pods, and more of its status
     */
    NodeRegistration(NodeAgentOptions options, KubeClient client, KubeClient process,
            PodRuntime runtime, MeterRegistry registry, Clock clock) {
        this.runtime = runtime;
        this.heartbeats = Timer.builder("kubelet.node.heartbeat").description("Renewals of node Leases")
                .withRegistry(registry);
        this.options = options;
        this.nodes = client.resource(ResourceType.NODES, V1Node.class);
        this.untainting = process.resource(ResourceType.NODES, V1Node.class);
        this.leases = client.resource(ResourceType.LEASES, V1Lease.class);
        this.clock = clock;
        this.nextRenewal = clock.nanoTime();
        this.lines = new LogBudget(clock);
        this.backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(7), 2, 0.5, Duration.ofMinutes(1), clock,
                new SplittableRandom(options.name().hashCode()));
    }

    /** The Node as the API server last returned it; null until it is registered. */
    @Nullable
    V1Node node() {
        return node;
    }

    /** The Node's labels and taints as last read; before the registration, those that it will have. */
    PodAdmission.NodeFacts facts() {
        V1Node known = node;
        if (known == null) {
            return new PodAdmission.NodeFacts(NodeObjects.labels(options), options.taints());
        }
        Map<String, String> labels = known.getMetadata().getLabels();
        List<V1Taint> taints = known.getSpec() == null ? null : known.getSpec().getTaints();
        return new PodAdmission.NodeFacts(labels == null ? Map.of() : labels, taints == null ? List.of() : taints);
    }

    /** Whether a user has stopped the node, as of the last read. */
    boolean isStopped() {
        return stopped;
    }

    /**
     * Requests a read of the Node before the next one is due.
     * @return the number of a read that has not begun yet
     */
    long readSoon() {
        long next = readsBegun + 1;
        readWanted = true;
        wake();
        return next;
    }

    /** The number of the last successful read. */
    long lastRead() {
        return lastRead;
    }

    /** Sets a callback that runs after each read of the Node. It must not block. */
    void onRead(Runnable wake) {
        onRead = wake;
    }

    @Override
    public long step() {
        if (!isClosed() && readWanted) {
            readWanted = false;
            nextRenewal = Math.min(nextRenewal, clock.nanoTime());
        }
        long wait = nextRenewal - clock.nanoTime();
        if (isClosed() || wait > 0) {
            return isClosed() ? IDLE : wait;
        }
        long start = clock.nanoTime();
        try {
            long number = readsBegun + 1;
            readsBegun = number;
            V1Node known = register();
            lastRead = number;
            onRead.run();
            if (known != null && !stopped) {
                if (clock.nanoTime() >= nextStatus || isReady(known) != (runtime.problem() == null)) {
                    known = report(known);
                }
                renew(known);
            }
            backoff.reset();
            heartbeat("success", start);
            nextRenewal = clock.deadline(RENEWAL);
        } catch (KubeApiException e) {
            if (isClosed() || Thread.currentThread().isInterrupted()) {
                return IDLE;
            }
            heartbeat("error", start);
            Duration delay = backoff.next();
            nextRenewal = clock.deadline(delay);
            if (!e.isUnreachable()) {
                lines.warn(log, "the registration of the node " + options.name()
                        + " could not be renewed and is tried again: " + e.getMessage());
            }
        }
        return Math.max(1, nextRenewal - clock.nanoTime());
    }

    private void heartbeat(String result, long start) {
        heartbeats.withTag("result", result).record(clock.nanoTime() - start, TimeUnit.NANOSECONDS);
    }

    /** The existing Node, or a new one; null if somebody has deleted it. */
    private @Nullable V1Node register() {
        V1Node there = get();
        V1Node before = node;
        if (there == null && before != null) {
            if (!stopped) {
                log.info("the node {} was deleted: its agent does nothing until somebody creates it", options.name());
            }
            stopped = true;
            return null;
        }
        boolean isNew = there == null;
        if (there == null) {
            there = create();
        }
        stopped = isStopped(there);
        if (before == null || !before.getMetadata().getUid().equals(there.getMetadata().getUid())) {
            adopt(there, isNew);
        } else {
            node = there;
        }
        return there;
    }

    private V1Node create() {
        try {
            V1Node made = nodes.create(NodeObjects.node(options, runtime.port(), runtime.problem(), Moment.of(clock)));
            log.info("registered the node {}", options.name());
            return made;
        } catch (KubeApiException e) {
            V1Node there = e.isAlreadyExists() ? get() : null;
            if (there == null) {
                throw e;
            }
            return there;
        }
    }

    private static boolean isStopped(V1Node there) {
        Map<String, String> annotations = there.getMetadata().getAnnotations();
        return annotations != null && "true".equals(annotations.get(STOPPED));
    }

    private static boolean isReady(V1Node there) {
        return there.getStatus() != null && there.getStatus().getConditions() != null && there.getStatus()
                .getConditions().stream().anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
    }

    private @Nullable V1Node get() {
        return nodes.find(ObjectKey.cluster(options.name())).orElse(null);
    }

    /**
     * Writes this agent's labels and pod range into an existing or new Node, and takes the taint of new nodes away:
     * hollow nodes are ready at once, and also work where no controller does that. If this process may not take it
     * away, a controller of the cluster does.
     */
    private void adopt(V1Node there, boolean isNew) {
        ObjectNode patch = ModelJson.mapperForModels().createObjectNode();
        ObjectNode labels = patch.putObject("metadata").putObject("labels");
        NodeObjects.labels(options).forEach((key, value) -> {
            if (there.getMetadata().getLabels() == null || !value.equals(there.getMetadata().getLabels().get(key))) {
                labels.put(key, value);
            }
        });
        String otherKind = options.runtime() == null ? NodeAgentOptions.REAL : NodeObjects.HOLLOW_LABEL;
        if (orEmpty(there.getMetadata().getLabels()).containsKey(otherKind)) {
            labels.putNull(otherKind);
        }
        boolean noCidr = there.getSpec() == null || there.getSpec().getPodCIDR() == null;
        if (noCidr) {
            patch.putObject("spec").put("podCIDR", options.podCidr()).putArray("podCIDRs").add(options.podCidr());
        }
        List<V1Taint> given = there.getSpec() == null ? List.of() : orEmpty(there.getSpec().getTaints());
        List<V1Taint> kept = given.stream()
                .filter(taint -> !NOT_READY.equals(taint.getKey()) || !"NoSchedule".equals(taint.getEffect())).toList();
        ObjectKey key = ObjectKey.cluster(options.name());
        node = labels.isEmpty() && !noCidr ? there : nodes.patch(key, "", PatchType.MERGE, patch.toString());
        if (isNew && kept.size() < given.size()) {
            ObjectNode untainted = ModelJson.mapperForModels().createObjectNode();
            untainted.putObject("spec").set("taints", ModelJson.tree(kept));
            try {
                node = untainting.patch(key, "", PatchType.MERGE, untainted.toString());
            } catch (KubeApiException e) {
                if (!e.isForbidden()) {
                    throw e;
                }
            }
        }
        nextStatus = clock.nanoTime();
        lease = null;
    }

    private V1Node report(V1Node known) {
        V1NodeStatus status = NodeObjects.status(options, runtime.port(), known.getStatus(), runtime.problem(),
                Moment.of(clock));
        runtime.describe(status);
        ObjectNode patch = ModelJson.mapperForModels().createObjectNode();
        patch.putObject("metadata").put("uid", known.getMetadata().getUid());
        patch.set("status", ModelJson.tree(status));
        V1Node reported = nodes.patch(ObjectKey.cluster(options.name()), "status", PatchType.STRATEGIC_MERGE,
                patch.toString());
        node = reported;
        nextStatus = clock.deadline(STATUS_PERIOD);
        return reported;
    }

    private void renew(V1Node known) {
        V1Lease held = lease;
        if (held == null) {
            lease = take(known);
            return;
        }
        held.getSpec().renewTime(NodeObjects.microTime(clock.now()));
        try {
            lease = leases.update(held);
        } catch (KubeApiException e) {
            if (!e.isNotFound() && !e.isConflict()) {
                throw e;
            }
            lease = take(known);
        }
    }

    private V1Lease take(V1Node known) {
        V1Lease mine = NodeObjects.lease(options, known, clock.now());
        try {
            return leases.create(mine);
        } catch (KubeApiException e) {
            if (!e.isAlreadyExists()) {
                throw e;
            }
            V1Lease there = leases.get(ObjectKey.of(mine));
            mine.getMetadata().resourceVersion(there.getMetadata().getResourceVersion())
                    .uid(there.getMetadata().getUid());
            return leases.update(mine);
        }
    }
}
