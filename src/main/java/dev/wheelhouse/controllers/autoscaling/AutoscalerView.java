package dev.wheelhouse.controllers.autoscaling;

import java.time.Instant;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controllers.ControllerOptions.HorizontalPodAutoscaler;

/**
 * Everything that a decision about an autoscaler depends on.
 *
 * @param replicas the replicas that the target asks for
 * @param statusReplicas the replicas that the target has
 * @param target the pods of the target, and their metrics
 */
record AutoscalerView(V2HorizontalPodAutoscaler autoscaler, int replicas, int statusReplicas, Target target,
        Memory memory, HorizontalPodAutoscaler options, Instant now) {
    /** The target of a scaling, or why it is not clear. */
    sealed interface Target {
        /** The metrics are not needed, because of the number of replicas alone. */
        record NotNeeded() implements Target {}

        /** The target has no selector. */
        record WithoutSelector() implements Target {}

        /** The selector cannot be parsed. */
        record WrongSelector(String problem) implements Target {}

        /**
         * The pods that the selector matches.
         *
         * @param text the selector as the target has it
         * @param autoscalers the autoscalers whose selectors match any of the pods
         * @param readings the answers for the metrics of the autoscaler, in their order; none if several autoscalers
         *     match
         * @param nanos how long each reading took
         */
        record Selected(String text, LabelSelector selector, List<V1Pod> pods, List<ObjectKey> autoscalers,
                List<Reading> readings, List<Long> nanos) implements Target {}
    }
}
