package dev.wheelhouse.spring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.election.ElectionOptions;

/**
 * The options {@code --wheelhouse.leader-election.*}, as kube-controller-manager's {@code --leader-elect-*}.
 *
 * @param enabled whether to act only while holding a Lease; if unsaid, in a cluster's pod and nowhere else
 * @param resourceName the Lease's name
 * @param resourceNamespace the Lease's namespace; if unsaid, that of the pod or of the kubeconfig's context
 * @param leaseDuration how long others wait after the last renewal that they have seen
 * @param renewDeadline how long the leader goes on without a renewal
 * @param retryPeriod how long to wait between two tries
 */
record ElectionProperties(@Nullable Boolean enabled, @DefaultValue("wheelhouse") String resourceName,
        @Nullable String resourceNamespace, @DefaultValue("15s") Duration leaseDuration,
        @DefaultValue("10s") Duration renewDeadline, @DefaultValue("2s") Duration retryPeriod) {

    ElectionProperties {
        options("", "", resourceName, leaseDuration, renewDeadline, retryPeriod);
    }

    /**
     * @param namespace the Lease's where none was said
     * @param identity that of no other process
     */
    ElectionOptions options(String namespace, String identity) {
        return options(resourceNamespace == null ? namespace : resourceNamespace, identity, resourceName, leaseDuration,
                renewDeadline, retryPeriod);
    }

    private static ElectionOptions options(String namespace, String identity, String name, Duration lease,
            Duration renew, Duration retry) {
        try {
            return new ElectionOptions(ObjectKey.of(namespace, name), identity, lease, renew, retry);
        } catch (IllegalArgumentException e) {
            throw new BadOption("wheelhouse.leader-election." + e.getMessage());
        }
    }
}
