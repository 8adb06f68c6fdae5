package dev.wheelhouse.spring;

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
 * @param runtime {@code hollow}, or the socket of a container runtime that runs the pods, such as
 *     {@code unix:///run/containerd/containerd.sock}
 * @param runtimeDirectory the directory of the volumes and logs of pods that a container runtime runs
 * @param bootstrapKubeconfig a kubeconfig with a bootstrap token, by which the node joins the cluster of another
 *     process: it gets a certificate of its own, with which this process then works
 * @param config the file of a KubeletConfiguration; the other options take precedence over it
 */
record NodeProperties(@Nullable String name, @Nullable String manifestDirectory, @Nullable String manifestUrl,
        @DefaultValue({
        }) List<String> manifestUrlHeaders, @Nullable String fileCheckPeriod,
        @Nullable String httpCheckPeriod, @DefaultValue({}) List<String> capacity,
        @DefaultValue({}) List<String> labels, @DefaultValue({}) List<String> taints,
        @DefaultValue("hollow") String runtime, @DefaultValue("/var/lib/wheelhouse") String runtimeDirectory,
        @Nullable String bootstrapKubeconfig, @Nullable String config) {
    private static final String HOLLOW = "hollow";

    /** Whether any option is set. */
    boolean isAnySet() {
        return name != null || manifestDirectory != null || manifestUrl != null || !manifestUrlHeaders.isEmpty()
                || fileCheckPeriod != null || httpCheckPeriod != null || !capacity.isEmpty() || !labels.isEmpty()
                || !taints.isEmpty() || config != null || bootstrapKubeconfig != null || isReal();
    }

    /** Whether the node is to run containers. */
    boolean isReal() {
        return !runtime.equals(HOLLOW);
    }
}
