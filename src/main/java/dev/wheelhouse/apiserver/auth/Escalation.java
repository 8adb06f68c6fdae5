package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks that users who grant rights hold these rights themselves (upstream: {@code pkg/registry/rbac/validation}). */
public final class Escalation {
    /** After so many characters of rules, an answer names no more missing rights. */
    private static final int MAX_NAMED_CHARACTERS = 256 * 1024;

    private Escalation() {}

    /**
     * The wanted rights that the held rules do not cover: one rule for each resource or path, in order. Stops when an
     * answer cannot name more. Empty if no right is missing.
     */
    static List<PolicyRule> missing(List<PolicyRule> held, List<PolicyRule> wanted) {
        HeldRights rights = new HeldRights(held);
        Map<String, PolicyRule> byResource = new TreeMap<>();
        List<PolicyRule> paths = new ArrayList<>();
        int[] named = new int[1];
        for (PolicyRule rule : wanted) {
            if (named[0] < MAX_NAMED_CHARACTERS) {
                rights.missing(rule, part -> {
                    named[0] += part.toString().length();
                    if (part.isNonResource()) {
                        paths.add(part);
                    } else {
                        byResource.merge(part.withVerbs(List.of()).toString(), part, PolicyRule::withVerbsOf);
                    }
                    return named[0] < MAX_NAMED_CHARACTERS;
                });
            }
        }
        List<PolicyRule> missing = new ArrayList<>(byResource.values());
        missing.addAll(paths);
        return missing.stream().distinct().sorted(Comparator.comparing(PolicyRule::toString)).toList();
    }

    /** Upstream's error message if a user may not grant the rules in a namespace; empty if the user may. */
    public static String problem(Authorizer authorizer, User user, String namespace, List<PolicyRule> wanted) {
        List<PolicyRule> missing = missing(authorizer.rules(user, namespace), wanted);
        if (missing.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("user \"").append(user.name()).append("\" (groups=")
                .append(PolicyRule.quoted(user.groups()))
                .append(") is attempting to grant RBAC permissions not currently held:");
        missing.forEach(rule -> text.append('\n').append(rule));
        if (text.length() >= MAX_NAMED_CHARACTERS) {
            text.append("\nand more");
        }
        return text.toString();
    }
}
