package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who grants rights must have them (upstream: {@code pkg/registry/rbac/validation}). */
public final class Escalation {
    private Escalation() {}

    /** What of the wanted rules the held ones do not grant: one rule for each thing, in order; empty if nothing. */
    static List<PolicyRule> missing(List<PolicyRule> held, List<PolicyRule> wanted) {
        Map<PolicyRule, PolicyRule> byThing = new LinkedHashMap<>();
        List<PolicyRule> paths = new ArrayList<>();
        for (PolicyRule rule : wanted) {
            for (PolicyRule part : rule.parts()) {
                if (held.stream().anyMatch(owned -> owned.covers(part))) {
                    continue;
                }
                if (part.isNonResource()) {
                    paths.add(part);
                } else {
                    byThing.merge(part.withVerbs(List.of()), part, (known, more) -> {
                        String verb = more.verbs().getFirst();
                        return known.verbs().contains(verb) ? known : known.and(verb);
                    });
                }
            }
        }
        List<PolicyRule> missing = new ArrayList<>(byThing.values());
        missing.addAll(paths);
        return missing.stream().distinct().sorted((a, b) -> a.toString().compareTo(b.toString())).toList();
    }

    /** What is wrong with a user's granting some rules in a namespace, in upstream's words; empty if nothing is. */
    public static String problem(Authorizer authorizer, User user, String namespace, List<PolicyRule> wanted) {
        List<PolicyRule> missing = missing(authorizer.rules(user, namespace), wanted);
        if (missing.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("user \"").append(user.name()).append("\" (groups=")
                .append(PolicyRule.quoted(user.groups()))
                .append(") is attempting to grant RBAC permissions not currently held:");
        missing.forEach(rule -> text.append('\n').append(rule));
        return text.toString();
    }
}
