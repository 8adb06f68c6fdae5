package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;

import static dev.wheelhouse.simulation.Truth.name;

/**
 * The collector ends only pods whose node does not exist, pods that terminate on a node that is out of service, and the
 * evicted and oldest ones of the ended pods beyond the threshold. At the end there are no such pods.
 */
record PodGarbageInvariants(Truth truth) implements Invariant {
    static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
    /** The number of ended pods that stay in a run. */
    static final int THRESHOLD = 3;

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(PodGarbageCollector.NAME) || !write.request().type().equals(ResourceType.PODS)) {
            return List.of();
        }
        V1Pod pod = truth.pod(write.request().key());
        if (pod == null || isLost(pod)) {
            return List.of();
        }
        String problem = !Truth.isFinished(pod)
                ? ", which has not ended, and its node " + pod.getSpec().getNodeName() + " exists"
                : isBeforeThoseThatStay(pod, write.read(ResourceType.PODS, V1Pod.class))
                        ? null
                        : " before older ones, or below the threshold";
        return problem == null ? List.of() : List.of("the collector ends the pod " + name(pod) + problem);
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    /** Whether as many ended pods as may stay are to go no earlier than this one. */
    private static boolean isBeforeThoseThatStay(V1Pod pod, List<V1Pod> read) {
        return read.stream().filter(p -> Truth.isFinished(p) && !name(p).equals(name(pod)))
                .filter(p -> isEvicted(pod) == isEvicted(p) ? !created(p).isBefore(created(pod)) : isEvicted(pod))
                .count() >= THRESHOLD;
    }

    private static boolean isEvicted(V1Pod pod) {
        return "Evicted".equals(pod.getStatus().getReason());
    }

    private static Instant created(V1Pod pod) {
        return pod.getMetadata().getCreationTimestamp().toInstant();
    }

    /** Whether no node will end the pod. */
    private boolean isLost(V1Pod pod) {
        String node = pod.getSpec().getNodeName();
        boolean terminates = pod.getMetadata().getDeletionTimestamp() != null;
        if (node == null) {
            return terminates;
        }
        V1Node found = node(node);
        return found == null || (terminates && isOutOfService(found));
    }

    private @Nullable V1Node node(String name) {
        return truth.list(ResourceType.NODES, V1Node.class).stream().filter(n -> name(n).equals(name)).findFirst()
                .orElse(null);
    }

    private static boolean isOutOfService(V1Node node) {
        return node.getSpec() != null && node.getSpec().getTaints() != null
                && node.getSpec().getTaints().stream().anyMatch(t -> OUT_OF_SERVICE.equals(t.getKey()));
    }

    @Override
    public List<String> atEnd() {
        long ended = truth.pods().stream().filter(Truth::isFinished).count();
        return Stream.concat(
                ended > THRESHOLD ? Stream.of(ended + " ended pods stay") : Stream.empty(),
                truth.pods().stream().filter(this::isLost).map(p -> "the lost pod " + name(p) + " stays")).toList();
    }
}
