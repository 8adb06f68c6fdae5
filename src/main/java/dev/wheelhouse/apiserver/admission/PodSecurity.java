package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.admission.PodSecurityChecks.Finding;
import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.auth.PodSecurityConfig;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The Pod Security Standards that the labels {@code pod-security.kubernetes.io/…} of a namespace ask for (upstream:
 * {@code k8s.io/pod-security-admission/admission}). Pods are refused by {@code enforce}; what breaks {@code warn}, pods
 * and templates of pods alike, is admitted with a warning, and an annotation of the audit log tells what breaks
 * {@code audit}.
 */
record PodSecurity(ObjectStore store, PodSecurityConfig config) {
    private static final String PREFIX = PodSecurityConfig.PREFIX;
    private static final List<String> LEVELS = List.of("privileged", "baseline", "restricted");
    private static final Pattern VERSION = Pattern.compile("v1\\.(0|[1-9]\\d{0,8})");
    private static final int LATEST = Integer.MAX_VALUE;
    /** Subresources of pods that do not change what runs. */
    private static final Set<String> OTHERS = Set.of("exec", "attach", "binding", "eviction", "log", "portforward",
            "proxy", "status");
    /** Where objects hold a pod. */
    private static final Map<String, String> PODS = Map.of("pods", "", "podtemplates", "/template",
            "replicationcontrollers", "/spec/template", "replicasets.apps", "/spec/template", "deployments.apps",
            "/spec/template", "statefulsets.apps", "/spec/template", "daemonsets.apps", "/spec/template",
            "jobs.batch", "/spec/template", "cronjobs.batch", "/spec/jobTemplate/spec/template");
    private static final int MOST_PODS = 3_000;

    /** @param version the minor version whose checks count */
    private record Level(String level, int version) {
        int strictness() {
            return LEVELS.indexOf(level);
        }

        List<Finding> check(JsonNode metadata, JsonNode spec) {
            return strictness() == 0
                    ? List.of()
                    : PodSecurityChecks.of(metadata, spec, level.equals("restricted"), version);
        }

        @Override
        public String toString() {
            return level + ":" + (version == LATEST ? "latest" : "v1." + version);
        }
    }

    private record Policy(Level enforce, Level audit, Level warn) {
        /** @param problems gets what is wrong with the labels. Then the strictest level is enforced */
        static Policy of(Map<String, String> own, Map<String, String> defaults, Problems problems) {
            Map<String, String> labels = new HashMap<>(defaults);
            labels.putAll(own);
            Level enforce = level(labels, "enforce", "restricted", problems);
            Level audit = level(labels, "audit", "privileged", problems);
            Level warn = level(labels, "warn", "privileged", problems);
            // A level that is enforced is also warned of, unless the namespace says otherwise.
            boolean same = !own.containsKey(PREFIX + "warn") && enforce.level.equals(own.get(PREFIX + "enforce"))
                    && enforce.strictness() > warn.strictness();
            int version = own.containsKey(PREFIX + "warn-version") ? warn.version : enforce.version;
            return new Policy(enforce, audit, same ? new Level(enforce.level, version) : warn);
        }

        private static Level level(Map<String, String> labels, String mode, String otherwise, Problems problems) {
            String level = labels.getOrDefault(PREFIX + mode, LEVELS.getFirst());
            String version = labels.getOrDefault(PREFIX + mode + "-version", "latest");
            if (!LEVELS.contains(level)) {
                problems.invalid(Problems.key("metadata.labels", PREFIX + mode), level,
                        "must be one of " + String.join(", ", LEVELS));
                level = otherwise;
            }
            boolean valid = VERSION.matcher(version).matches();
            if (!valid && !version.equals("latest")) {
                problems.invalid(Problems.key("metadata.labels", PREFIX + mode + "-version"), version,
                        "must be \"latest\" or \"v1.x\"");
            }
            return new Level(level, valid ? Integer.parseInt(version.substring("v1.".length())) : LATEST);
        }
    }

    /**
     * Refuses a pod that the policy of its namespace forbids, and a namespace whose labels are none; warns of the rest.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 403 for a pod, 422 for a namespace
     */
    void check(Attributes asked) {
        ObjectNode object = asked.object();
        String type = asked.type().groupResource();
        String subresource = asked.target().subresource();
        if (object == null) {
            return;
        }
        boolean isPod = type.equals("pods");
        if (type.equals("namespaces") && subresource.isEmpty()) {
            checkNamespace(asked, object);
        } else if (isPod
                ? !OTHERS.contains(subresource) && isSignificant(object, asked.old())
                : PODS.containsKey(type) && subresource.isEmpty()) {
            StoredObject namespace = store.get("namespaces", "", asked.target().namespace());
            JsonNode pod = object.at(PODS.get(type));
            if (namespace == null || !pod.has("spec")) {
                return;
            }
            String exempt = config.exemption(namespace.name(), asked.user().name(),
                    Json.text(pod, "spec", "runtimeClassName"));
            if (exempt.isEmpty()) {
                check(asked, pod, Policy.of(namespace.labels(), config.labels(), new Problems()), isPod);
            } else {
                AuditEvent.annotate(PREFIX + "exempt", exempt);
            }
        }
    }

    private static void check(Attributes asked, JsonNode pod, Policy policy, boolean isPod) {
        if (isPod) {
            AuditEvent.annotate(PREFIX + "enforce-policy", policy.enforce.toString());
        }
        List<Finding> audited = policy.audit.check(pod.path("metadata"), pod.path("spec"));
        if (!audited.isEmpty()) {
            AuditEvent.annotate(PREFIX + "audit-violations",
                    "would violate PodSecurity \"" + policy.audit + "\": " + detail(audited));
        }
        List<Finding> forbidden = isPod ? policy.enforce.check(pod.path("metadata"), pod.path("spec")) : List.of();
        if (!forbidden.isEmpty()) {
            throw Errors.forbidden(asked.type(), asked.name(),
                    "violates PodSecurity \"" + policy.enforce + "\": " + detail(forbidden));
        }
        List<Finding> warned = policy.warn.check(pod.path("metadata"), pod.path("spec"));
        if (!warned.isEmpty()) {
            asked.warnings().add("would violate PodSecurity \"" + policy.warn + "\": " + detail(warned));
        }
    }

    private static String detail(List<Finding> findings) {
        return findings.stream().map(Finding::toString).collect(Collectors.joining(", "));
    }

    /** Whether a pod is new, or gets other images or containers. */
    private static boolean isSignificant(ObjectNode pod, @Nullable ObjectNode old) {
        return old == null || !images(pod).equals(images(old));
    }

    private static List<String> images(ObjectNode pod) {
        return List.of("initContainers", "containers", "ephemeralContainers").stream()
                .flatMap(list -> pod.path("spec").path(list).valueStream()
                        .map(container -> list + Json.text(container, "name") + " " + Json.text(container, "image")))
                .toList();
    }

    private void checkNamespace(Attributes asked, ObjectNode object) {
        Problems problems = new Problems();
        Policy policy = Policy.of(labels(object), config.labels(), problems);
        Problems before = new Problems();
        ObjectNode old = asked.old();
        Policy present = Policy.of(old == null ? Map.of() : labels(old), config.labels(), before);
        if (!problems.isEmpty() && !problems.causes().equals(before.causes())) {
            Errors.refuse(problems, "", "Namespace", asked.name());
        }
        boolean relaxed = policy.enforce.version == present.enforce.version
                && policy.enforce.strictness() <= present.enforce.strictness();
        if (config.namespaces().contains(asked.name())) {
            warnOfExemption(asked, labels(object), policy);
        } else if (old != null && policy.enforce.strictness() > 0 && !relaxed) {
            asked.warnings().addAll(ofPresentPods(asked.name(), policy.enforce));
        }
    }

    private static void warnOfExemption(Attributes asked, Map<String, String> labels, Policy policy) {
        String ignored = Stream.of(Map.entry("enforce", policy.enforce), Map.entry("audit", policy.audit),
                Map.entry("warn", policy.warn)).filter(
                        mode -> mode.getValue().strictness() > 0
                                && (labels.containsKey(PREFIX + mode.getKey())
                                        || labels.containsKey(PREFIX + mode.getKey() + "-version")))
                .map(mode -> mode.getKey() + "=" + mode.getValue()).collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            asked.warnings().add("namespace \"" + asked.name() + "\" is exempt from Pod Security, and the policy ("
                    + ignored + ") will be ignored");
        }
    }

    private static Map<String, String> labels(ObjectNode object) {
        return Meta.of(object).path("labels").propertyStream()
                .collect(Collectors.toMap(Map.Entry::getKey, label -> label.getValue().asString("")));
    }

    /** The pods that a level forbids, by what they break. */
    private List<String> ofPresentPods(String namespace, Level enforce) {
        List<StoredObject> pods = store.snapshot("pods").select(Selection.inNamespace(namespace));
        Map<String, TreeSet<String>> names = new TreeMap<>();
        for (StoredObject stored : pods.subList(0, Math.min(MOST_PODS, pods.size()))) {
            Deadline.check();
            ObjectNode pod = stored.tree();
            List<Finding> findings = enforce.check(pod.path("metadata"), pod.path("spec"));
            if (!findings.isEmpty()) {
                names.computeIfAbsent(findings.stream().map(Finding::reason).collect(Collectors.joining(", ")),
                        reason -> new TreeSet<>()).add(stored.name());
            }
        }
        List<String> warnings = new ArrayList<>();
        if (pods.size() > MOST_PODS) {
            warnings.add("new PodSecurity enforce level only checked against the first " + MOST_PODS + " of "
                    + pods.size() + " existing pods");
        }
        if (!names.isEmpty()) {
            warnings.add("existing pods in namespace \"" + namespace + "\" violate the new PodSecurity enforce level \""
                    + enforce + "\"");
        }
        names.entrySet().stream().map(each -> each.getValue().first() + others(each.getValue().size() - 1) + ": "
                + each.getKey()).sorted().forEach(warnings::add);
        return warnings;
    }

    private static String others(int count) {
        return count == 0 ? "" : " (and " + count + (count == 1 ? " other pod)" : " other pods)");
    }
}
