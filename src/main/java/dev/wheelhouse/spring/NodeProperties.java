package dev.wheelhouse.spring;

import java.io.File;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The options {@code --wheelhouse.node.*} of one node: a further node, or the first hollow node.
 *
 * @param name the node's name; by default the first hollow node's name, or the host's name if there is no hollow node
 * @param manifestDirectory the directory of the manifests of static pods, or a single file
 * @param manifestUrl the URL of further manifests
 * @param manifestUrlHeaders the headers of each request to the URL, each as {@code Name:value}
 * @param fileCheckPeriod the time between two reads of the directory without a change of files, such as {@code 20s}
 * @param httpCheckPeriod the time between two requests to the URL
 * @param capacity the resources, each as {@code cpu=4}; other resources are as on the hollow nodes
 * @param labels the labels, each as {@code key=value}
 * @param taints the taints, each as {@code key=value:Effect} or {@code key:Effect}
 * @param runtime {@code hollow}, or the sockets of the container runtimes that run the pods, such as
 *     {@code unix:///run/containerd/containerd.sock}; each has a node at least
 * @param runtimeDirectory the directory of the volumes and logs of pods that a container runtime runs
 * @param bootstrapKubeconfig a kubeconfig with a bootstrap token, by which the node joins the cluster of another
 *     process: it gets a certificate of its own, with which this process then works
 * @param services whether a node that runs containers makes the rules of Services, answers their names, and gives its
 *     pods a network if the runtime has none; other programs of the cluster do so otherwise
 * @param podCidr the range of the addresses of its pods, such as {@code 10.244.7.0/24}, unless its Node has one
 * @param port the port of the server of a node that runs containers; by default a kubelet's, 10250, or any free one
 *     if that is taken
 * @param clientCaFile the authorities of the client certificates that this server accepts; by default those that the
 *     API server publishes
 * @param config the file of a KubeletConfiguration; the other options take precedence over it
 */
record NodeProperties(@Nullable String name, @Nullable String manifestDirectory, @Nullable String manifestUrl,
        @DefaultValue({
        }) List<String> manifestUrlHeaders, @Nullable String fileCheckPeriod,
        @Nullable String httpCheckPeriod, @DefaultValue({}) List<String> capacity,
        @DefaultValue({}) List<String> labels, @DefaultValue({}) List<String> taints,
        @DefaultValue("hollow") List<String> runtime, @DefaultValue("/var/lib/wheelhouse") String runtimeDirectory,
        @DefaultValue("true") boolean services, @Nullable String podCidr, @Nullable Integer port,
        @Nullable String clientCaFile, @Nullable String bootstrapKubeconfig,
        @Nullable String config) {
    private static final List<String> HOLLOW = List.of("hollow");

    /** Whether any option is set. */
    boolean isAnySet() {
        return name != null || manifestDirectory != null || manifestUrl != null || !manifestUrlHeaders.isEmpty()
                || fileCheckPeriod != null || httpCheckPeriod != null || !capacity.isEmpty() || !labels.isEmpty()
                || !taints.isEmpty() || config != null || bootstrapKubeconfig != null || isReal();
    }

    /** Whether the node is to run containers and to give them the addresses and names of Services. */
    boolean givesServices() {
        return isReal() && services && runtime.stream()
                .anyMatch(socket -> new File(socket.replaceFirst("^unix://", "")).exists());
    }

    /** Whether the node is to run containers. */
    boolean isReal() {
        return !runtime.equals(HOLLOW);
    }
}
