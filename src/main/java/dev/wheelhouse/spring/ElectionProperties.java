package dev.wheelhouse.spring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.election.ElectionOptions;

/**
 * The options {@code --wheelhouse.leader-election.*}, which correspond to kube-controller-manager's
 * {@code --leader-elect-*}.
 *
 * @param enabled whether the controllers act only while this process holds a Lease; by default only in a pod
 * @param resourceName the name of the Lease; by default {@code spring.application.name}
 * @param resourceNamespace the namespace of the Lease; by default that of the pod or of the kubeconfig's context
 * @param leaseDuration the time after the last observed renewal until another process may take the Lease
 * @param renewDeadline the time after its last renewal for which the leader acts
 * @param retryPeriod the time between two attempts
 */
record ElectionProperties(@Nullable Boolean enabled, @Nullable String resourceName,
        @Nullable String resourceNamespace, @DefaultValue("15s") Duration leaseDuration,
        @DefaultValue("10s") Duration renewDeadline, @DefaultValue("2s") Duration retryPeriod) {

    ElectionProperties {
        options(resourceNamespace == null ? "default" : resourceNamespace, "this process",
                resourceName == null ? "wheelhouse" : resourceName, leaseDuration, renewDeadline, retryPeriod);
    }

    /**
     * @param namespace the namespace of the Lease if the options name none
     * @param application the name of the Lease if the options name none
     * @param identity a name that no other process has
     */
    ElectionOptions options(String namespace, String application, String identity) {
        return options(resourceNamespace == null ? namespace : resourceNamespace, identity,
                resourceName == null ? application : resourceName, leaseDuration, renewDeadline, retryPeriod);
    }

    private static ElectionOptions options(String namespace, String identity, String name, Duration lease,
            Duration renew, Duration retry) {
        return BadOption.checked("wheelhouse.leader-election.",
                () -> new ElectionOptions(ObjectKey.of(namespace, name), identity, lease, renew, retry));
    }
}
