package dev.wheelhouse.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

/** The rules of the restricted Pod Security Standard, and of the baseline standard, which it contains. */
public final class RestrictedPods {
    private static final Set<String> VOLUMES = Set.of("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
            "persistentVolumeClaim", "projected", "secret");

    private RestrictedPods() {}

    /** @return a sentence for each rule that a pod's spec breaks */
    public static List<String> violations(JsonNode spec) {
        List<String> found = new ArrayList<>();
        Stream.of("hostNetwork", "hostPID", "hostIPC").filter(field -> spec.path(field).asBoolean(false))
                .forEach(field -> found.add(field + " is true"));
        spec.path("volumes").forEach(volume -> volume.propertyNames().stream()
                .filter(source -> !source.equals("name") && !VOLUMES.contains(source))
                .forEach(source -> found.add("the volume " + volume.path("name").asString() + " is a " + source)));
        JsonNode pod = spec.path("securityContext");
        if (!pod.path("sysctls").isEmpty()) {
            found.add("sysctls are set");
        }
        Stream.of("initContainers", "containers", "ephemeralContainers")
                .forEach(list -> spec.path(list).forEach(container -> check(pod, container, found)));
        return found;
    }

    private static void check(JsonNode pod, JsonNode container, List<String> found) {
        String name = "the container " + container.path("name").asString() + " ";
        JsonNode own = container.path("securityContext");
        if (own.path("privileged").asBoolean(false)) {
            found.add(name + "is privileged");
        }
        if (own.path("allowPrivilegeEscalation").asBoolean(true)) {
            found.add(name + "may escalate its privileges");
        }
        if (!either(pod, own, "runAsNonRoot").asBoolean(false)) {
            found.add(name + "may run as root");
        }
        if (either(pod, own, "runAsUser").asInt(-1) == 0) {
            found.add(name + "runs as the user 0");
        }
        if (!Set.of("RuntimeDefault", "Localhost")
                .contains(either(pod, own, "seccompProfile").path("type").asString(""))) {
            found.add(name + "has no seccomp profile");
        }
        if (!own.path("capabilities").path("drop").toString().equals("[\"ALL\"]")) {
            found.add(name + "does not drop all capabilities");
        }
        own.path("capabilities").path("add").forEach(added -> {
            if (!added.asString().equals("NET_BIND_SERVICE")) {
                found.add(name + "has the capability " + added.asString());
            }
        });
        Stream.of("procMount", "windowsOptions", "seLinuxOptions").filter(own::has)
                .forEach(field -> found.add(name + "sets " + field));
        container.path("ports").forEach(port -> {
            if (port.path("hostPort").asInt(0) != 0) {
                found.add(name + "has a port of the host");
            }
        });
    }

    /** A field of the container, or else of the pod. */
    private static JsonNode either(JsonNode pod, JsonNode container, String field) {
        return container.has(field) ? container.path(field) : pod.path(field);
    }
}
