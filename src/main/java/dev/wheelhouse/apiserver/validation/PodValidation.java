package dev.wheelhouse.apiserver.validation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The rules of pods and containers that are no rows of {@code rules.tsv} (upstream:
 * {@code pkg/apis/core/validation/validation.go}). Volumes, environments and resources have classes of their own.
 */
public final class PodValidation {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final int MOST_OF_SEARCHES = 2_048;
    private static final Pattern COST = Pattern.compile("0|-?[1-9][0-9]{0,9}");

    private PodValidation() {}

    /** Checks the rules that hold for a pod at any time. */
    public static void pod(ObjectNode pod, Problems problems) {
        Rules.shared().check("AnyPod", pod, null, "", problems);
    }

    static boolean isPod(JsonNode object) {
        return Json.text(object, "kind").equals("Pod");
    }

    static void mirror(Subject subject) {
        JsonNode pod = subject.value();
        JsonNode mirror = pod.path("metadata").path("annotations").path(MIRROR);
        if (mirror.isString() && Json.text(pod, "spec", "nodeName").isEmpty()) {
            subject.problems().invalid(Problems.key("metadata.annotations", MIRROR), mirror.asString(),
                    "must set spec.nodeName if mirror pod annotation is set");
        }
        if (isMirror(pod) && !pod.path("spec").path("resourceClaims").isEmpty()) {
            subject.problems().forbidden("[]", "static pods do not support resource claims");
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

    static void annotationsStay(Subject pod) {
        annotationsUpdate(pod.value(), pod.old(), pod.problems());
    }

    private static void fixed(String key, String problem, Problems problems) {
        if (key.equals(MIRROR) || key.startsWith(APP_ARMOR)) {
            problems.forbidden(Problems.key("metadata.annotations", key),
                    problem + (key.equals(MIRROR) ? "mirror pod annotation" : "AppArmor annotations"));
        }
    }

    static void deletionCost(Subject annotations) {
        String cost = Json.text(annotations.value(), DELETION_COST);
        if (cost.isEmpty() && !annotations.value().has(DELETION_COST)) {
            return;
        }
        boolean digits = COST.matcher(cost).matches();
        if (!digits || Long.parseLong(cost) != (int) Long.parseLong(cost)) {
            annotations.problems().invalid(Problems.key(annotations.path(), DELETION_COST), cost,
                    "must be a 32bit integer");
        }
    }

    /** A port of the host is unique in the whole pod. */
    static void hostPort(Subject port) {
        hostPort(port, port.names("hostPorts")::add);
    }

    /** A port of the host is unique in its container. */
    static void hostPortOfContainer(Subject port) {
        hostPort(port, identity -> port.isNew("hostPort", StringNode.valueOf(identity)));
    }

    private static void hostPort(Subject port, Predicate<String> isNew) {
        String identity = Json.text(port.object(), "protocol") + "/" + Json.text(port.object(), "hostIP") + "/"
                + port.number();
        if (port.number() != 0 && !isNew.test(identity)) {
            port.problems().duplicate(port.path(), "\"" + identity + "\"");
        }
    }

    /** With the host's network, a container's port is the host's. */
    static void hostNetworkPorts(Subject spec) {
        boolean isPod = isPod(spec.enclosing("kind"));
        Problems.each(spec.value(), spec.path(), "containers",
                (container, at) -> Problems.each(container, at, "ports", (port, here) -> {
                    long host = Json.number(port, 0, "hostPort");
                    if ((isPod || host != 0) && host != Json.number(port, 0, "containerPort")) {
                        spec.problems().invalid(here + ".hostPort", host,
                                "must match `containerPort` when `hostNetwork` is true");
                    }
                }));
    }

    static void sleep(Subject action) {
        long seconds = Json.number(action.value(), 0, "seconds");
        long most = Json.number(action.enclosing("containers"), 30, "terminationGracePeriodSeconds");
        if (seconds < 0 || seconds > most) {
            action.problems().invalid(action.path(), seconds,
                    "must be non-negative and less than terminationGracePeriodSeconds (" + most + ")");
        }
    }

    static void tolerationValue(Subject value) {
        List<String> wrong = Formats.labelValue(value.text());
        if (!wrong.isEmpty()) {
            value.problems().invalid(value.path(), value.text(), String.join(";", wrong));
        }
    }

    /** The keys of labels that a term takes from the pod itself. The value is the term or constraint. */
    static void labelKeys(Subject term) {
        JsonNode matching = term.value().path("matchLabelKeys");
        JsonNode others = term.value().path("mismatchLabelKeys");
        if (matching.isEmpty() && others.isEmpty()) {
            return;
        }
        JsonNode selector = Subject.field(term.value(), "labelSelector");
        Problems problems = term.problems();
        for (String field : List.of("matchLabelKeys", "mismatchLabelKeys")) {
            String path = term.path() + "." + field;
            if (selector.isMissingNode() && !term.value().path(field).isEmpty()) {
                problems.forbidden(path, "must not be specified when labelSelector is not set");
            } else {
                Problems.each(term.value().path(field), path, (key, at) -> problems.invalid(at, key.asString(""),
                        Formats.qualifiedName(key.asString(""))));
            }
        }
        Map<String, Integer> places = new HashMap<>();
        matching.forEach(key -> places.put(key.asString(""), places.size()));
        Set<String> selected = new HashSet<>(selector.path("matchLabels").propertyNames());
        for (JsonNode expression : selector.path("matchExpressions")) {
            String key = Json.text(expression, "key");
            if (!selected.add(key) && places.containsKey(key)) {
                problems.invalid(Problems.at(term.path(), places.get(key)), key,
                        "exists in both matchLabelKeys and labelSelector");
            }
        }
        Set<JsonNode> mismatching = new HashSet<>();
        others.forEach(mismatching::add);
        Problems.each(matching, term.path() + ".matchLabelKeys", (key, at) -> {
            if (mismatching.contains(key)) {
                problems.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys");
            }
        });
    }

    /** No later constraint has the same key and the same effect. The value is the list of constraints. */
    static void notRepeated(Subject constraints) {
        Set<String> later = new HashSet<>();
        for (int i = constraints.value().size() - 1; i >= 0; i--) {
            JsonNode constraint = constraints.value().get(i);
            String text = "{" + Json.text(constraint, "topologyKey") + ", "
                    + Json.text(constraint, "whenUnsatisfiable") + "}";
            if (!later.add(text)) {
                constraints.problems().duplicate(
                        Problems.at(constraints.path(), i) + ".{topologyKey, whenUnsatisfiable}",
                        StringNode.valueOf(text).toString());
            }
        }
    }

    /** A domain in which names are looked up; a dot is the root. */
    static void searchDomain(Subject search) {
        String domain = search.text().endsWith(".")
                ? search.text().substring(0, search.text().length() - 1)
                : search.text();
        if (!search.text().equals(".")) {
            search.problems().invalid(search.path(), domain, Formats.underscoredSubdomain(domain));
        }
    }

    static void searchDomains(Subject searches) {
        int characters = searches.value().size() - 1;
        for (JsonNode search : searches.value()) {
            characters += MetadataValidation.utf8Length(search.asString(""));
        }
        if (characters > MOST_OF_SEARCHES) {
            searches.problems().invalid(searches.path(), searches.value(), "must not have more than "
                    + MOST_OF_SEARCHES + " characters (including spaces) in the search list");
        }
    }

    /** An integer field; null if it is missing. */
    public static @Nullable Long number(JsonNode object, String field) {
        return Json.at(object, field) == null ? null : Json.number(object, 0, field);
    }
}
