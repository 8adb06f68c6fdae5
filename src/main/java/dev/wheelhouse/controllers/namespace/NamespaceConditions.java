package dev.wheelhouse.controllers.namespace;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NamespaceCondition;

import dev.wheelhouse.runtime.Durations;

/**
 * Writes the reasons why a namespace still exists as conditions of its status (upstream:
 * {@code deletion/status_condition_utils.go}). A pure function.
 */
final class NamespaceConditions {
    private NamespaceConditions() {}

    /** The status, reason and message of a condition. */
    private record State(boolean bad, String reason, String message) {}

    private static final Map<String, State> GOOD = new LinkedHashMap<>();

    static {
        GOOD.put("NamespaceDeletionDiscoveryFailure",
                new State(false, "ResourcesDiscovered", "All resources successfully discovered"));
        GOOD.put("NamespaceDeletionGroupVersionParsingFailure",
                new State(false, "ParsedGroupVersions", "All legacy kube types successfully parsed"));
        GOOD.put("NamespaceDeletionContentFailure", new State(false, "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization"));
        GOOD.put("NamespaceContentRemaining",
                new State(false, "ContentRemoved", "All content successfully removed"));
        GOOD.put("NamespaceFinalizersRemaining",
                new State(false, "ContentHasNoFinalizers", "All content-preserving finalizers finished"));
    }

    /** The conditions after an attempt; null if nothing has changed. Conditions of other types are kept. */
    static @Nullable List<V1NamespaceCondition> after(@Nullable List<V1NamespaceCondition> before, Findings findings,
            Instant now) {
        Map<String, State> bad = bad(findings);
        List<V1NamespaceCondition> next = before == null ? new ArrayList<>() : new ArrayList<>(before);
        OffsetDateTime time = Durations.wholeSeconds(now);
        boolean changed = false;
        for (Map.Entry<String, State> entry : GOOD.entrySet()) {
            String type = entry.getKey();
            State state = bad.getOrDefault(type, entry.getValue());
            int at = 0;
            while (at < next.size() && !type.equals(next.get(at).getType())) {
                at++;
            }
            V1NamespaceCondition old = at < next.size() ? next.get(at) : null;
            V1NamespaceCondition made = condition(type, state, old, time);
            if (old == null) {
                next.add(made);
                changed = true;
            } else if (!made.equals(old)) {
                next.set(at, made);
                changed = true;
            }
        }
        return changed ? next : null;
    }

    private static V1NamespaceCondition condition(String type, State state, @Nullable V1NamespaceCondition old,
            OffsetDateTime now) {
        String status = state.bad ? "True" : "False";
        boolean same = old != null && Objects.equals(old.getStatus(), status);
        return new V1NamespaceCondition().type(type).status(status).reason(state.reason).message(state.message)
                .lastTransitionTime(same && old != null ? old.getLastTransitionTime() : now);
    }

    private static Map<String, State> bad(Findings findings) {
        Map<String, State> bad = new LinkedHashMap<>();
        List<String> discovery = findings.discoveryFailures();
        if (!discovery.isEmpty()) {
            bad.put("NamespaceDeletionDiscoveryFailure", new State(true, "DiscoveryFailed",
                    "Discovery failed for some groups, " + discovery.size()
                            + " failing: unable to retrieve the complete "
                            + "list of server APIs: " + String.join(", ", discovery)));
        }
        List<String> content = findings.contentFailures().stream().sorted().toList();
        if (!content.isEmpty()) {
            bad.put("NamespaceDeletionContentFailure", new State(true, "ContentDeletionFailed",
                    "Failed to delete all resource types, " + content.size() + " remaining: "
                            + String.join(", ", content)));
        }
        List<String> remaining = new ArrayList<>();
        Map<String, Integer> finalizers = new TreeMap<>();
        for (Remaining type : findings.types()) {
            if (type.count() > 0) {
                remaining.add(type.type().plural() + "." + type.type().group() + " has " + type.count()
                        + " resource instances");
                type.finalizers().forEach((finalizer, count) -> finalizers.merge(finalizer, count, Integer::sum));
            }
        }
        if (!remaining.isEmpty()) {
            remaining.sort(null);
            bad.put("NamespaceContentRemaining", new State(true, "SomeResourcesRemain",
                    "Some resources are remaining: " + String.join(", ", remaining)));
        }
        if (!finalizers.isEmpty()) {
            List<String> texts = new ArrayList<>();
            finalizers.forEach((finalizer, count) -> texts.add(finalizer + " in " + count + " resource instances"));
            bad.put("NamespaceFinalizersRemaining", new State(true, "SomeFinalizersRemain",
                    "Some content in the namespace has finalizers remaining: " + String.join(", ", texts)));
        }
        return bad;
    }
}
