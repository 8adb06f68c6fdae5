package dev.wheelhouse.apiserver.table;

import java.math.BigDecimal;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One column: its definition, and the function that computes its cell from an object.
 *
 * @param type the OpenAPI type of the cells, such as {@code string}
 * @param format the OpenAPI format of the cells; empty for none
 * @param priority 0 for a column that is always shown, 1 for one that {@code kubectl get -o wide} adds
 * @param cell returns a text, a number, a boolean, or null
 */
public record TableColumn(String name, String type, String format, String description, int priority,
        Function<Item, ? extends @Nullable Object> cell) {

    private static final String NAME_TEXT = "Name of the object, unique among its kind in its namespace.";
    private static final String CREATED_TEXT = "When the API server created the object.";

    /** The name column. */
    public static TableColumn objectName() {
        return new TableColumn("Name", "string", "name", NAME_TEXT, 0, Item::name);
    }

    /** The column with the time since the object was created. */
    public static TableColumn age() {
        return of("Age", CREATED_TEXT, Item::age);
    }

    /** The column with that time for custom resources, which do not call it a text. */
    public static TableColumn ageAsDate() {
        return typed("date", "Age", CREATED_TEXT, Item::age);
    }

    /** The column with the creation time, for kinds without columns of their own. */
    public static TableColumn createdAt() {
        return typed("date", "Created At", CREATED_TEXT, o -> o.text("metadata", "creationTimestamp"));
    }

    /** A column of type {@code string}, whose cells may also be numbers or booleans. */
    public static TableColumn of(String name, String description, Function<Item, ? extends @Nullable Object> cell) {
        return typed("string", name, description, cell);
    }

    /** A column of whole numbers. */
    public static TableColumn integer(String name, String description, Function<Item, Long> cell) {
        return typed("integer", name, description, cell);
    }

    private static TableColumn typed(String type, String name, String description,
            Function<Item, ? extends @Nullable Object> cell) {
        return new TableColumn(name, type, "", description, 0, cell);
    }

    /** The same column, shown in the wide output only. */
    public TableColumn wide() {
        return new TableColumn(name, type, format, description, 1, cell);
    }

    /** The same column with another type of its cells. */
    public TableColumn type(String newType) {
        return new TableColumn(name, newType, format, description, priority, cell);
    }

    /** The same column with other cells. */
    public TableColumn cell(Function<Item, ? extends @Nullable Object> newCell) {
        return new TableColumn(name, type, format, description, priority, newCell);
    }

    /** The same column with a format. */
    public TableColumn format(String newFormat) {
        return new TableColumn(name, type, newFormat, description, priority, cell);
    }

    /** Writes the column's definition into an object, and returns that object. */
    public ObjectNode definition(ObjectNode into) {
        return into.put("name", name).put("type", type).put("format", format).put("description", description)
                .put("priority", priority);
    }

    /** Adds the object's cell to a row. The cell is {@code <invalid>} if the function throws. */
    public void addCell(ArrayNode cells, Item item) {
        Object value;
        try {
            value = cell.apply(item);
        } catch (RuntimeException e) {
            value = "<invalid>";
        }
        switch (value) {
            case null -> cells.addNull();
            case Long number -> cells.add(number.longValue());
            case Integer number -> cells.add(number.intValue());
            case BigDecimal number -> cells.add(number);
            case Boolean flag -> cells.add(flag.booleanValue());
            default -> cells.add(value.toString());
        }
    }
}
