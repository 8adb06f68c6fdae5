package dev.wheelhouse.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.world.FlagsOfControllers;

/**
 * The steps that users, nodes and faults take. {@code docs/internals/recording.md} describes the file.
 *
 * @param name the directory and the file, such as {@code statefulset/scale-up}
 * @param idle the time without a write of the controllers after which a state is recorded
 * @param controllers the controllers that run besides those of {@link ControlPlane#CONTROLLERS}, by upstream's names
 * @param options the manager's options, by upstream's names without the hyphens in front
 * @param clusterEvents whether it also shows the Events about objects outside of a namespace
 * @param chance the differences between two runs of the real control plane: a pattern of the difference, and the reason
 */
record Scenario(String name, String doc, Duration idle, Set<String> controllers, Map<String, String> options,
        boolean clusterEvents, Map<Pattern, String> chance, List<JsonNode> steps) {
    static final Path DIRECTORY = Path.of("src/test/resources/workloads");
    private static final Set<String> FIELDS = Set.of("doc", "idle", "controllers", "options", "clusterEvents",
            "chance", "steps");
    static final Set<String> STEPS = Set.of("create", "patch", "delete", "evict", "kubelet", "wait", "fault",
            "restart", "node", "heartbeat", "metrics");
    /** The Job controller waits for a second before it looks at changes of pods. */
    private static final Set<String> PATIENT = Set.of("job", "cronjob");

    /**
     * All scenarios whose name matches, in the order of their names.
     *
     * @param glob such as {@code statefulset/*}
     */
    static List<Scenario> all(String glob) {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            return files.filter(f -> f.toString().endsWith(".yaml")).map(Scenario::name)
                    .filter(name -> matcher.matches(Path.of(name))).sorted().map(Scenario::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Path file) {
        return DIRECTORY.relativize(file).toString().replaceFirst("\\.yaml$", "");
    }

    static Scenario read(String name) {
        try {
            return parse(name, Files.readString(DIRECTORY.resolve(name + ".yaml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Scenario parse(String name, String yaml) {
        Object loaded = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
        JsonNode tree = ModelJson.tree(loaded);
        check(FIELDS.containsAll(tree.propertyNames()), name, "has a field that is not one of " + FIELDS);
        check(!tree.path("doc").asString("").isEmpty(), name, "has no doc");
        List<JsonNode> steps = tree.path("steps").valueStream().toList();
        check(!steps.isEmpty(), name, "has no steps");
        for (JsonNode step : steps) {
            check(step.isObject() && step.size() == 1 && STEPS.containsAll(step.propertyNames()), name,
                    "has the step " + step + ", which is not one of " + STEPS);
        }
        Map<Pattern, String> chance = new LinkedHashMap<>();
        tree.path("chance").properties().forEach(e -> chance.put(Pattern.compile(e.getKey()), e.getValue().asString()));
        Set<String> controllers = new TreeSet<>();
        tree.path("controllers").forEach(controller -> controllers.add(controller.asString()));
        Map<String, String> options = new TreeMap<>();
        tree.path("options").properties().forEach(e -> options.put(e.getKey(), e.getValue().asString()));
        String kind = name.substring(0, name.indexOf('/'));
        return new Scenario(name, tree.path("doc").asString(),
                duration(tree.path("idle").asString(PATIENT.contains(kind) ? "1500ms" : "700ms")), controllers, options,
                tree.path("clusterEvents").asBoolean(false), chance, steps);
    }

    private static void check(boolean holds, String scenario, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(scenario + " " + problem);
        }
    }

    /** @param text a number with the unit ms, s or m */
    static Duration duration(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
    }

    /**
     * The time that a step waits.
     *
     * @param text a duration, or {@code minute}: until two seconds after the next minute
     */
    static Duration waiting(String text, Instant now) {
        return text.equals("minute")
                ? Duration.between(now, now.truncatedTo(ChronoUnit.MINUTES).plusSeconds(62))
                : duration(text);
    }

    /** The namespace of its objects. */
    String namespace() {
        return name.replace('/', '-');
    }

    /** Whether a controller runs in it. */
    boolean runs(String controller) {
        return ControlPlane.CONTROLLERS.contains(controller) || controllers.contains(controller);
    }

    Options controllerOptions() {
        return FlagsOfControllers.options(options);
    }

    /** Whether it is about more than a namespace, or disturbs the manager, so that no other may run beside it. */
    boolean isAlone() {
        return clusterEvents || !controllers.isEmpty()
                || steps.stream().anyMatch(s -> s.has("node") || s.has("restart"))
                || kinds().stream().anyMatch(t -> !t.namespaced());
    }

    /** Whether it has its own nodes. Others have {@link Actors#NODES}. */
    boolean hasNodes() {
        return steps.stream().anyMatch(s -> s.has("node"));
    }

    /** The types of the objects that its steps create. */
    Set<ResourceType> kinds() {
        return steps.stream().filter(s -> s.has("create")).map(s -> s.get("create"))
                .map(o -> Kinds.type(o.path("apiVersion").asString(""), o.path("kind").asString("")))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    @Override
    public String toString() {
        return name;
    }
}
