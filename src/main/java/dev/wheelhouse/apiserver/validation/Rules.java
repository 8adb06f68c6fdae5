package dev.wheelhouse.apiserver.validation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.facts.RuleTables;

/**
 * Checks objects by the rows of {@code rules.tsv} and {@code warnings.tsv}, which explain their own form. Each set of
 * rows is compiled to a tree of fields at its first use; a check walks the object along the tree once, and makes a path
 * only for a cause. Rows with {@code call} lead to the methods that this was made with. All methods are thread safe.
 */
public final class Rules {
    private static final Map<String, List<String>> SETS = read();
    private static final Set<String> ALWAYS = Set.of("use", "one", "required", "present", "missing", "single",
            "immutable");
    private static final Rules SHARED = new Rules(SharedChecks.ALL);

    private final Checks checks;
    private final Map<String, Step> compiled = new ConcurrentHashMap<>();

    /** One step of a check: a path, a row or a rule. */
    @FunctionalInterface
    interface Step {
        /** Checks the subject. @return whether the rest of the set is worth checking */
        boolean check(Subject subject);

        /** Whether the step may find a problem where there is no value. */
        default boolean needsAbsent() {
            return true;
        }
    }

    /** The sets of rules, and of rows that warn. */
    private static Map<String, List<String>> read() {
        Map<String, List<String>> sets = new LinkedHashMap<>(RuleTables.read("rules.tsv"));
        sets.putAll(RuleTables.read("warnings.tsv"));
        return sets;
    }

    /** @param checks the methods that rows with {@code call} name, besides those that several kinds share */
    public Rules(Checks checks) {
        this.checks = checks;
    }

    /** The rules that need no method of a single kind. */
    public static Rules shared() {
        return SHARED;
    }

    /** The names of all sets of rules. */
    public static Set<String> names() {
        return SETS.keySet();
    }

    /** Checks a value by the rules of a set, and nothing if there is no such set. */
    public void check(String set, JsonNode value, @Nullable JsonNode old, String path, Problems problems) {
        if (SETS.containsKey(set)) {
            compiled(set).check(Subject.root(value, old, path, problems));
        }
    }

    /** Prepares a set. @throws IllegalArgumentException if a row is not in the form that {@code rules.tsv} explains */
    public void compile(String set) {
        compiled(set);
    }

    private Step compiled(String set) {
        Step known = compiled.get(set);
        if (known == null) {
            List<String> rows = SETS.get(set);
            if (rows == null) {
                throw new IllegalArgumentException("rules.tsv has no set [" + set + "]");
            }
            Field root = new Field("");
            rows.forEach(row -> Stream.of(alternatives(row)).forEach(one -> add(root, one, set)));
            root.seal();
            known = subject -> {
                root.checkAll(subject);
                return true;
            };
            compiled.put(set, known);
        }
        return known;
    }

    /** A row whose path begins with {@code a|b[].c}, as the rows of {@code a[].c} and {@code b[].c}. */
    private static String[] alternatives(String row) {
        int end = row.indexOf('[');
        int bar = row.indexOf('|');
        if (bar < 0 || bar > end || row.lastIndexOf('\t', bar) >= 0) {
            return new String[]{row};
        }
        int start = row.lastIndexOf('.', bar) + 1;
        return Stream.of(row.substring(start, end).split("\\|"))
                .map(field -> row.substring(0, start) + field + row.substring(end)).toArray(String[]::new);
    }

    /** The rows of another set. The set is looked up at its first use, so that sets may use themselves. */
    private final class Use implements Step {
        private final String set;
        private @Nullable Step rows;

        Use(String set) {
            this.set = set;
        }

        @Override
        public boolean check(Subject subject) {
            Step known = rows;
            if (known == null) {
                known = compiled(set);
                rows = known;
            }
            int before = subject.problems().size();
            known.check(subject.asRoot());
            return subject.problems().size() == before;
        }
    }

    private void add(Field root, String row, String set) {
        String[] columns = row.split("\t+", -1);
        try {
            boolean conditional = columns[columns.length - 1].startsWith("if: ");
            String detail = columns.length > (conditional ? 3 : 2) ? columns[2] : "";
            List<Condition> conditions = conditional ? Condition.all(columns[columns.length - 1]) : List.of();
            List<Rule> rules = new ArrayList<>();
            boolean stops = false;
            for (String rule : columns[1].split(";")) {
                stops |= rule.equals("stop");
                if (!rule.equals("stop")) {
                    rules.add(rule(rule, detail, set));
                }
            }
            Field field = root;
            for (String step : columns[0].equals(".") ? new String[0] : steps(columns[0])) {
                field = field.child(step);
            }
            field.steps.add(new Row(conditions.toArray(new Condition[0]), rules.toArray(new Rule[0]), stops));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("rules.tsv, set [" + set + "]: no row: " + row, e);
        }
    }

    /** The steps of a path, with dots between them. A dot of a map's key has a backslash before it. */
    static String[] steps(String path) {
        String[] steps = path.split("(?<!\\\\)\\.");
        for (int i = 0; i < steps.length; i++) {
            steps[i] = steps[i].replace("\\.", ".");
        }
        return steps;
    }

    /** The values that a rule skips. */
    private enum Skipped {
        NONE, ABSENT, ZERO
    }

    private record Rule(Step step, Skipped skipped) {
        boolean check(Subject subject) {
            return skipped != Skipped.NONE && !subject.isPresent() || skipped == Skipped.ZERO && !subject.isSet()
                    || step.check(subject);
        }
    }

    /** Rules of one value, in the order in which they are asked; the first that fails ends the row. */
    private record Row(Condition[] conditions, Rule[] rules, boolean stops) implements Step {
        @Override
        public boolean needsAbsent() {
            return Stream.of(rules).anyMatch(rule -> rule.skipped == Skipped.NONE);
        }

        @Override
        public boolean check(Subject subject) {
            for (Condition condition : conditions) {
                if (!condition.holds(subject)) {
                    return true;
                }
            }
            for (Rule rule : rules) {
                if (!rule.check(subject)) {
                    return !stops;
                }
            }
            return true;
        }
    }

    /** A step of a path, with the rules of the value that it leads to and the further steps. */
    private static final class Field implements Step {
        /** From so many different fields on, looking at the object's fields is faster than asking for each. */
        private static final int FEW = 3;
        /** The bit of steps that are checked for any object. */
        private static final long ANYWAY = 1L << 63;

        private final String text;
        private final String name;
        private final String shown;
        private final String elements;
        private final boolean optional;
        private final List<Step> steps = new ArrayList<>();
        private Step[] sealed = {};
        /** For each step, the bit of the field that it needs. */
        private long[] needs = {};
        /** A bit for the name of each field that steps need. Steps for further names are checked for any object. */
        private final Map<String, Long> bits = new HashMap<>();
        private boolean needsAbsent = true;

        /** @param text a step: {@code field}, {@code field?}, {@code list[]}, {@code map&#123;&#125;}, {@code a>b} */
        Field(String text) {
            this.text = text;
            int end = 0;
            while (end < text.length() && "?[{>".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            this.name = text.substring(0, end).intern();
            int alias = text.indexOf('>');
            int brackets = Math.max(text.indexOf('['), text.indexOf('{'));
            this.elements = brackets < 0 ? "" : text.substring(brackets);
            String as = alias < 0 ? name : text.substring(alias + 1, brackets < 0 ? text.length() : brackets);
            this.shown = as.isEmpty() ? "" : as.indexOf('.') >= 0 ? "[" + as + "]" : "." + as.replace('/', '.');
            this.optional = end < text.length() && text.charAt(end) == '?';
        }

        Field child(String step) {
            if (!steps.isEmpty() && steps.getLast() instanceof Field last && last.text.equals(step)) {
                return last;
            }
            Field field = new Field(step);
            steps.add(field);
            return field;
        }

        /** Looks at each field of the object once, and then at the steps whose fields are there, in their order. */
        boolean checkAll(Subject subject) {
            long present = ANYWAY;
            if (bits.size() < FEW) {
                present = -1;
            } else {
                for (Map.Entry<String, JsonNode> field : subject.value().properties()) {
                    present |= bits.getOrDefault(field.getKey(), 0L);
                }
            }
            for (int i = 0; i < sealed.length; i++) {
                if ((needs[i] & present) != 0 && !sealed[i].check(subject)) {
                    return false;
                }
            }
            return true;
        }

        /** No path may be added afterwards. */
        void seal() {
            sealed = steps.toArray(new Step[0]);
            needs = new long[sealed.length];
            for (int i = 0; i < sealed.length; i++) {
                needs[i] = ANYWAY;
                if (sealed[i] instanceof Field field) {
                    field.seal();
                    if (!field.needsAbsent && bits.size() < Long.SIZE - 1) {
                        needs[i] = bits.computeIfAbsent(field.name, n -> 1L << bits.size());
                    }
                }
            }
            needsAbsent = name.equals("^")
                    || !optional && elements.isEmpty() && steps.stream().anyMatch(Step::needsAbsent);
        }

        @Override
        public boolean needsAbsent() {
            return needsAbsent;
        }

        @Override
        public boolean check(Subject parent) {
            if (name.equals("^")) {
                return checkAll(parent.up());
            }
            JsonNode value = Subject.field(parent.value(), name);
            if (value instanceof MissingNode && !needsAbsent) {
                return true;
            }
            return elements.isEmpty() ? checkAll(parent.field(name, value, shown)) : checkElements(parent, value);
        }

        private boolean checkElements(Subject parent, JsonNode value) {
            Subject list = parent.list(value, shown);
            if (elements.startsWith("{")) {
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    String key = entry.getKey();
                    JsonNode element = elements.equals("{}") ? entry.getValue() : StringNode.valueOf(key);
                    if (!checkAll(switch (elements) {
                        case "{-}" -> list.element(element, "", Subject.FIELD);
                        case "{name}" -> list.element(element, "." + key, Subject.FIELD);
                        default -> list.element(element, key, Subject.KEY);
                    })) {
                        return false;
                    }
                }
                return true;
            }
            boolean numbered = elements.equals("[]");
            int i = 0;
            for (JsonNode element : value) {
                if (!checkAll(list.element(element, "", numbered ? i : Subject.FIELD))) {
                    return false;
                }
                i++;
            }
            return true;
        }
    }

    /** The rule of a word such as {@code enum!:A|B}, as {@code rules.tsv} explains them. */
    private Rule rule(String text, String detail, String set) {
        int colon = text.indexOf(':');
        String head = colon < 0 ? text : text.substring(0, colon);
        String argument = colon < 0 ? "" : text.substring(colon + 1);
        char when = head.charAt(head.length() - 1);
        String word = when == '+' || when == '!' ? head.substring(0, head.length() - 1) : head;
        Step rule = switch (word) {
            case "call" -> call(argument);
            case "use" -> new Use(argument);
            case "one" -> one(argument, detail, set);
            default -> RuleWords.rule(word, when, argument, detail);
        };
        if (ALWAYS.contains(word) || when == '!') {
            return new Rule(rule, Skipped.NONE);
        }
        return new Rule(rule, when == '+' || word.equals("call") ? Skipped.ABSENT : Skipped.ZERO);
    }

    private Step call(String name) {
        Checks.Check own = checks.named(name);
        Checks.Check check = own != null ? own : SharedChecks.ALL.named(name);
        if (check == null) {
            throw new IllegalArgumentException("no method is called " + name);
        }
        return subject -> {
            int before = subject.problems().size();
            check.check(subject);
            return subject.problems().size() == before;
        };
    }

    /** Exactly one of several fields: the first is checked by the set of its name, further ones are forbidden. */
    private Step one(String argument, String detail, String set) {
        Map<String, Step> fields = new LinkedHashMap<>();
        Map<String, String> shown = new HashMap<>();
        for (String source : argument.split("\\|")) {
            String field = source.replaceFirst(">.*", "");
            shown.put(field, source.substring(source.indexOf('>') + 1));
            fields.put(field, SETS.containsKey(set + "." + field) ? new Use(set + "." + field) : subject -> true);
        }
        return subject -> {
            List<String> given = new ArrayList<>(1);
            for (Map.Entry<String, JsonNode> field : subject.value().properties()) {
                if (fields.containsKey(field.getKey()) && !field.getValue().isNull()) {
                    given.add(field.getKey());
                }
            }
            if (given.isEmpty()) {
                subject.problems().required(subject.path(), "must specify a " + detail);
                return false;
            }
            boolean isFirst = true;
            for (String name : given.size() == 1 ? given : fields.keySet()) {
                if (given.contains(name)) {
                    if (isFirst) {
                        fields.getOrDefault(name, any -> true).check(subject.field(name,
                                Subject.field(subject.value(), name), "." + shown.get(name)));
                    } else {
                        subject.problems().forbidden(subject.path() + "." + name,
                                "may not specify more than 1 " + detail);
                    }
                    isFirst = false;
                }
            }
            return true;
        };
    }
}
