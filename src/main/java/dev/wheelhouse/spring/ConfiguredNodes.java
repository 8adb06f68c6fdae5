package dev.wheelhouse.spring;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.facts.NodeLabels;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.cri.CriNode;
import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.podconfig.HttpManifests;
import dev.wheelhouse.podconfig.KubeletConfigFile;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.Host;
import dev.wheelhouse.scheduler.SchedulerConfig;

/** The nodes of this process, from the options {@code --wheelhouse.nodes.*} and {@code --wheelhouse.node.*}. */
final class ConfiguredNodes {
    private static final Logger log = LoggerFactory.getLogger(ConfiguredNodes.class);
    private static final int DEFAULT_HOLLOW_NODES = 2;
    private static final int MAX_NODES = 3072;
    private static final String DEFAULT_MANIFESTS = "manifests";
    private static final String DEFAULT_RUNTIME = "unix:///run/containerd/containerd.sock";

    private ConfiguredNodes() {}

    private static int count(WheelhouseProperties properties, boolean embedded) {
        Integer wanted = properties.nodes().count();
        return wanted != null ? wanted : embedded && real(properties) == 0 ? DEFAULT_HOLLOW_NODES : 0;
    }

    /** The number of nodes that are to run containers. */
    private static int real(WheelhouseProperties properties) {
        NodeProperties own = properties.node();
        return Math.max(properties.nodes().real(), own.isReal() ? own.runtime().size() : 0);
    }

    /** Whether the process has nodes for its embedded API server. */
    static boolean areAny(WheelhouseProperties properties) {
        return count(properties, true) + real(properties) > 0 || properties.node().isAnySet();
    }

    /** The range of the addresses of Services and Ingresses; null if they get none. */
    static @Nullable AddressRange addresses(WheelhouseProperties properties, boolean embedded) {
        String range = Objects.requireNonNullElse(properties.nodes().addresses(),
                embedded ? HollowCluster.Options.ADDRESSES : "none");
        return range.equals("none")
                ? null
                : BadOption.checked("wheelhouse.nodes.addresses: ", () -> AddressRange.of(range));
    }

    /**
     * The nodes, hollow ones first. If there are both kinds, those that run containers have a taint.
     *
     * @param embedded whether the API server is the embedded one
     * @param workingDirectory the first hollow node on the embedded API server watches {@code manifests/} in it, if
     *     that exists
     * @param hostName the name of a node that has no other name
     */
    static List<NodeAgentOptions> of(WheelhouseProperties properties, boolean embedded, Path workingDirectory,
            String hostName) {
        int count = count(properties, embedded);
        Map<String, String> capacity = Map.of("cpu", properties.nodes().cpu(), "memory", properties.nodes().memory(),
                "pods", String.valueOf(properties.nodes().pods()));
        List<NodeAgentOptions> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            NodeAgentOptions node = NodeAgentOptions.hollow(properties.nodes().namePrefix() + (i + 1), i);
            nodes.add(profiled(node.withCapacity(merged(node.capacity(), capacity)), properties.nodes().profile()));
        }
        NodeProperties own = properties.node();
        Path manifests = workingDirectory.resolve(DEFAULT_MANIFESTS);
        boolean watched = embedded && count > 0 && Files.isDirectory(manifests);
        int real = real(properties);
        if (!own.isAnySet() && real == 0) {
            if (watched) {
                nodes.set(0, nodes.get(0).withManifests(manifests, FileSource.DEFAULT_PERIOD));
            }
            return nodes;
        }
        String name = own.name() != null ? own.name() : count > 0 && real == 0 ? nodes.get(0).name() : hostName;
        int at = nodes.stream().map(NodeAgentOptions::name).toList().indexOf(name);
        if (at < 0) {
            at = count;
            nodes.add(further(name, count, capacity, properties));
        }
        for (int i = 0; i < real; i++) {
            NodeAgentOptions node = i == 0 ? nodes.get(at) : further(name + "-" + (i + 1), count, capacity, properties);
            NodeAgentOptions containers = withRuntime(node, own, i);
            if (i == 0) {
                nodes.set(at, containers);
            } else {
                nodes.add(containers);
            }
        }
        nodes.set(at, with(nodes.get(at), own, at == 0 && watched ? manifests : null));
        return toldApart(nodes);
    }

    /** @throws BadOption if no node would have a pod without an API server */
    static void requireManifests(List<NodeAgentOptions> nodes) {
        if (nodes.stream().allMatch(node -> node.manifestPath() == null && node.manifestUrl() == null)) {
            throw new BadOption("wheelhouse.mode is none, but no manifests are named, so that nothing runs: name them "
                    + "with --wheelhouse.node.manifest-directory=DIRECTORY or --wheelhouse.node.manifest-url=URL");
        }
    }

    /** The nodes; those that run containers with a taint, if there are hollow ones, too. */
    static List<NodeAgentOptions> toldApart(List<NodeAgentOptions> nodes) {
        if (nodes.stream().map(node -> node.runtime() == null).distinct().count() < 2) {
            return nodes;
        }
        V1Taint taint = new V1Taint().key(NodeAgentOptions.REAL).value("true").effect("NoSchedule");
        return nodes.stream().map(node -> node.runtime() == null
                ? node
                : node.withTaints(Stream.concat(node.taints().stream(), Stream.of(taint)).toList())).toList();
    }

    private static NodeAgentOptions further(String name, int count, Map<String, String> capacity,
            WheelhouseProperties properties) {
        int index = count + Math.floorMod(name.hashCode(), MAX_NODES - count);
        return profiled(named(name, index, capacity), properties.nodes().profile());
    }

    private static NodeAgentOptions named(String name, int index, Map<String, String> capacity) {
        NodeAgentOptions node = BadOption.checked("wheelhouse.node.name: ", () -> NodeAgentOptions.hollow(name, index));
        return node.withCapacity(merged(node.capacity(), capacity));
    }

    private static NodeAgentOptions profiled(NodeAgentOptions node, String profile) {
        return BadOption.checked("wheelhouse.nodes.profile: ", () -> node.withProfile(profile));
    }

    private static Map<String, String> merged(Map<String, String> base, Map<String, String> more) {
        Map<String, String> merged = new LinkedHashMap<>(base);
        merged.putAll(more);
        return merged;
    }

    private static NodeAgentOptions with(NodeAgentOptions node, NodeProperties own, @Nullable Path defaultManifests) {
        KubeletConfigFile file = own.config() == null
                ? new KubeletConfigFile(null, null, Map.of(), null, null)
                : kubeletConfig(own.config());
        Duration filePeriod = duration("wheelhouse.node.file-check-period", own.fileCheckPeriod(),
                file.fileCheckFrequency());
        Path path = own.manifestDirectory() != null
                ? path("wheelhouse.node.manifest-directory", own.manifestDirectory())
                : file.staticPodPath() != null ? file.staticPodPath() : defaultManifests;
        return node.withCapacity(merged(node.capacity(), capacity(own.capacity())))
                .withLabels(labels(own.labels())).withTaints(taints(own.taints()))
                .withManifests(path, filePeriod == null ? FileSource.DEFAULT_PERIOD : filePeriod)
                .withManifestUrl(url(own, file));
    }

    /**
     * The node on its container runtime; a hollow one, after a warning, where this process cannot run containers.
     *
     * @param number the number of the node among those that run containers, from 0
     */
    private static NodeAgentOptions withRuntime(NodeAgentOptions node, NodeProperties own, int number) {
        String runtime = own.isReal() ? own.runtime().get(number % own.runtime().size()) : DEFAULT_RUNTIME;
        Path directory = path("wheelhouse.node.runtime-directory", own.runtimeDirectory());
        try {
            CriNode machine = CriNode.at(runtime, directory).serving(own.port(), own.clientCaFile() == null
                    ? null
                    : path("wheelhouse.node.client-ca-file", own.clientCaFile()));
            NodeAgentOptions real = node.withRuntime(own.services() ? machine.withServices() : machine, Host.address(),
                    merged(node.capacity(), machine.resources()));
            String cidr = own.podCidr();
            return cidr == null
                    ? real
                    : BadOption.checked("wheelhouse.node.pod-cidr: ", () -> real.withPodCidr(cidr));
        } catch (IllegalArgumentException e) {
            throw new BadOption("wheelhouse.node.runtime is \"" + runtime + "\": " + e.getMessage());
        } catch (IOException e) {
            log.warn("the node {} stays hollow, although wheelhouse.node.runtime is {}: {}", node.name(),
                    runtime, e.getMessage());
            return node;
        }
    }

    /** The profiles of the scheduler. */
    static SchedulerConfig scheduler(WheelhouseProperties properties) {
        String option = "wheelhouse.scheduler-config";
        String file = properties.schedulerConfig();
        return file == null
                ? SchedulerConfig.DEFAULT
                : BadOption.checked(option, () -> SchedulerConfig.read(path(option, file)));
    }

    private static KubeletConfigFile kubeletConfig(String file) {
        return BadOption.checked("wheelhouse.node.config: ",
                () -> KubeletConfigFile.read(path("wheelhouse.node.config", file)));
    }

    private static @Nullable HttpManifests url(NodeProperties own, KubeletConfigFile file) {
        Duration period = duration("wheelhouse.node.http-check-period", own.httpCheckPeriod(),
                file.httpCheckFrequency());
        Map<String, List<String>> headers = own.manifestUrlHeaders().isEmpty()
                ? file.staticPodUrlHeaders()
                : headers(own.manifestUrlHeaders());
        String text = own.manifestUrl() != null
                ? own.manifestUrl()
                : file.staticPodUrl() == null ? null : file.staticPodUrl().toString();
        if (text == null) {
            if (!headers.isEmpty()) {
                throw new BadOption("wheelhouse.node.manifest-url-headers is set without wheelhouse.node.manifest-url:"
                        + " add the URL, or leave out the headers");
            }
            return null;
        }
        return BadOption.checked("wheelhouse.node.manifest-url: ", () -> {
            HttpManifests plain = HttpManifests.of(url(text));
            return new HttpManifests(plain.url(), headers, period == null ? plain.period() : period, plain.timeout(),
                    plain.otherOrigins());
        });
    }

    private static URI url(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            // The message leaves the URL out, because it may hold a password.
            throw new IllegalArgumentException("it is no URL: write one such as https://example.com/pods.yaml", e);
        }
    }

    private static Map<String, List<String>> headers(List<String> entries) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String entry : entries) {
            int colon = entry.indexOf(':');
            if (colon < 1) {
                // The message leaves the entry out, because it may be a secret.
                throw new BadOption("wheelhouse.node.manifest-url-headers has an entry without a colon: each must be a "
                        + "header, such as Accept:application/yaml");
            }
            headers.computeIfAbsent(entry.substring(0, colon).strip(), n -> new ArrayList<>())
                    .add(entry.substring(colon + 1).strip());
        }
        return headers;
    }

    private static Map<String, String> pairs(String option, List<String> entries) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw bad(option, entry, "key=value");
            }
            pairs.put(entry.substring(0, equals).strip(), entry.substring(equals + 1).strip());
        }
        return pairs;
    }

    private static Map<String, String> labels(List<String> entries) {
        Map<String, String> labels = pairs("wheelhouse.node.labels", entries);
        labels.keySet().forEach(label -> BadOption.require(NodeLabels.mayBeSetByNode(label), "wheelhouse.node.labels",
                label, "a label that a node may give itself; add this one with kubectl label node"));
        return labels;
    }

    private static Map<String, String> capacity(List<String> entries) {
        Map<String, String> capacity = pairs("wheelhouse.node.capacity", entries);
        capacity.forEach((resource, quantity) -> {
            try {
                Quantity.fromString(quantity);
            } catch (QuantityFormatException e) {
                throw bad("wheelhouse.node.capacity", resource + "=" + quantity,
                        "a quantity, such as cpu=4 or memory=8Gi");
            }
        });
        return capacity;
    }

    private static List<V1Taint> taints(List<String> entries) {
        List<V1Taint> taints = new ArrayList<>();
        for (String entry : entries) {
            int colon = entry.lastIndexOf(':');
            String effect = entry.substring(colon + 1);
            String key = colon < 1 ? "" : entry.substring(0, colon);
            if (key.isEmpty() || !List.of("NoSchedule", "PreferNoSchedule", "NoExecute").contains(effect)) {
                throw bad("wheelhouse.node.taints", entry,
                        "key=value:Effect, where Effect is NoSchedule, PreferNoSchedule or NoExecute");
            }
            int equals = key.indexOf('=');
            taints.add(new V1Taint().key(equals < 0 ? key : key.substring(0, equals))
                    .value(equals < 0 ? null : key.substring(equals + 1)).effect(effect));
        }
        return taints;
    }

    private static @Nullable Duration duration(String option, @Nullable String text, @Nullable Duration otherwise) {
        if (text == null) {
            return otherwise;
        }
        Duration duration = Durations.parse(text);
        if (duration == null || duration.isZero()) {
            throw bad(option, text, "a duration, such as 20s or 1m30s");
        }
        return duration;
    }

    private static Path path(String option, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw bad(option, text, "the path of a file");
        }
    }

    private static BadOption bad(String option, String value, String wanted) {
        return new BadOption(option + " is \"" + value + "\": it must be " + wanted);
    }
}
