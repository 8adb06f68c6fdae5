package dev.wheelhouse.apiserver.table;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.resources.CustomType;

/**
 * The columns that a CustomResourceDefinition declares (upstream:
 * {@code apiextensions-apiserver/pkg/registry/customresource/tableconvertor}).
 */
public final class CustomPrinters {
    private CustomPrinters() {}

    /**
     * The name column, then the declared ones; the name and the age if none are declared. A cell shows the first value
     * that its path finds.
     */
    public static List<TableColumn> of(CustomType type) {
        List<TableColumn> columns = new ArrayList<>();
        columns.add(TableColumn.objectName());
        if (type.columns().isEmpty()) {
            columns.add(TableColumn.ageAsDate());
        }
        type.columns().forEach(column -> columns.add(new TableColumn(column.name(), column.type(), column.format(),
                column.description(), column.priority(), cell(new JsonPath(column.jsonPath()), column.type()))));
        return List.copyOf(columns);
    }

    private static Function<Item, @Nullable Object> cell(JsonPath path, String type) {
        return item -> {
            JsonNode first = path.first(item.node());
            if (first == null) {
                return null;
            }
            return switch (type) {
                case "integer" -> first.isNumber() ? Long.valueOf(first.longValue()) : null;
                case "number" -> first.isNumber() ? first.decimalValue() : null;
                case "boolean" -> first.isBoolean() ? Boolean.valueOf(first.booleanValue()) : null;
                case "date" -> date(first.asString(""), item.now());
                default -> first.isNull() ? null : first.isValueNode() ? first.asString("") : first.toString();
            };
        };
    }

    private static String date(String text, Instant now) {
        try {
            return HumanDuration.of(Duration.between(Instant.parse(text), now));
        } catch (DateTimeException e) {
            return "<invalid>";
        }
    }
}
