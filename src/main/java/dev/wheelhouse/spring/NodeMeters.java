package dev.wheelhouse.spring;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.node.NodeMetrics;
import dev.wheelhouse.podconfig.PodOperation;

/** The node agents' and pod sources' metrics in Micrometer. */
final class NodeMeters implements NodeMetrics {
    private final MeterRegistry registry;

    NodeMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    private void count(String meter, String description, double amount, String... tags) {
        Counter.builder(meter).description(description).tags(tags).register(registry).increment(amount);
    }

    private static String result(boolean succeeded) {
        return succeeded ? "success" : "error";
    }

    @Override
    public void read(String source, boolean succeeded) {
        count("pod.source.reads", "Reads of a pod source", 1, "source", source, "result", result(succeeded));
    }

    @Override
    public void refused(String source) {
        count("pod.source.refusals", "Manifests that were refused", 1, "source", source);
    }

    @Override
    public void changed(String source, PodOperation operation, int pods) {
        count("pod.source.changes", "Pods that a source changed", pods, "source", source, "operation",
                operation.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void podSynced(String stage, long nanos) {
        Timer.builder("kubelet.pod.worker.duration").description("Duration of one sync of a pod")
                .tag("operation_type", stage).register(registry).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void podRejected(String reason) {
        count("kubelet.admission.rejections", "Pods that a node refused to run", 1, "reason", reason);
    }

    @Override
    public void statusWritten(boolean succeeded) {
        count("kubelet.pod.status.writes", "Writes of pod statuses", 1, "result", result(succeeded));
    }

    @Override
    public void mirrorCreated() {
        count("kubelet.mirror.pods.created", "Mirror pods created", 1);
    }

    @Override
    public void mirrorDeleted() {
        count("kubelet.mirror.pods.deleted", "Mirror pods deleted", 1);
    }

    @Override
    public void heartbeat(boolean succeeded, long nanos) {
        Timer.builder("kubelet.node.heartbeat").description("Renewals of node Leases").tag("result", result(succeeded))
                .register(registry).record(nanos, TimeUnit.NANOSECONDS);
    }
}
