package dev.wheelhouse.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A file of kind KubeSchedulerConfiguration (upstream: {@code pkg/scheduler/apis/config}). Fields that neither upstream
 * nor this scheduler has are refused, and so are plugins that this scheduler does not have. The fields for leader
 * election, connections, debugging and parallelism have no effect.
 *
 * @param profiles by the {@code schedulerName} of their pods
 */
public record SchedulerConfig(Map<String, Profile> profiles, Duration initialBackoff, Duration maxBackoff) {
    private static final String VERSION = "kubescheduler.config.k8s.io/v1";
    private static final String KIND = "KubeSchedulerConfiguration";
    private static final int MAX_BYTES = 1 << 20;
    private static final JsonMapper STRICT = ModelJson.withoutCoercion(ModelJson.mapperForModels().rebuild())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    /** The values of absent fields, and the arguments of plugins by their names. */
    private static final JsonNode ABSENT = tree("""
            file: {parallelism: 16, podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 10, profiles: [{}],
              extenders: []}
            DefaultPreemption: {minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100}
            InterPodAffinity: {hardPodAffinityWeight: 1}
            NodeAffinity: {}
            NodeResourcesFit: {ignoredResources: [], ignoredResourceGroups: [],
              scoringStrategy: {type: LeastAllocated}}
            NodeResourcesBalancedAllocation: {resources: [{name: cpu}, {name: memory}]}
            PodTopologySpread: {defaultingType: System, defaultConstraints: []}
            VolumeBinding: {bindTimeoutSeconds: 600}
            """.getBytes(StandardCharsets.UTF_8));
    /** The constraints of pods that declare none, if the profile does not say otherwise. */
    private static final List<V1TopologySpreadConstraint> SYSTEM = List.of(
            new V1TopologySpreadConstraint().topologyKey("kubernetes.io/hostname").maxSkew(3)
                    .whenUnsatisfiable("ScheduleAnyway"),
            new V1TopologySpreadConstraint().topologyKey("topology.kubernetes.io/zone").maxSkew(5)
                    .whenUnsatisfiable("ScheduleAnyway"));

    /** One profile with all plugins, for the pods of the {@code default-scheduler}. */
    public static final SchedulerConfig DEFAULT = of(("apiVersion: " + VERSION + "\nkind: " + KIND)
            .getBytes(StandardCharsets.UTF_8));

    private record Text(int parallelism, @Nullable Election leaderElection, @Nullable Connection clientConnection,
            boolean enableProfiling, boolean enableContentionProfiling, boolean delayCacheUntilActive,
            int percentageOfNodesToScore, long podInitialBackoffSeconds, long podMaxBackoffSeconds,
            List<ProfileText> profiles, List<JsonNode> extenders) {}

    private record Election(boolean leaderElect, @Nullable String leaseDuration, @Nullable String renewDeadline,
            @Nullable String retryPeriod, @Nullable String resourceLock, @Nullable String resourceName,
            @Nullable String resourceNamespace) {}

    private record Connection(@Nullable String kubeconfig, @Nullable String acceptContentTypes,
            @Nullable String contentType, double qps, int burst) {}

    /** A profile as the file has it. */
    record ProfileText(String schedulerName, @Nullable Integer percentageOfNodesToScore, Map<String, PluginSet> plugins,
            List<PluginArgs> pluginConfig) {
        ProfileText {
            schedulerName = Objects.requireNonNullElse(schedulerName, Scheduler.NAME);
            plugins = orEmpty(plugins);
            pluginConfig = orEmpty(pluginConfig);
        }
    }

    record PluginSet(List<PluginName> enabled, List<PluginName> disabled) {
        static final PluginSet NONE = new PluginSet(List.of(), List.of());

        PluginSet {
            enabled = orEmpty(enabled);
            disabled = orEmpty(disabled);
        }

        boolean disables(String name) {
            return disabled.stream().anyMatch(each -> each.name.equals(name) || each.name.equals("*"));
        }
    }

    record PluginName(String name, int weight) {}

    record PluginArgs(String name, @Nullable ObjectNode args) {}

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if the file cannot be used; the message begins with the file
     */
    public static SchedulerConfig read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return of(in.readNBytes(MAX_BYTES));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException(" is " + file + ", which cannot be used: "
                    + (e instanceof IOException ? e : e.getMessage()), e);
        }
    }

    static SchedulerConfig of(byte[] yaml) {
        ObjectNode json = tree(yaml) instanceof ObjectNode node ? node : STRICT.createObjectNode();
        requireType(json, KIND, "");
        Text text = fields("", complete("file", json), Text.class);
        ConfigErrors errors = new ConfigErrors();
        errors.invalid(text.parallelism <= 0, "parallelism", text.parallelism,
                "should be an integer value greater than zero");
        errors.percentage("percentageOfNodesToScore", text.percentageOfNodesToScore);
        errors.invalid(text.podInitialBackoffSeconds <= 0, "podInitialBackoffSeconds", text.podInitialBackoffSeconds,
                "must be greater than 0");
        errors.invalid(text.podMaxBackoffSeconds < text.podInitialBackoffSeconds, "podMaxBackoffSeconds",
                text.podMaxBackoffSeconds, "must be greater than or equal to PodInitialBackoffSeconds");
        errors.add(!text.extenders.isEmpty(), "extenders", "Forbidden: this scheduler calls no extenders");
        errors.add(text.profiles.isEmpty(), "profiles", "Required value");
        Map<String, Profile> profiles = new LinkedHashMap<>();
        for (int i = 0; i < text.profiles.size(); i++) {
            String path = "profiles[" + i + "]";
            ProfileText profile = text.profiles.get(i);
            errors.add(profile.schedulerName.isEmpty(), path + ".schedulerName", "Required value");
            errors.add(profiles.containsKey(profile.schedulerName), path + ".schedulerName",
                    "Duplicate value: " + ConfigErrors.quoted(profile.schedulerName));
            profiles.put(profile.schedulerName, profile(path, profile, text.percentageOfNodesToScore, errors));
        }
        errors.end();
        return new SchedulerConfig(profiles, Duration.ofSeconds(text.podInitialBackoffSeconds),
                Duration.ofSeconds(text.podMaxBackoffSeconds));
    }

    private static Profile profile(String path, ProfileText text, int percentage, ConfigErrors errors) {
        if (text.percentageOfNodesToScore != null) {
            errors.percentage(path + ".percentageOfNodesToScore", text.percentageOfNodesToScore);
        }
        Given given = new Given(new HashMap<>(), new HashMap<>(), errors);
        for (int i = 0; i < text.pluginConfig.size(); i++) {
            PluginArgs each = text.pluginConfig.get(i);
            String at = path + ".pluginConfig[" + i + "]";
            ObjectNode args = each.args == null ? STRICT.createObjectNode() : each.args;
            requireType(args, each.name + "Args", at + ".args.");
            errors.add(given.args.put(each.name, args) != null, at, "Duplicate value: "
                    + ConfigErrors.quoted(each.name));
            given.paths.put(each.name, at + ".args");
            errors.invalid(Plugin.named(each.name) == null || !ABSENT.has(each.name), at, each.name,
                    "this scheduler has no plugin of this name that takes arguments");
        }
        return new PluginSelection(path, text.plugins, errors).profile(text.schedulerName,
                Objects.requireNonNullElse(text.percentageOfNodesToScore, percentage), given.all());
    }

    /** The arguments that a profile gives to its plugins, by the plugins' names. */
    private record Given(Map<String, ObjectNode> args, Map<String, String> paths, ConfigErrors errors) {
        <T> T read(String name, Class<T> type) {
            String path = paths.getOrDefault(name, name);
            T read = fields(path, complete(name, args.getOrDefault(name, STRICT.createObjectNode())), type);
            errors.check(path, read);
            return read;
        }

        Profile.Args all() {
            Profile.Spread spread = read("PodTopologySpread", Profile.Spread.class);
            boolean system = spread.defaultingType().equals("System");
            Profile.Args all = new Profile.Args(read("DefaultPreemption", Profile.Preemption.class),
                    read("InterPodAffinity", Profile.Affinity.class),
                    read("NodeAffinity", Profile.Added.class).selection(),
                    read("NodeResourcesFit", Profile.Fit.class),
                    read("NodeResourcesBalancedAllocation", Profile.Balance.class),
                    SpreadConstraint.of(system ? SYSTEM : spread.defaultConstraints(), Map.of()), system,
                    read("VolumeBinding", Profile.Binding.class));
            errors.end();
            return all;
        }
    }

    private static JsonNode tree(byte[] yaml) {
        return ModelJson.tree(Objects.requireNonNullElse(SafeYaml.load(yaml), Map.of()));
    }

    /** Checks apiVersion and kind, and removes them. */
    private static void requireType(ObjectNode json, String kind, String path) {
        String given = (json.has("apiVersion") ? json.remove("apiVersion").asString("") : "") + " "
                + (json.has("kind") ? json.remove("kind").asString("") : "");
        // The arguments of a plugin need not say what they are.
        if (!given.equals(VERSION + " " + kind) && (path.isEmpty() || !given.isBlank())) {
            throw new IllegalArgumentException(path + "apiVersion and " + path + "kind must be " + VERSION + " and "
                    + kind);
        }
    }

    /** The fields of an object, and the defaults of the absent ones. */
    private static ObjectNode complete(String name, ObjectNode given) {
        ObjectNode complete = (ObjectNode) ABSENT.get(name).deepCopy();
        given.properties().stream().filter(field -> !field.getValue().isNull())
                .forEach(field -> complete.set(field.getKey(), field.getValue()));
        return complete;
    }

    private static <T> T fields(String path, JsonNode json, Class<T> type) {
        try {
            return STRICT.treeToValue(json, type);
        } catch (JacksonException e) {
            StringBuilder at = new StringBuilder(path);
            e.getPath().forEach(step -> at.append(step.getPropertyName() == null
                    ? "[" + step.getIndex() + "]"
                    : (at.isEmpty() ? "" : ".") + step.getPropertyName()));
            throw new IllegalArgumentException(e instanceof UnrecognizedPropertyException
                    ? "strict decoding error: unknown field \"" + at + "\""
                    : at + ": " + e.getOriginalMessage(), e);
        }
    }

    /** The profile of a pod's scheduler; null if another scheduler is to take the pod. */
    @Nullable
    Profile of(V1Pod pod) {
        String name = pod.getSpec() == null ? "" : orEmpty(pod.getSpec().getSchedulerName());
        return profiles.get(name.isEmpty() ? Scheduler.NAME : name);
    }

    /** Whether a pod waits for a node from one of these profiles. */
    boolean takes(V1Pod pod) {
        Profile profile = of(pod);
        return profile != null && PodPredicates.waits(pod, profile.gated());
    }
}
