package dev.wheelhouse.node;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.podconfig.Refusal;
import dev.wheelhouse.podconfig.RejectionListener;

/**
 * Reports unusable pods and manifests by Events: on the pod, so that {@code kubectl describe pod} says why it differs
 * from its manifest; or on the Node, if no such pod is running.
 */
final class RejectionEvents implements RejectionListener {
    private static final String REASON = "FailedValidation";

    private final V1Node node;
    private final EventRecorder recorder;

    RejectionEvents(String nodeName, EventRecorder recorder) {
        this.node = NodeObjects.reference(nodeName);
        this.recorder = recorder;
    }

    @Override
    public void rejected(String source, V1Pod pod, String why) {
        recorder.event(ResourceType.PODS, pod, EventRecorder.WARNING, REASON,
                "Error validating pod from " + source + ": " + why);
    }

    @Override
    public void refused(String source, Refusal refusal) {
        recorder.event(ResourceType.NODES, node, EventRecorder.WARNING, REASON,
                "Manifest refused from " + source + ": " + refusal);
    }
}
