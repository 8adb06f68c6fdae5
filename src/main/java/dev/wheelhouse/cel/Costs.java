package dev.wheelhouse.cel;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.cel.common.values.CelByteString;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.RuntimeEquality;

/**
 * The costs of function calls by their arguments, in tenths of a unit. They are upstream's costs
 * ({@code cel-go/interpreter/runtimecost.go}, {@code apiserver/pkg/cel/library/cost.go}), or higher where CEL for Java
 * takes more time or memory than Go's. Measuring ends at the remaining budget, since a value may contain another one
 * many times. Stateless.
 */
record Costs(RuntimeEquality equality) {
    /** The overloads that ask an authorizer. */
    static final String CHECK_OF_PATH = "pathcheck_check";
    static final String CHECK_OF_RESOURCE = "resourcecheck_check";
    private static final int UNIT = 10;

    /** @param id the overload of the function */
    long of(String id, Object[] arguments) throws CelEvaluationException {
        return switch (id) {
            case "size_string", "string_size", "string_char_at_int" -> UNIT + length(arguments[0]) / 20;
            case "string_format" -> UNIT + length(arguments[0]) + 8 * traversal(arguments[1]);
            case PatchTypes.CONSTRUCTION -> 10 * UNIT;
            case CHECK_OF_PATH, CHECK_OF_RESOURCE -> 350_000 * UNIT;
            case "lists_range" -> UNIT * Math.clamp((Long) arguments[0], 1, Long.MAX_VALUE / UNIT);
            case "matches", "matches_string", "string_find_string", "string_find_all_string",
                    "string_find_all_string_int", "regex_extract_string_string", "regex_extractAll_string_string" ->
                search(arguments);
            case "regex_replaceAll_string_string_string", "regex_replaceCount_string_string_string_int" ->
                search(arguments) + (length(arguments[0]) + 1) * length(arguments[2]);
            case "contains_string", "string_index_of_string", "string_index_of_string_int",
                    "string_last_index_of_string", "string_last_index_of_string_int" ->
                find(arguments);
            case "string_replace_string_string", "string_replace_string_string_int" -> replace(arguments);
            case "string_split_string", "string_split_string_int" ->
                UNIT + length(arguments[0]) * (length(arguments[1]) == 0 ? UNIT : 2);
            case "list_join", "list_join_string" -> join(arguments);
            case "add_list" -> UNIT + appended(arguments[0]) + size(arguments[1]);
            case "in_list" -> Math.max(UNIT * size(arguments[1]), traversal(arguments[1]));
            // Each insertion copies the map.
            case "cel_@mapInsert_map_map" -> UNIT + size(arguments[0]) + size(arguments[1]);
            case "cel_@mapInsert_map_key_value" -> UNIT + size(arguments[0]) + traversal(arguments[1]);
            case "in_map" -> UNIT + traversal(arguments[0]);
            case "equals", "not_equals" -> Math.max(UNIT, Math.min(traversal(arguments[0]), traversal(arguments[1])));
            case "list_slice", "list_reverse", "list_is_sorted_bool", "list_sum", "list_min", "list_max",
                    "list_a_index_of_int", "list_a_last_index_of_int", "math_@min_list_dyn", "math_@max_list_dyn",
                    "optional_unwrap_list" ->
                UNIT + traversal(arguments[0]);
            case "list_flatten", "list_flatten_list_int" -> UNIT * traversal(arguments[0]);
            case "list_sort", "list_sortByAssociatedKeys" ->
                UNIT + traversal(arguments[0]) * (64 - Long.numberOfLeadingZeros(size(arguments[0])));
            case "list_distinct" -> distinct((Collection<?>) arguments[0]);
            case "list_sets_contains_list", "list_sets_equivalent_list", "list_sets_intersects_list" -> sets(arguments);
            default -> UNIT + texts(arguments);
        };
    }

    /** The total length of the arguments that are texts or bytes. */
    private static long texts(Object[] arguments) {
        long characters = 0;
        for (Object argument : arguments) {
            characters += argument instanceof String || argument instanceof CelByteString ? length(argument) : 0;
        }
        return characters;
    }

    /** A search by a regular expression: the characters, times the states of the pattern. */
    private static long search(Object[] arguments) throws CelEvaluationException {
        String expression = (String) arguments[1];
        long byLength = (length(arguments[0]) + UNIT) * ((expression.length() + 3) / 4);
        return Math.max(byLength, length(arguments[0]) * TextFunctions.pattern(expression).size() / 4);
    }

    private static long find(Object[] arguments) {
        return UNIT * ((length(arguments[0]) + 9) / 10) * ((length(arguments[1]) + 9) / 10) + UNIT;
    }

    private static long replace(Object[] arguments) {
        String text = (String) arguments[0];
        String sought = (String) arguments[1];
        long found = 0;
        long cost = find(arguments) + 2L * text.length();
        if (sought.isEmpty()) {
            found = text.length() + 1L;
        } else if (cost < CelBudget.remaining()) {
            for (int at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length())) {
                found++;
            }
        }
        return cost + found * length(arguments[2]);
    }

    private static long join(Object[] arguments) {
        List<?> list = (List<?>) arguments[0];
        long length = arguments.length == 1 ? 0 : length(arguments[1]) * list.size();
        return UNIT + 2 * (length + list.stream().mapToLong(Costs::length).sum());
    }

    /** The cost of the left side of a list's {@code +}: macros append to the list they build, others copy it. */
    private static long appended(Object list) {
        return list.getClass().getSimpleName().equals("ConcatenatedListView") ? 0 : size(list);
    }

    /** Elements with equal hashes are compared with one another. */
    private long distinct(Collection<?> list) {
        long cost = UNIT + 2 * traversal(list);
        if (cost > CelBudget.remaining()) {
            return cost;
        }
        Map<Integer, Integer> byHash = new HashMap<>();
        for (Object element : list) {
            cost += byHash.merge(equality.hashCode(element), 1, Integer::sum);
        }
        return cost;
    }

    private static long sets(Object[] arguments) {
        long left = size(arguments[0]);
        long right = size(arguments[1]);
        return UNIT + Math.max(UNIT * left * right,
                Math.max(traversal(arguments[0]) * right, traversal(arguments[1]) * left));
    }

    private static long size(Object value) {
        return value instanceof Collection<?> list ? list.size() : value instanceof Map<?, ?> map ? map.size() : 1;
    }

    /** The number of characters or bytes; 1 for all other types. */
    private static long length(Object value) {
        return value instanceof String text
                ? text.length()
                : value instanceof CelByteString bytes ? bytes.size() : 1;
    }

    /** The number of elements and characters in a value, at all depths. */
    private static long traversal(Object value) {
        return value instanceof Collection<?> || value instanceof Map<?, ?>
                ? traversal(value, CelBudget.remaining())
                : length(value);
    }

    private static long traversal(Object value, long most) {
        if (!(value instanceof Collection<?>) && !(value instanceof Map<?, ?>)) {
            return length(value);
        }
        long sum = 1;
        for (Object part : value instanceof Map<?, ?> map ? map.entrySet() : (Collection<?>) value) {
            sum += part instanceof Map.Entry<?, ?> entry
                    ? length(entry.getKey()) + traversal(entry.getValue(), most - sum)
                    : traversal(part, most - sum);
            if (sum > most) {
                break;
            }
        }
        return sum;
    }
}
