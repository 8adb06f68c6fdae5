package dev.wheelhouse.metrics;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.workqueue.WorkQueueMetrics;
import dev.wheelhouse.workqueue.WorkQueueState;

/** The queues' metrics in Micrometer, under client-go's names. Queues that upstream has too have upstream's names. */
final class WorkQueueMeters implements WorkQueueMetrics {
    /**
     * Upstream's name of a controller's queue, where the queue has the name of the controller here (upstream: the
     * {@code TypedRateLimitingQueueConfig} in each folder of {@code pkg/controller}).
     */
    private static final Map<String, String> UPSTREAM = Map.ofEntries(
            Map.entry("bootstrap-signer-controller", "bootstrap_signer_queue"),
            Map.entry("certificatesigningrequest-approving-controller", "certificate"),
            Map.entry("clusterrole-aggregation-controller", "ClusterRoleAggregator"),
            Map.entry("cronjob-controller", "cronjob"),
            Map.entry("daemonset-controller", "daemonset"),
            Map.entry("deployment-controller", "deployment"),
            Map.entry("disruption-controller", "disruption"),
            Map.entry("endpoints-controller", "endpoint"),
            Map.entry("endpointslice-controller", "endpoint_slice"),
            Map.entry("endpointslice-mirroring-controller", "endpoint_slice_mirroring"),
            Map.entry("ephemeral-volume-controller", "ephemeral_volume"),
            Map.entry("garbage-collector-controller", "garbage_collector_attempt_to_delete"),
            Map.entry("horizontal-pod-autoscaler-controller", "horizontalpodautoscaler"),
            Map.entry("job-controller", "job"),
            Map.entry("namespace-controller", "namespace"),
            Map.entry("node-ipam-controller", "cidrallocator_node"),
            Map.entry("node-lifecycle-controller", "node_lifecycle_controller"),
            Map.entry("persistentvolume-binder-controller", "claims"),
            Map.entry("persistentvolume-expander-controller", "volume_expand"),
            Map.entry("persistentvolume-protection-controller", "pvprotection"),
            Map.entry("persistentvolumeclaim-protection-controller", "pvcprotection"),
            Map.entry("replicaset-controller", "replicaset"),
            Map.entry("replicationcontroller-controller", "replicationmanager"),
            Map.entry("resourceclaim-controller", "resource_claim"),
            Map.entry("resourcequota-controller", "resourcequota_primary"),
            Map.entry("root-ca-certificate-publisher-controller", "root_ca_cert_publisher"),
            Map.entry("service-cidr-controller", "ipaddresses"),
            Map.entry("serviceaccount-controller", "serviceaccount"),
            Map.entry("serviceaccount-token-controller", "serviceaccount_tokens_service"),
            Map.entry("statefulset-controller", "statefulset"),
            Map.entry("taint-eviction-controller", "noexec_taint_pod"),
            Map.entry("token-cleaner-controller", "token_cleaner"),
            Map.entry("ttl-after-finished-controller", "ttl_jobs_to_delete"),
            Map.entry("ttl-controller", "ttlcontroller"),
            Map.entry("validatingadmissionpolicy-status-controller", "validatingadmissionpolicy-status"),
            Map.entry("volumeattributesclass-protection-controller", "vacprotection"));

    private final MeterRegistry registry;
    private final ConcurrentHashMap<String, Meters> queues = new ConcurrentHashMap<>();
    /** The queues of each name: a controller that is sharded has several. */
    private final ConcurrentHashMap<String, Set<Supplier<WorkQueueState>>> states = new ConcurrentHashMap<>();

    private record Meters(Counter adds, Counter retries, Timer waited, Timer worked) {}

    WorkQueueMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    private Meters of(String queue) {
        return queues.computeIfAbsent(queue,
                name -> new Meters(counter("workqueue.adds", "Keys added", name),
                        counter("workqueue.retries", "Keys added by the rate limiter", name),
                        timer("workqueue.queue.duration", "Time that keys wait to be taken", name),
                        timer("workqueue.work.duration", "Duration of the work on a key", name)));
    }

    private static String label(String queue) {
        return UPSTREAM.getOrDefault(queue, queue);
    }

    private Counter counter(String meter, String description, String queue) {
        return Counter.builder(meter).description(description).tag("name", label(queue)).register(registry);
    }

    private Timer timer(String meter, String description, String queue) {
        return Timer.builder(meter).description(description).tag("name", label(queue))
                .serviceLevelObjectives(Buckets.seconds(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10))
                .register(registry);
    }

    /** A gauge of the sum over the queues of a name; of the longest time, it is the largest. */
    private void gauge(String meter, String description, String queue, ToDoubleFunction<WorkQueueState> value,
            DoubleBinaryOperator sum) {
        Gauge.builder(meter, () -> states.getOrDefault(queue, Set.of()).stream().map(Supplier::get)
                .mapToDouble(value).reduce(0, sum)).description(description).tag("name", label(queue))
                .strongReference(true).register(registry);
    }

    @Override
    public void made(String queue, Supplier<WorkQueueState> state) {
        of(queue);
        states.computeIfAbsent(queue, name -> ConcurrentHashMap.newKeySet()).add(state);
        gauge("workqueue.depth", "Keys that are ready to be taken", queue, WorkQueueState::depth, Double::sum);
        gauge("workqueue.delayed", "Keys whose delay has not ended", queue, WorkQueueState::delayed, Double::sum);
        gauge("workqueue.unfinished.work.seconds", "Time that the keys in processing have taken so far, in total",
                queue, s -> s.unfinishedWork().toNanos() / 1e9, Double::sum);
        gauge("workqueue.longest.running.processor.seconds", "Time that the longest processing has taken so far", queue,
                s -> s.longestRunning().toNanos() / 1e9, Math::max);
    }

    @Override
    public void ended(String queue, Supplier<WorkQueueState> state) {
        states.getOrDefault(queue, Set.of()).remove(state);
    }

    @Override
    public void added(String queue) {
        of(queue).adds.increment();
    }

    @Override
    public void taken(String queue, long nanos) {
        of(queue).waited.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void worked(String queue, long nanos) {
        of(queue).worked.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void retried(String queue) {
        of(queue).retries.increment();
    }
}
