package dev.wheelhouse.apiserver.validation;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The rules of pods and pod templates (upstream: {@code pkg/apis/core/validation/validation.go}). Containers and
 * volumes have classes of their own.
 */
public final class PodValidation {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final Pattern COST = Pattern.compile("0|-?[1-9][0-9]{0,9}");

    private PodValidation() {}

    /** Checks the rules that hold for a pod at any time. */
    public static void pod(ObjectNode pod, Problems problems) {
        JsonNode spec = pod.path("spec");
        JsonNode mirror = pod.path("metadata").path("annotations").path(MIRROR);
        if (mirror.isString() && Json.text(spec, "nodeName").isEmpty()) {
            problems.invalid(Problems.key("metadata.annotations", MIRROR), mirror.asString(),
                    "must set spec.nodeName if mirror pod annotation is set");
        }
        if (isMirror(pod) && !spec.path("resourceClaims").isEmpty()) {
            problems.forbidden("[]", "static pods do not support resource claims");
        }
        deletionCost(pod.path("metadata").path("annotations"), "metadata.annotations", problems);
        spec(spec, "spec", Json.text(pod, "metadata", "name"), true, problems);
        if (Json.text(spec, "serviceAccountName").isEmpty()) {
            tokensNeedAnAccount(spec, problems);
        }
        for (String list : List.of("containers", "initContainers")) {
            Problems.each(spec, "spec", list, (container, at) -> {
                String image = Json.text(container, "image");
                if (!image.equals(image.strip())) {
                    problems.invalid(at + ".image", image, "must not have leading or trailing whitespace");
                }
            });
        }
    }

    /** Whether the pod is the API server's copy of a static pod. */
    public static boolean isMirror(JsonNode pod) {
        return pod.path("metadata").path("annotations").has(MIRROR);
    }

    /** Checks the annotations of a pod that no change may add, change or remove. */
    public static void annotationsUpdate(JsonNode pod, JsonNode old, Problems problems) {
        JsonNode now = pod.path("metadata").path("annotations");
        JsonNode before = old.path("metadata").path("annotations");
        for (String key : before.propertyNames()) {
            if (!before.get(key).equals(now.get(key))) {
                fixed(key, "may not remove or update ", problems);
            }
        }
        for (String key : now.propertyNames()) {
            if (!before.has(key)) {
                fixed(key, "may not add ", problems);
            }
        }
    }

    private static void fixed(String key, String problem, Problems problems) {
        if (key.equals(MIRROR) || key.startsWith(APP_ARMOR)) {
            problems.forbidden(Problems.key("metadata.annotations", key),
                    problem + (key.equals(MIRROR) ? "mirror pod annotation" : "AppArmor annotations"));
        }
    }

    private static void deletionCost(JsonNode annotations, String path, Problems problems) {
        String cost = annotations.path(DELETION_COST).asString("0");
        boolean digits = COST.matcher(cost).matches();
        if (!digits || Long.parseLong(cost) != (int) Long.parseLong(cost)) {
            problems.invalid(Problems.key(path, DELETION_COST), cost, "must be a 32bit integer");
        }
    }

    private static void tokensNeedAnAccount(JsonNode spec, Problems problems) {
        Problems.each(spec, "spec", "volumes",
                (volume, at) -> Problems.each(volume.path("projected"), at + ".projected", "sources",
                        (source, here) -> {
                            if (source.has("serviceAccountToken")) {
                                problems.forbidden(here + ".serviceAccountToken",
                                        "must not be specified when serviceAccountName is not set");
                            }
                        }));
    }

    /** Checks a pod template. */
    public static void template(JsonNode template, String path, Problems problems) {
        MetadataValidation.labels(template.path("metadata").get("labels"), path + ".labels", problems);
        MetadataValidation.annotations(template.path("metadata").get("annotations"), path + ".annotations", problems);
        deletionCost(template.path("metadata").path("annotations"), path + ".annotations", problems);
        spec(template.path("spec"), path + ".spec", "", false, problems);
        if (!template.path("spec").path("ephemeralContainers").isEmpty()) {
            problems.forbidden(path + ".spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
        }
    }

    /** @param podName empty for a template */
    private static void spec(JsonNode spec, String path, String podName, boolean isPod, Problems problems) {
        Map<String, JsonNode> volumes = VolumeValidation.validate(spec.path("volumes"), path + ".volumes", podName,
                problems);
        ContainerValidation containers = new ContainerValidation(spec, path, volumes, problems);
        containers.validate();
        if (spec.path("hostNetwork").asBoolean(false)) {
            hostPorts(spec, path, isPod, problems);
        }
        problems.oneOf(path + ".restartPolicy", Json.text(spec, "restartPolicy"), "Always", "OnFailure", "Never");
        problems.oneOf(path + ".dnsPolicy", Json.text(spec, "dnsPolicy"), "ClusterFirstWithHostNet", "ClusterFirst",
                "Default", "None");
        if (Json.text(spec, "dnsPolicy").equals("None") && spec.path("dnsConfig").path("nameservers").isEmpty()) {
            problems.required(path + ".dnsConfig.nameservers",
                    "must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
        MetadataValidation.labels(spec.get("nodeSelector"), path + ".nodeSelector", problems);
        AffinityValidation.validate(spec, path, problems);
        names(spec, path, problems);
        ResourceValidation.ofPod(spec, path + ".resources", problems);
        deadlines(spec, path, problems);
        tolerations(spec.path("tolerations"), path + ".tolerations", problems);
        gates(spec, path, problems);
    }

    private static void hostPorts(JsonNode spec, String path, boolean isPod, Problems problems) {
        Problems.each(spec, path, "containers",
                (container, at) -> Problems.each(container, at, "ports", (port, here) -> {
                    long host = Json.number(port, 0, "hostPort");
                    if ((isPod || host != 0) && host != Json.number(port, 0, "containerPort")) {
                        problems.invalid(here + ".hostPort", host,
                                "must match `containerPort` when `hostNetwork` is true");
                    }
                }));
    }

    private static void names(JsonNode spec, String path, Problems problems) {
        for (String field : List.of("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName")) {
            String value = Json.text(spec, field);
            problems.formedIfSet(path + "." + field, value, Formats::dnsSubdomain);
        }
        for (String field : List.of("hostname", "subdomain")) {
            String value = Json.text(spec, field);
            problems.formedIfSet(path + "." + field, value, Formats::dnsLabel);
        }
        problems.oneOfIfSet(path + ".preemptionPolicy", Json.text(spec, "preemptionPolicy"), "PreemptLowerPriority",
                "Never");
        Problems.each(spec, path, "hostAliases", (alias, at) -> {
            String ip = Json.text(alias, "ip");
            problems.invalid(at + ".ip", ip, Formats.ip(ip));
            for (JsonNode hostname : alias.path("hostnames")) {
                String name = hostname.asString("");
                problems.invalid(at + ".hostnames", name, Formats.dnsSubdomain(name));
            }
        });
    }

    private static void deadlines(JsonNode spec, String path, Problems problems) {
        if (Json.at(spec, "terminationGracePeriodSeconds") == null) {
            problems.required(path + ".terminationGracePeriodSeconds");
        }
        if (Json.at(spec, "activeDeadlineSeconds") != null) {
            long seconds = Json.number(spec, 0, "activeDeadlineSeconds");
            if (seconds < 1 || seconds > Integer.MAX_VALUE) {
                problems.invalid(path + ".activeDeadlineSeconds", seconds,
                        "must be between 1 and 2147483647, inclusive");
            }
        }
    }

    /** Checks the tolerations of a pod or a runtime class. */
    public static void tolerations(JsonNode tolerations, String path, Problems problems) {
        Problems.each(tolerations, path, (toleration, at) -> {
            String key = Json.text(toleration, "key");
            String operator = Json.text(toleration, "operator");
            String value = Json.text(toleration, "value");
            String effect = Json.text(toleration, "effect");
            if (!key.isEmpty()) {
                problems.invalid(at + ".key", key, Formats.qualifiedName(key));
            } else if (!operator.equals("Exists")) {
                problems.invalid(at + ".operator", operator,
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            if (Json.at(toleration, "tolerationSeconds") != null && !effect.equals("NoExecute")) {
                problems.invalid(at + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
            }
            switch (operator) {
                case "", "Equal" -> {
                    List<String> wrong = Formats.labelValue(value);
                    if (!wrong.isEmpty()) {
                        problems.invalid(at + ".operator", value, String.join(";", wrong));
                    }
                }
                case "Exists" -> {
                    if (!value.isEmpty()) {
                        problems.invalid(at + ".operator", value, "value must be empty when `operator` is 'Exists'");
                    }
                }
                default -> problems.notSupported(at + ".operator", operator, "Equal", "Exists");
            }
            if (!effect.isEmpty()) {
                problems.oneOf(at + ".effect", effect, "NoSchedule", "PreferNoSchedule", "NoExecute");
            }
        });
    }

    private static void gates(JsonNode spec, String path, Problems problems) {
        Set<String> seen = new HashSet<>();
        Problems.each(spec, path, "schedulingGates", (gate, at) -> {
            String name = Json.text(gate, "name");
            problems.invalid(at, name, Formats.qualifiedName(name));
            problems.unique(seen, name, at, "\"" + name + "\"");
        });
        Problems.each(spec, path, "readinessGates", (gate, at) -> {
            String type = Json.text(gate, "conditionType");
            problems.invalid(at + ".conditionType", type, Formats.qualifiedName(type));
        });
    }

    /** An integer field; null if it is missing. */
    public static @Nullable Long number(JsonNode object, String field) {
        return Json.at(object, field) == null ? null : Json.number(object, 0, field);
    }
}
