package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who grants rights must have them (upstream: {@code pkg/registry/rbac/validation}). */
public final class Escalation {
    /** The characters of all rights that an answer names, of which the last one may have more. */
    private static final int MOST_NAMED = 256 * 1024;

    private Escalation() {}

    /**
     * The wanted rights that the held rules do not grant, as many as an answer names: one rule for each resource or
     * path, in order; empty if none is missing.
     */
    static List<PolicyRule> missing(List<PolicyRule> held, List<PolicyRule> wanted) {
        HeldRights rights = new HeldRights(held);
        Map<String, PolicyRule> byThing = new TreeMap<>();
        List<PolicyRule> paths = new ArrayList<>();
        int[] named = new int[1];
        for (PolicyRule rule : wanted) {
            if (named[0] < MOST_NAMED) {
                rights.missing(rule, part -> {
                    named[0] += part.toString().length();
                    if (part.isNonResource()) {
                        paths.add(part);
                    } else {
                        byThing.merge(part.withVerbs(List.of()).toString(), part, PolicyRule::withVerbsOf);
                    }
                    return named[0] < MOST_NAMED;
                });
            }
        }
        List<PolicyRule> missing = new ArrayList<>(byThing.values());
        missing.addAll(paths);
        return missing.stream().distinct().sorted(Comparator.comparing(PolicyRule::toString)).toList();
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
        if (text.length() >= MOST_NAMED) {
            text.append("\nand more");
        }
        return text.toString();
    }
}
