package dev.wheelhouse.apiserver.resources;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.wheelhouse.facts.BuiltInResource;

/**
 * The switches of the server's own APIs, as in kube-apiserver's {@code --runtime-config}. Stable versions are on by
 * default, and alpha and beta versions are off (upstream: {@code pkg/controlplane/instance.go},
 * {@code apiserver/pkg/server/resourceconfig}). Immutable.
 *
 * @param switches by {@code api/all}, {@code api/ga}, {@code api/beta}, {@code api/alpha}, {@code GROUP/VERSION} or
 *     {@code GROUP/VERSION/RESOURCE}; the group of the core API is empty. A more special switch wins
 */
public record RuntimeConfig(Map<String, Boolean> switches) {
    /** The APIs that report the usage of pods and nodes, and other metrics. */
    public static final String RESOURCE_METRICS = "metrics.k8s.io/v1beta1";
    public static final String CUSTOM_METRICS = "custom.metrics.k8s.io/v1beta2";
    public static final String EXTERNAL_METRICS = "external.metrics.k8s.io/v1beta1";
    private static final Pattern SWITCH = Pattern.compile("([^=]*)(?:=(true|false)?)?");
    private static final Set<String> STAGES = Set.of("api/all", "api/ga", "api/beta", "api/alpha");

    public RuntimeConfig {
        switches = Map.copyOf(switches);
    }

    public static RuntimeConfig standard() {
        return new RuntimeConfig(Map.of());
    }

    /**
     * Reads {@code api/beta=true,batch/v1/cronjobs=false}. A switch without a value is on.
     *
     * @throws IllegalArgumentException if a switch names no API of this server, or its value is not true or false
     */
    public static RuntimeConfig parse(String text) {
        Map<String, Boolean> switches = new HashMap<>();
        for (String part : Stream.of(text.split(",", -1)).map(String::strip).filter(one -> !one.isEmpty()).toList()) {
            Matcher sides = SWITCH.matcher(part);
            if (!sides.matches() || !STAGES.contains(sides.group(1)) && !Apis.NAMES.contains(sides.group(1))) {
                throw new IllegalArgumentException("\"" + part + "\" switches no API of this server on or off: write"
                        + " api/all, api/ga, api/beta, api/alpha, GROUP/VERSION such as resource.k8s.io/v1beta1, or"
                        + " GROUP/VERSION/RESOURCE such as batch/v1/cronjobs, and =true or =false after it");
            }
            switches.put(sides.group(1), !"false".equals(sides.group(2)));
        }
        return new RuntimeConfig(switches);
    }

    private static final class Apis {
        static final Set<String> NAMES = Stream.concat(
                Stream.of(RESOURCE_METRICS, CUSTOM_METRICS, EXTERNAL_METRICS, "api/v1"),
                BuiltInResource.all().stream().map(BuiltInResource::type).flatMap(type -> {
                    String version = type.group() + "/" + type.version();
                    return Stream.of(version, version + "/" + type.plural());
                })).collect(Collectors.toSet());
    }

    /** The same, with an API that is on unless a switch names it. */
    public RuntimeConfig withDefault(String groupVersion) {
        Map<String, Boolean> more = new HashMap<>(switches);
        more.putIfAbsent(groupVersion, true);
        return new RuntimeConfig(more);
    }

    /**
     * Whether a resource is served.
     *
     * @param group empty for the core group
     */
    public boolean serves(String group, String version, String plural) {
        String stage = version.contains("alpha") ? "api/alpha" : version.contains("beta") ? "api/beta" : "api/ga";
        return Stream.of(group + "/" + version + "/" + plural, group + "/" + version, stage, "api/all")
                .filter(switches::containsKey).findFirst().map(switches::get).orElse(stage.equals("api/ga"));
    }
}
