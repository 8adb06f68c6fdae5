package dev.wheelhouse.node;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;

/** A container runtime that a node uses in place of the hollow one. */
public interface NodeRuntime {
    /** The runtime's name and version, as a Node shows them: {@code containerd://1.6.20}; changes with the runtime. */
    String version();

    /**
     * Makes the runtime of one node. If the runtime answers, it knows at once the pods that an earlier process has
     * left.
     *
     * @param client reads the ConfigMaps and Secrets that pods name, as the node
     * @param process has the rights of the process, for work that is no kubelet's, such as that of kube-proxy
     */
    PodRuntime open(NodeAgentOptions node, KubeClient client, KubeClient process, PodEventRecorder events,
            Clock clock);

    /** Takes the contents of a volume of the embedded provisioner away, whose PersistentVolume was deleted. */
    default void discardVolume(String name) {}
}
