package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.kinds.Strategy.Trait;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.facts.RuleTables;

/**
 * The section of one kind in {@code kinds.tsv}, which explains its own form.
 *
 * @param names returns the problems of a name
 * @param columns the columns that kubectl prints
 */
record KindTable(Set<Trait> traits, Function<String, List<String>> names, List<TableColumn> columns) {
    private static final Map<String, List<String>> SECTIONS = RuleTables.read("kinds.tsv");

    /** Computes a cell from an object. The cell is a text, a number, a boolean, or null. */
    @FunctionalInterface
    interface Cell extends Function<Item, @Nullable Object> {}

    /** The names of all sections. */
    static Set<String> sections() {
        return SECTIONS.keySet();
    }

    /**
     * The section of a kind; an empty one if it has none.
     *
     * @param cells the methods that columns with {@code call} name
     * @throws IllegalArgumentException if a row is not in the form that {@code kinds.tsv} explains
     */
    static KindTable of(String group, String kind, Map<String, Cell> cells) {
        Set<Trait> traits = new TreeSet<>();
        Function<String, List<String>> names = Formats::dnsSubdomain;
        List<TableColumn> columns = new ArrayList<>();
        for (String row : SECTIONS.getOrDefault(group.isEmpty() ? kind : kind + "." + group, List.of())) {
            String[] parts = row.split("\t", -1);
            switch (parts[0]) {
                case "traits" -> Stream.of(parts[1].split(" ")).map(Trait::valueOf).forEach(traits::add);
                case "names" -> names = Formats.named(parts[1]);
                default -> columns.add(column(parts, cells));
            }
        }
        return new KindTable(Set.copyOf(traits), names, columns.isEmpty()
                ? List.of(TableColumn.objectName(), TableColumn.createdAt())
                : List.copyOf(columns));
    }

    private static TableColumn column(String[] parts, Map<String, Cell> cells) {
        TableColumn column = switch (parts[0]) {
            case "Name" -> TableColumn.objectName();
            case "Age" -> TableColumn.age();
            default -> TableColumn.of(parts[0], parts[2], Item::name);
        };
        for (String word : parts.length == 1 ? new String[0] : parts[1].split(" ")) {
            column = switch (word) {
                case "wide" -> column.wide();
                case "integer", "boolean" -> column.type(word);
                default -> word.startsWith("format:")
                        ? column.format(word.substring("format:".length()))
                        : column.cell(cell(word, cells));
            };
        }
        return column;
    }

    /** @param text a word with a path, such as {@code text:spec.nodeName|<none>} */
    private static Cell cell(String text, Map<String, Cell> cells) {
        int colon = text.indexOf(':');
        int bar = text.indexOf('|') < 0 ? text.length() : text.indexOf('|');
        String path = text.substring(colon + 1, bar);
        boolean hasNone = bar < text.length();
        String none = hasNone ? text.substring(bar + 1) : "";
        String[] steps = path.split("\\.");
        return switch (text.substring(0, colon)) {
            case "text" -> textCell(path, none);
            case "number" -> o -> hasNone && !o.has(steps) ? none : (Object) o.number(steps);
            case "flag" -> o -> o.flagOr(none.equals("true"), steps);
            case "scalar" -> o -> o.scalarOr(none, steps);
            case "size" -> o -> Stream.of(path.split(",")).mapToLong(list -> o.size(list.split("\\."))).sum();
            case "since" -> o -> o.has(steps) ? o.since(steps) : none;
            case "labels" -> o -> o.labels(steps);
            case "selector" -> o -> o.selector(steps);
            case "join" -> joinCell(path, none);
            case "pair" -> pairCell(path, none);
            case "state" -> stateCell(textCell(path, ""), none.split("\\|"));
            case "call" -> {
                Cell cell = cells.get(path);
                if (cell == null) {
                    throw new IllegalArgumentException("kinds.tsv: no method is called " + path);
                }
                yield cell;
            }
            default -> throw new IllegalArgumentException("kinds.tsv: no cell is called " + text);
        };
    }

    private static Cell textCell(String path, String none) {
        int open = path.indexOf('[');
        if (open < 0) {
            String[] steps = path.split("\\.");
            return o -> o.textOr(none, steps);
        }
        int close = path.indexOf(']');
        String[] list = path.substring(0, open).split("\\.");
        String[] steps = path.substring(close + 2).split("\\.");
        return o -> o.ofType(path.substring(open + 1, close), list).textOr(none, steps);
    }

    /** @param texts for no status, for True, and for any other */
    private static Cell stateCell(Cell status, String[] texts) {
        return o -> {
            Object text = status.apply(o);
            return texts["".equals(text) ? 0 : "True".equals(text) ? 1 : 2];
        };
    }

    /** @param path of an object, and two of its fields with a comma between them */
    private static Cell pairCell(String path, String none) {
        String[] object = path.substring(0, path.lastIndexOf('.')).split("\\.");
        String[] fields = path.substring(path.lastIndexOf('.') + 1).split(",");
        return o -> o.has(object) ? o.part(object).text(fields[0]) + "/" + o.part(object).text(fields[1]) : none;
    }

    private static Cell joinCell(String path, String none) {
        int brackets = path.indexOf("[]");
        String[] list = path.substring(0, brackets).split("\\.");
        String field = path.substring(brackets + 2).replace(".", "");
        return o -> {
            List<String> texts = field.isEmpty()
                    ? o.texts(list)
                    : o.items(list).stream().map(element -> element.text(field)).toList();
            return texts.isEmpty() ? none : String.join(",", texts);
        };
    }
}
