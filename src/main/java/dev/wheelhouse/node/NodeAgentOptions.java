package dev.wheelhouse.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.podconfig.HttpManifests;

/**
 * What a node is, and how its agent works.
 *
 * @param name the node's name, a DNS subdomain
 * @param hostIp its internal address
 * @param podCidr the IPv4 range from which its pods get their addresses
 * @param capacity resources by name, as quantities: {@code cpu}, {@code memory}, {@code pods}, …; all of it is allocatable
 * @param labels beside those that every node has (hostname, operating system, architecture)
 * @param taints that keep pods away
 * @param profile how hollow pods behave that say nothing: {@code none}, {@code slow}, {@code flaky}, {@code stuck},
 *     {@code crashing} or {@code unpullable}
 * @param workers how many pods are dealt with at once, and for how many a status is written at once; each has a virtual thread
 * @param resync after how long without a change a pod is synced again, at the earliest
 * @param manifestPath a file or directory of static pods' manifests, or null
 * @param fileCheckPeriod how often it is read even if the file system tells of no change
 * @param manifestUrl where more of them are fetched from, or null
 */
public record NodeAgentOptions(String name, String hostIp, String podCidr, Map<String, String> capacity,
        Map<String, String> labels, List<V1Taint> taints, String profile, int workers, Duration resync,
        @Nullable Path manifestPath, Duration fileCheckPeriod, @Nullable HttpManifests manifestUrl) {

    /** A write that hangs occupies one of them for a minute at most, the deadline of the client. */
    private static final int DEFAULT_WORKERS = 64;

    public NodeAgentOptions {
        if (!name.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*") || name.length() > 253) {
            throw new IllegalArgumentException("node name \"" + name
                    + "\": write lower case letters, digits, '-' and '.', beginning and ending with a letter or digit");
        }
        if (workers < 1) {
            throw new IllegalArgumentException("node " + name + ": " + workers + " workers: it needs at least 1");
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
     * A hollow node: 4 CPUs, 8 GiB, 110 pods, with addresses of its own.
     *
     * @param index of this node among the hollow ones, from 0 to 3071: no two have the same
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
                DEFAULT_WORKERS, Duration.ofMinutes(1), null, FileSource.DEFAULT_PERIOD, null);
    }

    public NodeAgentOptions withCapacity(Map<String, String> resources) {
        return new NodeAgentOptions(name, hostIp, podCidr, resources, labels, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl);
    }

    public NodeAgentOptions withLabels(Map<String, String> more) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, more, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl);
    }

    public NodeAgentOptions withTaints(List<V1Taint> some) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, some, profile, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl);
    }

    /** With another behaviour of the pods that say nothing about it. */
    public NodeAgentOptions withProfile(String profileName) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profileName, workers, resync,
                manifestPath, fileCheckPeriod, manifestUrl);
    }

    /** With static pods from a file, or a directory of them. */
    public NodeAgentOptions withManifests(@Nullable Path path, Duration checkPeriod) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profile, workers, resync, path,
                checkPeriod, manifestUrl);
    }

    /** With static pods from a URL. */
    public NodeAgentOptions withManifestUrl(@Nullable HttpManifests url) {
        return new NodeAgentOptions(name, hostIp, podCidr, capacity, labels, taints, profile, workers, resync,
                manifestPath, fileCheckPeriod, url);
    }
}
