package dev.wheelhouse.cel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.DYN;
import static dev.wheelhouse.cel.KubernetesLibrary.INT;

import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.runtime.CelEvaluationException;

/** Functions on lists whose elements have one, comparable type (upstream: {@code library/lists.go}). */
final class ListFunctions {
    @SuppressWarnings({"unchecked", "rawtypes"}) // A list of CEL may have elements of any type.
    private static final KubernetesLibrary.Type<List<?>> LIST = new KubernetesLibrary.Type<>(
            ListType.create(SimpleType.DYN), (Class) List.class);

    private static final Set<CelType> SUMMED = Set.of(SimpleType.INT, SimpleType.UINT, SimpleType.DOUBLE,
            SimpleType.DURATION);

    private ListFunctions() {}

    static void addTo(KubernetesLibrary library) {
        library.member("isSorted", "list_is_sorted_bool", BOOL, LIST, ListFunctions::isSorted);
        library.member("sum", "list_sum", DYN, LIST, ListFunctions::sum);
        library.member("min", "list_min", DYN, LIST, list -> extreme("min", list, -1));
        library.member("max", "list_max", DYN, LIST, list -> extreme("max", list, 1));
        library.member("indexOf", "list_a_index_of_int", INT, LIST, DYN, (list, each) -> (long) list.indexOf(each));
        library.member("lastIndexOf", "list_a_last_index_of_int", INT, LIST, DYN,
                (list, each) -> (long) list.lastIndexOf(each));
    }

    /** The functions for each type that the elements may have. */
    static Map<String, List<CelOverloadDecl>> typed() {
        Map<String, List<CelOverloadDecl>> typed = new HashMap<>();
        for (CelType of : List.of(SimpleType.INT, SimpleType.UINT, SimpleType.DOUBLE, SimpleType.DURATION,
                SimpleType.BOOL, SimpleType.TIMESTAMP, SimpleType.STRING, SimpleType.BYTES)) {
            String id = "list_" + of.name() + "_";
            CelType list = ListType.create(of);
            add(typed, "isSorted", CelOverloadDecl.newMemberOverload(id + "is_sorted", SimpleType.BOOL, list));
            add(typed, "min", CelOverloadDecl.newMemberOverload(id + "min", of, list));
            add(typed, "max", CelOverloadDecl.newMemberOverload(id + "max", of, list));
            if (SUMMED.contains(of)) {
                add(typed, "sum", CelOverloadDecl.newMemberOverload(id + "sum", of, list));
            }
        }
        CelType any = TypeParamType.create("A");
        for (String name : List.of("indexOf", "lastIndexOf")) {
            add(typed, name, CelOverloadDecl.newMemberOverload("list_" + name, SimpleType.INT, ListType.create(any),
                    any));
        }
        return typed;
    }

    private static void add(Map<String, List<CelOverloadDecl>> to, String name, CelOverloadDecl overload) {
        to.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
    }

    private static boolean isSorted(List<?> list) throws CelEvaluationException {
        for (int i = 1; i < list.size(); i++) {
            if (compare(list.get(i - 1), list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Object extreme(String name, List<?> list, int sign) throws CelEvaluationException {
        if (list.isEmpty()) {
            throw new CelEvaluationException(name + " called on empty list");
        }
        Object found = list.getFirst();
        for (Object element : list) {
            if (compare(element, found) * sign > 0) {
                found = element;
            }
        }
        return found;
    }

    private static int compare(Object one, Object other) throws CelEvaluationException {
        if (one instanceof CelByteString first && other instanceof CelByteString second) {
            return CelByteString.unsignedLexicographicalComparator().compare(first, second);
        }
        if (one instanceof Number first && other instanceof Number second
                && (first instanceof Double || second instanceof Double)) {
            return Double.compare(first.doubleValue(), second.doubleValue());
        }
        if (one instanceof Comparable<?> && one.getClass().equals(other.getClass())) {
            @SuppressWarnings("unchecked")
            Comparable<Object> comparable = (Comparable<Object>) one;
            return comparable.compareTo(other);
        }
        throw new CelEvaluationException("no such overload");
    }

    private static Object sum(List<?> list) throws CelEvaluationException {
        Object sum = null;
        for (Object element : list) {
            sum = sum == null ? element : plus(sum, element);
        }
        return sum == null ? 0L : sum;
    }

    private static Object plus(Object one, Object other) throws CelEvaluationException {
        try {
            if (one instanceof Long first && other instanceof Long second) {
                return Math.addExact(first, second);
            }
            if (one instanceof Duration first && other instanceof Duration second) {
                return first.plus(second);
            }
        } catch (ArithmeticException e) {
            throw new CelEvaluationException("integer overflow");
        }
        if (one instanceof Number first && other instanceof Number second) {
            return first.doubleValue() + second.doubleValue();
        }
        throw new CelEvaluationException("no such overload");
    }
}
