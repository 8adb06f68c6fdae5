package dev.wheelhouse.node.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A table of nftables: a base that never changes, and what follows from objects. Pure; its texts are input of
 * {@code nft}.
 *
 * @param name the table's name in the family {@code ip}
 * @param base the declarations of sets and maps, and the chains that the kernel calls
 * @param sets declarations of further sets, by name; a set never changes, another one has another name
 * @param chains the rules of further chains, by name
 * @param elements the elements of the sets and maps of the base; the value is empty in a set
 */
record Ruleset(String name, String base, SortedMap<String, String> sets, SortedMap<String, List<String>> chains,
        SortedMap<String, SortedMap<String, String>> elements) {
    Ruleset(String name, String base) {
        this(name, base, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }

    void add(String set, String key, String value) {
        elements.computeIfAbsent(set, s -> new TreeMap<>()).put(key, value);
    }

    /** The transaction that makes the table anew, whatever is there. */
    String whole() {
        return "add table ip " + name + "\ndelete table ip " + name + "\ntable ip " + name + " {\n" + base + "}\n"
                + changes(new Ruleset(name, base));
    }

    /**
     * The transaction that leads from an earlier ruleset to this one; empty if both are the same. Chains that are not
     * needed any more become empty and stay: older kernels refuse to delete a chain in the transaction that removes its
     * last user.
     */
    String changes(Ruleset before) {
        List<String> first = new ArrayList<>();
        List<String> then = new ArrayList<>();
        sets.forEach((set, declaration) -> {
            if (!before.sets.containsKey(set)) {
                first.add("add set " + in(set) + " " + declaration);
            }
        });
        chains.forEach((chain, rules) -> {
            if (!rules.equals(before.chains.get(chain))) {
                first.add("add chain " + in(chain));
                first.add("flush chain " + in(chain));
                rules.forEach(rule -> then.add("add rule " + in(chain) + " " + rule));
            }
        });
        elements.forEach((set, wanted) -> {
            Map<String, String> there = before.elements.getOrDefault(set, new TreeMap<>());
            elements(then, "delete", set, there, wanted, false);
            elements(then, "add", set, wanted, there, true);
        });
        before.elements.forEach((set, there) -> {
            if (!elements.containsKey(set)) {
                elements(then, "delete", set, there, Map.of(), false);
            }
        });
        staleChains(before).forEach(chain -> then.add("flush chain " + in(chain)));
        before.sets.keySet().stream().filter(set -> !sets.containsKey(set))
                .forEach(set -> then.add("delete set " + in(set)));
        first.addAll(then);
        return first.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** The chains of an earlier ruleset that this one has no more. */
    List<String> staleChains(Ruleset before) {
        return before.chains.keySet().stream().filter(chain -> !chains.containsKey(chain)).toList();
    }

    private String in(String object) {
        return "ip " + name + " " + object;
    }

    /** Adds a command for the elements that are not the same in another set or map. */
    private void elements(List<String> commands, String verb, String set, Map<String, String> mine,
            Map<String, String> others, boolean values) {
        String list = mine.entrySet().stream().filter(each -> !each.getValue().equals(others.get(each.getKey())))
                .map(each -> values && !each.getValue().isEmpty()
                        ? each.getKey() + " : " + each.getValue()
                        : each.getKey())
                .collect(Collectors.joining(", "));
        if (!list.isEmpty()) {
            commands.add(verb + " element " + in(set) + " { " + list + " }");
        }
    }
}
