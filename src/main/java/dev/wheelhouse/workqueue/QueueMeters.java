package dev.wheelhouse.workqueue;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.meters.SharedGauge;
import dev.wheelhouse.meters.SharedGauge.Together;

/**
 * The meters of one queue, under client-go's names. Queues that upstream has too have upstream's names. The shards of a
 * controller have queues of the same name, whose gauges are added.
 */
final class QueueMeters {
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

    final Counter adds;
    final Counter retries;
    final Timer waited;
    final Timer worked;
    private final MeterRegistry registry;
    private final Tags tags;
    private final Supplier<WorkQueueState> state;
    private final List<SharedGauge.Membership> gauges;

    QueueMeters(String queue, MeterRegistry registry, Supplier<WorkQueueState> state) {
        this.registry = registry;
        this.tags = Tags.of("name", UPSTREAM.getOrDefault(queue, queue));
        this.state = state;
        adds = counter("workqueue.adds", "Keys added");
        retries = counter("workqueue.retries", "Keys added by the rate limiter");
        waited = timer("workqueue.queue.duration", "Time that keys wait to be taken");
        worked = timer("workqueue.work.duration", "Duration of the work on a key");
        gauges = List.of(
                gauge("workqueue.depth", "Keys that are ready to be taken", Together.SUM, WorkQueueState::depth),
                gauge("workqueue.delayed", "Keys whose delay has not ended", Together.SUM, WorkQueueState::delayed),
                gauge("workqueue.unfinished.work.seconds",
                        "Time that the keys in processing have taken so far, in total", Together.SUM,
                        now -> now.unfinishedWork().toNanos() / 1e9),
                gauge("workqueue.longest.running.processor.seconds",
                        "Time that the longest processing has taken so far", Together.MOST,
                        now -> now.longestRunning().toNanos() / 1e9));
    }

    private Counter counter(String name, String help) {
        return Counter.builder(name).description(help).tags(tags).register(registry);
    }

    private Timer timer(String name, String help) {
        return Timer.builder(name).description(help).tags(tags)
                .serviceLevelObjectives(Meters.seconds(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10))
                .register(registry);
    }

    private SharedGauge.Membership gauge(String name, String help, Together together,
            ToDoubleFunction<WorkQueueState> value) {
        return SharedGauge.join(registry, SharedGauge.id(name, help, tags), together, this,
                meters -> value.applyAsDouble(meters.state.get()));
    }

    /** The gauges do not count this queue any more. */
    void end() {
        gauges.forEach(SharedGauge.Membership::end);
    }
}
