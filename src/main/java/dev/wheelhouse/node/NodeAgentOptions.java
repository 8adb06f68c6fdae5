package dev.wheelhouse.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.podconfig.HttpManifests;

/**
 * The properties of a node, and the options of its agent.
 *
 * @param name the node's name, a DNS subdomain
 * @param hostIp the node's internal address
 * @param podCidr the IPv4 range of its pods' addresses
 * @param capacity quantities by resource name: {@code cpu}, {@code memory}, {@code pods}, …; all of it is allocatable
 * @param labels labels in addition to those of every node (hostname, operating system, architecture)
 * @param taints taints that keep pods away
 * @param profile the profile of hollow pods that name none: {@code none}, {@code slow}, {@code flaky}, {@code stuck},
 *     {@code crashing} or {@code unpullable}
 * @param workers the maximum number of pods that are synced at once, and of statuses that are written at once; each
 *     sync and each write has a virtual thread
 * @param resync the shortest time without a change after which a pod is synced again
 * @param manifestPath a file or directory of manifests of static pods; null for none
 * @param fileCheckPeriod the longest time between two reads of {@code manifestPath}
 * @param manifestUrl the URL of further manifests; null for none
 * @param runtime runs the node's containers; null for a hollow node, which simulates them
 */
public record NodeAgentOptions(String name, String hostIp, String podCidr, Map<String, String> capacity,
        Map<String, String> labels, List<V1Taint> taints, String profile, int workers, Duration resync,
        @Nullable Path manifestPath, Duration fileCheckPeriod, @Nullable HttpManifests manifestUrl,
        @Nullable NodeRuntime runtime) {

    /** The label, and the key of a taint, of nodes that run containers. */
    public static final String REAL = "wheelhouse.dev/real";
    /** A write that hangs occupies a worker for at most a minute, the client's deadline. */
    private static final int DEFAULT_WORKERS = 64;

    public NodeAgentOptions {
        if (!Names.isSubdomain(name)) {
            throw new IllegalArgumentException("node name \"" + name
                    + "\": write lower case letters, digits, '-' and '.', beginning and ending with a letter or digit");
        }
        if (workers < 1) {
            throw new IllegalArgumentException("node " + name + ": " + workers + " workers: at least 1 is needed");
        }
        if (!HollowProfile.NAMED.containsKey(profile)) {
            throw new IllegalArgumentException(
                    "node " + name + ": there is no profile \"" + profile + "\": write one of "
                            + String.join(", ", HollowProfile.NAMED.keySet().stream().sorted().toList()));
        }
        capacity = Map.copyOf(capacity);
        labels = Map.copyOf(labels);
        taints = List.copyOf(taints);
    }

    /**
     * A hollow node with 4 CPUs, 8 GiB, 110 pods, and its own addresses.
     *
     * @param index the number of this node, from 0 to 3071; it must be unique among hollow nodes
     */
    public static NodeAgentOptions hollow(String name, int index) {
        if (index < 0 || index >= 12 * 256) {
            throw new IllegalArgumentException(
                    "hollow node " + name + " has index " + index + ": 0 to 3071 are possible");
        }
        Map<String, String> capacity = new LinkedHashMap<>();
        capacity.put("cpu", "4");
        capacity.put("memory", "8Gi");
        capacity.put("pods", "110");
        capacity.put("ephemeral-storage", "50Gi");
        return new NodeAgentOptions(name, "10.128." + index / 250 + "." + (index % 250 + 1),
                "10." + (244 + index / 256) + "." + index % 256 + ".0/24", capacity, Map.of(), List.of(), "none",
                DEFAULT_WORKERS, Duration.ofMinutes(1), null, FileSource.DEFAULT_PERIOD, null, null);
    }

    /** A copy with this capacity in place of the present one. */
    public NodeAgentOptions withCapacity(Map<String, String> resources) {
        return new NodeAgentOptions(name, hostIp, podCidr, resources, labels, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl, runtime);
    }

    /** A copy with these additional labels in place of the present ones. */
    public NodeAgentOptions withLabels(Map<String, String> additional) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, additional, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl, runtime);
    }

    /** A copy with these taints in place of the present ones. */
    public NodeAgentOptions withTaints(List<V1Taint> newTaints) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, newTaints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl, runtime);
    }

    /** A copy with another profile for pods that name none. */
    public NodeAgentOptions withProfile(String profileName) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profileName, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl, runtime);
    }

    /** A copy with static pods from a file or a directory; null for none. */
    public NodeAgentOptions withManifests(@Nullable Path path, Duration checkPeriod) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profile, workers, resync, path,
                checkPeriod, manifestUrl, runtime);
    }

    /** A copy with static pods from a URL; null for none. */
    public NodeAgentOptions withManifestUrl(@Nullable HttpManifests url) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, url, runtime);
    }

    /**
     * A copy with another range of its pods' addresses.
     *
     * @throws IllegalArgumentException if it is not an IPv4 range
     */
    public NodeAgentOptions withPodCidr(String range) {
        new PodIps(range);
        return new NodeAgentOptions(name, hostIp, range, capacity, labels, taints, profile, workers,
                resync, manifestPath, fileCheckPeriod, manifestUrl, runtime);
    }

    /** A copy that runs containers, with the address and the resources of the machine. */
    public NodeAgentOptions withRuntime(NodeRuntime containers, String address, Map<String, String> resources) {
        return new NodeAgentOptions(name, address, podCidr, resources, labels, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl, containers);
    }
}
