package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The rights that a user's rules grant, indexed to find out whether they cover other rules. A rule of 300 verbs, groups
 * and resources stands for 27 million rights. So values that the same held rules contain are decided together.
 * Immutable, thread safe.
 */
final class HeldRights {
    private static final String ALL = "*";

    private final List<PolicyRule> rules;
    /** For each value, the indices of the rules that contain it. */
    private final Map<String, BitSet> verbs;
    private final Map<String, BitSet> groups;
    private final Map<String, BitSet> resources;
    private final Map<String, BitSet> names;
    /** The indices of the rules that are not limited to object names. */
    private final BitSet anyName = new BitSet();

    HeldRights(List<PolicyRule> rules) {
        this.rules = rules;
        this.verbs = index(rules, PolicyRule::verbs);
        this.groups = index(rules, PolicyRule::apiGroups);
        this.resources = index(rules, PolicyRule::resources);
        this.names = index(rules, PolicyRule::resourceNames);
        for (int i = 0; i < rules.size(); i++) {
            anyName.set(i, rules.get(i).resourceNames().isEmpty());
        }
    }

    private static Map<String, BitSet> index(List<PolicyRule> rules, Function<PolicyRule, List<String>> values) {
        Map<String, BitSet> index = new HashMap<>();
        for (int i = 0; i < rules.size(); i++) {
            for (String value : values.apply(rules.get(i))) {
                index.computeIfAbsent(value, v -> new BitSet()).set(i);
            }
        }
        return index;
    }

    /**
     * Reports the rights of a rule that are missing: for each resource or path a rule with the missing verbs.
     *
     * @param missing says whether to continue
     */
    void missing(PolicyRule wanted, Predicate<PolicyRule> missing) {
        Map<String, Integer> order = new HashMap<>();
        for (int i = 0; i < wanted.verbs().size(); i++) {
            order.putIfAbsent(wanted.verbs().get(i), i);
        }
        Map<BitSet, List<String>> byVerb = groupByRules(wanted.verbs(), verb -> rulesWith(verbs, verb, ALL));
        if (!reportPaths(wanted, byVerb, order, missing)) {
            return;
        }
        Map<BitSet, List<String>> byGroup = groupByRules(wanted.apiGroups(), group -> rulesWith(groups, group, ALL));
        Map<BitSet, List<String>> byResource = groupByRules(wanted.resources(), this::rulesWithResource);
        Map<BitSet, List<List<String>>> byName = new LinkedHashMap<>();
        if (wanted.resourceNames().isEmpty()) {
            byName.put(anyName, List.of(List.of()));
        } else {
            groupByRules(wanted.resourceNames(), this::rulesWithName)
                    .forEach((held, several) -> byName.put(held, several.stream().map(List::of).toList()));
        }
        for (Map.Entry<BitSet, List<String>> group : byGroup.entrySet()) {
            for (Map.Entry<BitSet, List<String>> resource : byResource.entrySet()) {
                for (Map.Entry<BitSet, List<List<String>>> name : byName.entrySet()) {
                    BitSet held = intersection(intersection(group.getKey(), resource.getKey()), name.getKey());
                    List<String> absent = missingVerbs(held, byVerb, order);
                    if (!absent.isEmpty() && !reportResources(absent, group.getValue(), resource.getValue(),
                            name.getValue(), missing)) {
                        return;
                    }
                }
            }
        }
    }

    private static boolean reportResources(List<String> verbs, List<String> groups, List<String> resources,
            List<List<String>> names, Predicate<PolicyRule> missing) {
        for (String group : groups) {
            for (String resource : resources) {
                for (List<String> name : names) {
                    if (!missing.test(new PolicyRule(verbs, List.of(group), List.of(resource), name, List.of()))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private boolean reportPaths(PolicyRule wanted, Map<BitSet, List<String>> byVerb, Map<String, Integer> order,
            Predicate<PolicyRule> missing) {
        for (String path : wanted.nonResourceUrls()) {
            BitSet held = new BitSet();
            for (int i = 0; i < rules.size(); i++) {
                Deadline.check();
                held.set(i, rules.get(i).hasPath(path));
            }
            for (String verb : missingVerbs(held, byVerb, order)) {
                if (!missing.test(new PolicyRule(List.of(verb), List.of(), List.of(), List.of(), List.of(path)))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The verbs that none of the rules contains, in the order of the wanted rule. */
    private static List<String> missingVerbs(BitSet rules, Map<BitSet, List<String>> byVerb,
            Map<String, Integer> order) {
        Map<Integer, String> missing = new TreeMap<>();
        byVerb.forEach((having, verbs) -> {
            Deadline.check();
            if (!having.intersects(rules)) {
                verbs.forEach(verb -> missing.put(order.getOrDefault(verb, 0), verb));
            }
        });
        return List.copyOf(missing.values());
    }

    /** Groups values that the same rules contain. */
    private static Map<BitSet, List<String>> groupByRules(List<String> values, Function<String, BitSet> having) {
        Map<BitSet, List<String>> groups = new LinkedHashMap<>();
        for (String value : values) {
            groups.computeIfAbsent(having.apply(value), h -> new ArrayList<>()).add(value);
        }
        return groups;
    }

    private static BitSet rulesWith(Map<String, BitSet> index, String... any) {
        BitSet rules = new BitSet();
        for (String value : any) {
            BitSet having = index.get(value);
            if (having != null) {
                rules.or(having);
            }
        }
        return rules;
    }

    private BitSet rulesWithResource(String resource) {
        int slash = resource.indexOf('/');
        return slash < 0 || slash == resource.length() - 1
                ? rulesWith(resources, resource, ALL)
                : rulesWith(resources, resource, ALL, ALL + resource.substring(slash));
    }

    private BitSet rulesWithName(String name) {
        BitSet rules = rulesWith(names, name);
        rules.or(anyName);
        return rules;
    }

    private static BitSet intersection(BitSet one, BitSet other) {
        BitSet common = (BitSet) one.clone();
        common.and(other);
        return common;
    }
}
