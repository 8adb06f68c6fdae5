package dev.wheelhouse.cel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.work.Deadline;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;

/**
 * Estimates how much an evaluation of a checked expression can cost, from the limits in the schema of its values
 * (upstream: {@code cel-go/checker/cost.go}, {@code apiserver/pkg/cel/library/cost.go}). Numbers that are too large are
 * the largest one. For one thread.
 */
final class RuleCost {
    private static final double TRAVERSAL = 0.1;
    private static final double REGEX = 0.25;
    private static final int LIST = 10;
    private static final int MAP = 30;
    private static final int STRUCT = 40;
    private static final Range UNKNOWN = new Range(0, Long.MAX_VALUE);
    private static final Range ONE = new Range(1, 1);
    private static final Range NONE = new Range(0, 0);

    private final CelAbstractSyntaxTree tree;
    private final JsonNode schema;
    private final boolean resource;
    private final Map<Long, List<String>> paths = new HashMap<>();
    private final Map<Long, Range> sizes = new HashMap<>();
    private final Map<Long, Entry> entries = new HashMap<>();
    private final Map<String, Deque<Local>> locals = new HashMap<>();

    private RuleCost(CelAbstractSyntaxTree tree, JsonNode schema, boolean resource) {
        this.tree = tree;
        this.schema = schema;
        this.resource = resource;
    }

    /** @param schema of {@code self} and {@code oldSelf} */
    static long of(CelAbstractSyntaxTree tree, JsonNode schema, boolean resource) {
        return new RuleCost(tree, schema, resource).cost(tree.getExpr()).most;
    }

    /** From the least to the most, of costs or of sizes. */
    private record Range(long least, long most) {
        Range plus(Range other) {
            return new Range(CelRule.sum(least, other.least), CelRule.sum(most, other.most));
        }

        Range times(Range other) {
            return new Range(CelRule.product(least, other.least), CelRule.product(most, other.most));
        }

        Range times(double factor) {
            return new Range(times(least, factor), times(most, factor));
        }

        private static long times(long number, double factor) {
            double product = Math.ceil(number * factor);
            return number == Long.MAX_VALUE || product >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) product;
        }

        Range or(Range other) {
            return new Range(Math.min(least, other.least), Math.max(most, other.most));
        }
    }

    /** The sizes of the keys and values of a list or map. */
    private record Entry(boolean list, Range key, Range value) {}

    private record Local(List<String> path, @Nullable Range size, @Nullable Entry entry) {}

    private record Call(Range cost, @Nullable Range size) {}

    private Range cost(CelExpr e) {
        Deadline.check();
        return switch (e.getKind()) {
            case IDENT -> {
                Local local = local(e.ident().name());
                paths.put(e.id(), local == null ? List.of(e.ident().name()) : local.path);
                yield ONE;
            }
            case SELECT -> select(e);
            case CALL -> call(e, e.call());
            case LIST -> list(e);
            case MAP -> map(e);
            case STRUCT -> {
                Range sum = new Range(STRUCT, STRUCT);
                for (CelExpr.CelStruct.Entry entry : e.struct().entries()) {
                    sum = sum.plus(cost(entry.value()));
                }
                yield sum;
            }
            case COMPREHENSION -> comprehension(e, e.comprehension());
            default -> NONE;
        };
    }

    private Range select(CelExpr e) {
        CelExpr operand = e.select().operand();
        Range sum = cost(operand);
        if (e.select().testOnly()) {
            return sum;
        }
        paths.put(e.id(), below(path(operand), e.select().field()));
        CelKind kind = type(operand).kind();
        return kind == CelKind.MAP || kind == CelKind.STRUCT || kind == CelKind.TYPE_PARAM ? sum.plus(ONE) : sum;
    }

    private Range list(CelExpr e) {
        Range sum = new Range(LIST, LIST);
        Range size = e.list().elements().isEmpty() ? NONE : new Range(Long.MAX_VALUE, 0);
        for (CelExpr element : e.list().elements()) {
            sum = sum.plus(cost(element));
            size = size.or(size(element));
        }
        entries.put(e.id(), new Entry(true, ONE, size));
        return sum;
    }

    private Range map(CelExpr e) {
        Range sum = new Range(MAP, MAP);
        Range key = e.map().entries().isEmpty() ? NONE : new Range(Long.MAX_VALUE, 0);
        Range value = key;
        for (CelExpr.CelMap.Entry entry : e.map().entries()) {
            sum = sum.plus(cost(entry.key())).plus(cost(entry.value()));
            key = key.or(size(entry.key()));
            value = value.or(size(entry.value()));
        }
        entries.put(e.id(), new Entry(false, key, value));
        return sum;
    }

    private Range comprehension(CelExpr e, CelComprehension loop) {
        CelExpr range = loop.iterRange();
        Range sum = cost(range).plus(cost(loop.accuInit()));
        push(loop.accuVar(), new Local(path(loop.accuInit()), knownSize(loop.accuInit()), entry(loop.accuInit())));
        Entry entry = entry(range);
        boolean isList = entry == null
                ? type(range).kind() == CelKind.LIST
                : entry.list;
        boolean two = !loop.iterVar2().isEmpty();
        Range key = entry == null ? null : entry.key;
        Range value = entry == null ? null : entry.value;
        String keys = isList ? two ? "@indices" : "@items" : "@keys";
        push(loop.iterVar(), new Local(below(path(range), keys), isList && !two ? value : key, null));
        if (two) {
            push(loop.iterVar2(), new Local(below(path(range), isList ? "@items" : "@values"), value, null));
        }
        Range step = cost(loop.loopCondition()).plus(cost(loop.loopStep()));
        pop(loop.iterVar());
        if (two) {
            pop(loop.iterVar2());
        }
        sum = sum.plus(cost(loop.result()));
        pop(loop.accuVar());
        Range count = size(range);
        switch (loop.accuInit().getKind()) {
            case CONSTANT -> setSize(e, knownSize(loop.accuInit()));
            case LIST, MAP -> {
                setSize(e, count);
                setEntry(e, entry(loop.loopStep()));
            }
            default -> {
                // Upstream knows no size of other results.
            }
        }
        return sum.plus(count.times(step));
    }

    private Range call(CelExpr e, CelCall call) {
        List<CelExpr> arguments = call.args();
        if (call.function().equals("dyn") && arguments.size() == 1) {
            Range cost = cost(arguments.getFirst()).plus(ONE);
            setSize(e, knownSize(arguments.getFirst()));
            setEntry(e, entry(arguments.getFirst()));
            return cost;
        }
        List<Range> costs = new ArrayList<>();
        arguments.forEach(argument -> costs.add(cost(argument)));
        List<String> overloads = tree.getReference(e.id()).map(found -> (List<String>) found.overloadIds())
                .orElse(List.of());
        if (overloads.isEmpty()) {
            return NONE;
        }
        CelExpr target = call.target().orElse(null);
        Range sum = target == null ? NONE : cost(target);
        Range cost = new Range(Long.MAX_VALUE, 0);
        Range size = null;
        for (String overload : overloads) {
            Call one = one(e, call.function(), overload, target, arguments, costs);
            cost = cost.or(one.cost);
            if (one.size != null) {
                size = size == null ? one.size : size.or(one.size);
            }
            if (overload.equals("index_list") || overload.equals("index_map")) {
                Entry entry = entry(arguments.getFirst());
                size = entry == null ? null : entry.value;
                paths.put(e.id(), below(path(arguments.getFirst()),
                        overload.equals("index_list") ? "@items" : "@values"));
            }
            size = size == null ? knownSize(e) : size;
        }
        setSize(e, size);
        return sum.plus(cost);
    }

    private Call one(CelExpr e, String function, String overload, @Nullable CelExpr target, List<CelExpr> arguments,
            List<Range> costs) {
        Range sum = costs.stream().reduce(NONE, Range::plus);
        Call known = extension(function, overload, target, arguments);
        if (known != null) {
            return new Call(known.cost.plus(sum), known.size);
        }
        return switch (overload) {
            case "logical_or", "logical_and" ->
                new Call(new Range(costs.getFirst().least, costs.getFirst().plus(costs.getLast()).most), null);
            case "conditional" -> {
                Entry one = entry(arguments.get(1));
                Entry other = entry(arguments.get(2));
                setEntry(e, union(one, other));
                yield new Call(costs.getFirst().plus(costs.get(1).or(costs.get(2))),
                        size(arguments.get(1)).or(size(arguments.get(2))));
            }
            case "add_string", "add_bytes", "add_list" -> {
                Range size = size(arguments.getFirst()).plus(size(arguments.getLast()));
                setEntry(e, union(entry(arguments.getFirst()), entry(arguments.getLast())));
                yield new Call((overload.equals("add_list") ? ONE : size.times(TRAVERSAL)).plus(sum), size);
            }
            default -> {
                Call call = standard(overload, target, arguments);
                yield new Call(call.cost.plus(sum), call.size);
            }
        };
    }

    private Call standard(String overload, @Nullable CelExpr target, List<CelExpr> arguments) {
        Range first = arguments.isEmpty() ? NONE : size(arguments.getFirst());
        return switch (overload) {
            case "string_format" -> new Call(target == null ? ONE : size(target).times(TRAVERSAL), null);
            case "string_to_bytes" -> new Call(first.times(TRAVERSAL), new Range(first.least,
                    CelRule.product(first.most, 4)));
            case "bytes_to_string" -> new Call(first.times(TRAVERSAL), new Range(first.least / 4, first.most));
            case "strings_quote" -> new Call(first.times(TRAVERSAL), new Range(CelRule.sum(first.least, 2),
                    CelRule.sum(CelRule.product(first.most, 2), 2)));
            case "starts_with_string", "ends_with_string" -> new Call(first.times(TRAVERSAL), null);
            case "in_list" -> new Call(size(arguments.getLast()), null);
            case "matches", "matches_string" -> {
                Range text = size(target == null ? arguments.getFirst() : target);
                yield new Call(text.plus(ONE).times(TRAVERSAL).times(size(arguments.getLast()).times(REGEX)), null);
            }
            case "contains_string" ->
                new Call(target == null ? ONE : size(target).times(TRAVERSAL).times(first.times(TRAVERSAL)), null);
            case "less_string", "greater_string", "less_equals_string", "greater_equals_string", "less_bytes",
                    "greater_bytes", "less_equals_bytes", "greater_equals_bytes", "equals", "not_equals" -> {
                long most = Math.min(first.most, size(arguments.getLast()).most);
                yield new Call(new Range(most > 0 ? 1 : 0, most).times(TRAVERSAL), null);
            }
            default -> new Call(ONE, null);
        };
    }

    /** The cost of a function that upstream estimates by itself; null for other functions. */
    private @Nullable Call extension(String function, String overload, @Nullable CelExpr target,
            List<CelExpr> arguments) {
        Range on = target == null ? UNKNOWN : size(target);
        Range first = arguments.isEmpty() ? UNKNOWN : size(arguments.getFirst());
        return switch (function) {
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> {
                CelType element = target == null || type(target).parameters().isEmpty()
                        ? null
                        : type(target).parameters().getFirst();
                if (target == null || element == null) {
                    yield target == null ? null : new Call(on.times(TRAVERSAL), null);
                }
                boolean text = element.kind() == CelKind.STRING || element.kind() == CelKind.BYTES;
                Range size = path(target).isEmpty() ? UNKNOWN : bySchema(below(path(target), "@items"));
                yield new Call(on.times(text ? ONE.plus((size == null ? UNKNOWN : size).times(TRAVERSAL)) : ONE),
                        null);
            }
            case "url" -> new Call(first.times(TRAVERSAL), first);
            case "lowerAscii", "upperAscii", "substring", "trim" -> new Call(on.times(TRAVERSAL), on);
            case "replace" -> new Call(on.times(2 * TRAVERSAL), replaced(on, first, size(arguments.get(1))));
            case "split" -> new Call(on.times(2 * TRAVERSAL), new Range(0, arguments.size() > 1
                    ? number(arguments.get(1), on.most)
                    : on.most));
            case "join" -> {
                Range element = target == null || path(target).isEmpty()
                        ? UNKNOWN
                        : bySchema(below(path(target), "@items"));
                Range size = on.times(element == null ? UNKNOWN : element);
                if (!arguments.isEmpty()) {
                    size = size.plus(first.times(new Range(Math.max(0, on.least - 1), Math.max(0, on.most - 1))));
                }
                yield new Call(size.times(TRAVERSAL), size);
            }
            case "find", "findAll" -> new Call(on.plus(ONE).times(TRAVERSAL).times(first.times(REGEX)),
                    new Range(0, on.most));
            case "ip", "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver" ->
                new Call(overload.equals("cidr_ip") ? ONE : first.times(TRAVERSAL), null);
            case "ip.isCanonical" -> new Call(first.times(2 * TRAVERSAL), null);
            case "containsIP", "containsCIDR" -> {
                Range cost = new Range(8, 32).times(TRAVERSAL);
                if (function.equals("containsCIDR")) {
                    cost = cost.plus(new Range(4, 16).times(TRAVERSAL)).plus(ONE);
                }
                yield new Call(overload.endsWith("_string") ? cost.plus(first.times(TRAVERSAL)) : cost, null);
            }
            case "validate" -> new Call(first.times(TRAVERSAL).times(128 * REGEX), null);
            case "slice" -> {
                long size = number(arguments.get(1), on.most) - number(arguments.getFirst(), 0);
                yield allocating(1, new Range(size, size));
            }
            case "lists.range" -> {
                long size = number(arguments.getFirst(), Long.MAX_VALUE);
                yield allocating(1, new Range(size, size));
            }
            case "reverse" -> allocating(1, on);
            case "flatten" -> allocating(arguments.isEmpty() ? 1 : number(arguments.getFirst(), Long.MAX_VALUE), on);
            case "distinct" -> allocating(2, on.times(on));
            case "sort" -> allocating(2, on.times(on));
            case "sets.contains", "sets.intersects", "sets.equivalent" ->
                new Call(first.times(size(arguments.getLast())).times(function.endsWith("equivalent") ? 2 : 1)
                        .plus(ONE), null);
            case "_==_" -> isOneUnit(arguments) ? new Call(ONE, null) : null;
            default -> null;
        };
    }

    private boolean isOneUnit(List<CelExpr> arguments) {
        CelType one = type(arguments.getFirst());
        return one != null && one.kind() == CelKind.OPAQUE && !(one instanceof OptionalType)
                && one.equals(type(arguments.getLast()));
    }

    private static Call allocating(double factor, Range size) {
        return new Call(size.times(factor).plus(ONE).plus(new Range(LIST, LIST)), size);
    }

    private static Range replaced(Range text, Range old, Range now) {
        long most = old.least == 0
                ? CelRule.sum(text.most, 1)
                : now.most <= old.least ? 0 : (long) Math.ceil((double) text.most / old.least);
        long least = old.most == 0
                ? CelRule.sum(text.least, 1)
                : old.most <= now.least ? 0 : (long) Math.ceil((double) text.least / old.most);
        return new Range(least, most).times(now).plus(new Range(old.most <= now.least ? text.least : 0,
                old.least == 0 || now.most <= old.least ? text.most : 0));
    }

    private static long number(CelExpr e, long otherwise) {
        return e.getKind() == ExprKind.Kind.CONSTANT && e.constant().getKind() == CelConstant.Kind.INT64_VALUE
                ? e.constant().int64Value()
                : otherwise;
    }

    private Range size(CelExpr e) {
        Range known = knownSize(e);
        return known == null ? UNKNOWN : known;
    }

    private @Nullable Range knownSize(CelExpr e) {
        if (sizes.containsKey(e.id())) {
            return sizes.get(e.id());
        }
        long fixed = switch (e.getKind()) {
            case CONSTANT -> switch (e.constant().getKind()) {
                case STRING_VALUE -> e.constant().stringValue().codePointCount(0, e.constant().stringValue().length());
                case BYTES_VALUE -> e.constant().bytesValue().size();
                default -> 1;
            };
            case LIST -> e.list().elements().size();
            case MAP -> e.map().entries().size();
            default -> -1;
        };
        if (fixed >= 0) {
            return new Range(fixed, fixed);
        }
        Range found = bySchema(path(e));
        if (found != null) {
            sizes.put(e.id(), found);
            return found;
        }
        if (isScalar(type(e))) {
            return ONE;
        }
        Local local = e.getKind() == ExprKind.Kind.IDENT ? local(e.ident().name()) : null;
        return local == null ? null : local.size;
    }

    private @Nullable Range bySchema(List<String> path) {
        if (path.isEmpty()) {
            return null;
        }
        JsonNode found = SchemaSizes.at(schema, path.subList(1, path.size()), resource);
        return found == null ? null : new Range(0, SchemaSizes.elements(found));
    }

    private static boolean isScalar(@Nullable CelType type) {
        return type != null && switch (type.kind()) {
            case BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT -> true;
            default -> type instanceof OptionalType optional && isScalar(optional.parameters().getFirst());
        };
    }

    private void setSize(CelExpr e, @Nullable Range size) {
        if (size != null) {
            sizes.put(e.id(), size);
        }
    }

    private @Nullable Entry entry(CelExpr e) {
        Entry known = entries.get(e.id());
        Local local = known == null && e.getKind() == ExprKind.Kind.IDENT ? local(e.ident().name()) : null;
        return local == null ? known : local.entry;
    }

    private void setEntry(CelExpr e, @Nullable Entry entry) {
        if (entry != null) {
            entries.put(e.id(), entry);
        }
    }

    private static @Nullable Entry union(@Nullable Entry one, @Nullable Entry other) {
        return one == null || other == null
                ? null
                : new Entry(one.list, one.key.or(other.key), one.value.or(other.value));
    }

    private CelType type(CelExpr e) {
        return tree.getType(e.id()).orElse(SimpleType.DYN);
    }

    private List<String> path(CelExpr e) {
        Local local = e.getKind() == ExprKind.Kind.IDENT ? local(e.ident().name()) : null;
        return local == null ? paths.getOrDefault(e.id(), List.of()) : local.path;
    }

    private static List<String> below(List<String> path, String step) {
        List<String> below = new ArrayList<>(path);
        below.add(step);
        return below;
    }

    private @Nullable Local local(String name) {
        Deque<Local> found = locals.get(name);
        return found == null ? null : found.peek();
    }

    private void push(String name, Local local) {
        locals.computeIfAbsent(name, n -> new ArrayDeque<>()).push(local);
    }

    private void pop(String name) {
        Deque<Local> found = locals.get(name);
        if (found != null) {
            found.pop();
        }
    }
}
