package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.SchemaRules;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.apiserver.validation.TextFormats;
import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.facts.Quantities;

/** The methods that rows of {@code warnings.tsv} call (upstream: {@code pkg/api/pod/warnings.go} and others). */
final class WarningChecks {
    /** The most earlier ports that a port is compared with, so that the work stays linear. */
    private static final int MOST_COMPARED = 100;
    private static final List<String> CONTAINERS = List.of("initContainers", "containers", "ephemeralContainers");
    private static final String SECCOMP = "container.seccomp.security.alpha.kubernetes.io/";
    private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

    private WarningChecks() {}

    private static String in(String path, String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    static void warnedLabelValue(Subject value) {
        for (String wrong : Formats.labelValue(value.text())) {
            value.problems().warn(value.path(), value.text() + " is invalid, " + wrong);
        }
    }

    private static void eachContainer(JsonNode spec, String path, BiConsumer<JsonNode, String> action) {
        CONTAINERS.forEach(list -> Problems.each(spec, path, list, action));
    }

    /** Annotations of profiles without the field that replaces them. */
    static void annotatedProfiles(Subject pod) {
        JsonNode annotations = pod.value().path("metadata").path("annotations");
        if (annotations.isEmpty()) {
            return;
        }
        String path = in(pod.path(), "metadata.annotations");
        JsonNode spec = pod.value().path("spec");
        JsonNode ofPod = Json.at(spec, "securityContext", "appArmorProfile");
        boolean ignored = pod.path().isEmpty() && Json.text(spec, "os", "name").equals("windows");
        eachContainer(spec, "", (container, at) -> {
            String seccomp = SECCOMP + Json.text(container, "name");
            String appArmor = APP_ARMOR + Json.text(container, "name");
            if (annotations.has(seccomp) && Json.at(container, "securityContext", "seccompProfile") == null) {
                pod.problems().warn(Problems.key(path, seccomp),
                        "non-functional in v1.27+; use the \"seccompProfile\" field instead");
            }
            if (annotations.has(appArmor) && !ignored
                    && Json.at(container, "securityContext", "appArmorProfile") == null
                    && (ofPod == null || !ofPod.equals(appArmor(Json.text(annotations, appArmor))))) {
                pod.problems().warn(Problems.key(path, appArmor),
                        "deprecated since v1.30; use the \"appArmorProfile\" field instead");
            }
        });
    }

    /** The profile that an annotation stands for; null if it stands for none. */
    private static @Nullable ObjectNode appArmor(String annotation) {
        return switch (annotation) {
            case "unconfined" -> Json.object().put("type", "Unconfined");
            case "runtime/default" -> Json.object().put("type", "RuntimeDefault");
            default -> annotation.startsWith("localhost/") && annotation.length() > "localhost/".length()
                    ? Json.object().put("type", "Localhost")
                            .put("localhostProfile", annotation.substring("localhost/".length()))
                    : null;
        };
    }

    static void hiddenVariables(Subject variables) {
        Set<String> seen = new HashSet<>();
        Problems.each(variables.value(), variables.path(), (variable, path) -> {
            String name = Json.text(variable, "name");
            String reference = "$(" + name + ")";
            String value = Json.text(variable, "value");
            if (!seen.add(name)
                    && (variable.has("valueFrom") || value.equals(reference) || !value.contains(reference))) {
                variables.problems().warn(path, "hides previous definition of " + GoQuote.of(name)
                        + ", which may be dropped when using apply");
            }
        });
    }

    private record Port(String path, String hostIp, long hostPort) {}

    static void warnedPorts(Subject spec) {
        Map<String, List<Port>> all = new HashMap<>();
        Map<String, String> names = new HashMap<>();
        Problems problems = spec.problems();
        eachContainer(spec.value(), spec.path(), (container, at) -> Problems.each(container, at, "ports",
                (node, path) -> {
                    Port port = new Port(path, Json.text(node, "hostIP"), Json.number(node, 0, "hostPort"));
                    String key = Json.number(node, 0, "containerPort") + "/" + Json.text(node, "protocol");
                    if (!port.hostIp.isEmpty() && port.hostPort == 0) {
                        problems.warn(path, "hostIP set without hostPort: {Name:" + Json.text(node, "name")
                                + " HostPort:0 ContainerPort:" + Json.number(node, 0, "containerPort") + " Protocol:"
                                + Json.text(node, "protocol") + " HostIP:" + port.hostIp + "}");
                    }
                    List<Port> others = all.computeIfAbsent(key, k -> new ArrayList<>(1));
                    for (Port other : others) {
                        String clash = clash(port, other);
                        if (!clash.isEmpty()) {
                            problems.warn(path, clash + " port definition with " + other.path);
                        }
                    }
                    if (others.size() < MOST_COMPARED) {
                        others.add(port);
                    }
                }));
        eachContainer(spec.value(), spec.path(), (container, at) -> Problems.each(container, at, "ports",
                (port, path) -> {
                    String name = Json.text(port, "name");
                    String other = name.isEmpty() ? null : names.putIfAbsent(name, path);
                    if (other != null) {
                        problems.warn(path, "duplicate port name " + GoQuote.of(name) + " with " + other
                                + ", services and probes that select ports by name will use " + other);
                    }
                }));
    }

    private static String clash(Port port, Port other) {
        if (port.hostIp.equals(other.hostIp) && port.hostPort == other.hostPort) {
            return "duplicate";
        }
        if (port.hostPort == 0 || other.hostPort == 0) {
            return "overlapping";
        }
        return port.hostPort == other.hostPort && port.hostIp.isEmpty() != other.hostIp.isEmpty()
                ? "dangerously ambiguous"
                : "";
    }

    static void requestsAboveLimits(Subject hard) {
        for (String resource : List.of("cpu", "memory", "storage", "ephemeral-storage")) {
            boolean bare = !hard.value().has("requests." + resource)
                    && (resource.equals("cpu") || resource.equals("memory"));
            String requests = bare ? resource : "requests." + resource;
            String request = Json.text(hard.value(), requests);
            String limit = Json.text(hard.value(), "limits." + resource);
            BigDecimal requested = Quantities.parse(request);
            BigDecimal limited = Quantities.parse(limit);
            if (requested != null && limited != null && requested.compareTo(limited) > 0) {
                hard.problems().warn("", "ResourceQuota " + requests + " (" + Quantities.canonical(request)
                        + ") should be less than limits." + resource + " (" + Quantities.canonical(limit) + ")");
            }
        }
    }

    static void lowerCaseDriver(Subject driver) {
        if (!driver.text().equals(driver.text().toLowerCase(Locale.ROOT))) {
            driver.problems().warn(driver.path(), "driver names should be lowercase; " + GoQuote.of(driver.text())
                    + " contains uppercase characters");
        }
    }

    /** Formats in the schemas of a definition that nothing checks, without those that it had before. */
    static void unrecognizedFormats(Subject spec) {
        Set<String> found = unrecognized(spec.value());
        found.removeAll(unrecognized(spec.old()));
        found.forEach(format -> spec.problems().warn("", "unrecognized format " + GoQuote.of(format)));
    }

    private static Set<String> unrecognized(JsonNode spec) {
        Set<String> found = new LinkedHashSet<>();
        for (JsonNode version : spec.path("versions")) {
            collect(version.path("schema").path("openAPIV3Schema"), found);
        }
        return found;
    }

    private static void collect(JsonNode schema, Set<String> found) {
        String format = Json.text(schema, "format");
        if (!format.isEmpty() && !TextFormats.isKnown(Json.text(schema, "type"), format)) {
            found.add(format);
        }
        SchemaRules.parts(schema).forEach(each -> collect(each, found));
    }
}
