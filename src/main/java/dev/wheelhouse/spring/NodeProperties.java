package dev.wheelhouse.spring;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The options {@code --wheelhouse.node.*}: one node of one's own, or what the first hollow node has beside the others.
 *
 * @param name the node's name; if unsaid, the first hollow node is meant, or where there is none, the host's name
 * @param manifestDirectory a directory of static pods' manifests, or a single file
 * @param manifestUrl where more of them are fetched from
 * @param manifestUrlHeaders sent with each request, each as {@code Name:value}
 * @param fileCheckPeriod how often the directory is read even if the file system tells of no change, as in {@code 20s}
 * @param httpCheckPeriod how often the URL is fetched
 * @param capacity resources, each as {@code cpu=4}; what is unsaid is as on the hollow nodes
 * @param labels each as {@code key=value}
 * @param taints each as {@code key=value:Effect} or {@code key:Effect}
 * @param config a KubeletConfiguration; the options beside it win over what it says
 */
record NodeProperties(@Nullable String name, @Nullable String manifestDirectory, @Nullable String manifestUrl,
        @DefaultValue({
        }) List<String> manifestUrlHeaders, @Nullable String fileCheckPeriod,
        @Nullable String httpCheckPeriod, @DefaultValue({}) List<String> capacity,
        @DefaultValue({}) List<String> labels, @DefaultValue({}) List<String> taints, @Nullable String config) {

    /** Whether any of them is set. */
    boolean isAnySet() {
        return name != null || manifestDirectory != null || manifestUrl != null || !manifestUrlHeaders.isEmpty()
                || fileCheckPeriod != null || httpCheckPeriod != null || !capacity.isEmpty() || !labels.isEmpty()
                || !taints.isEmpty() || config != null;
    }
}
