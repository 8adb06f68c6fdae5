package dev.wheelhouse.client;

import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

import dev.wheelhouse.runtime.Durations;

/**
 * A class whose values have no parts, as JSON. {@link ModelJson} writes and reads such values, and a schema describes
 * them, as this table says.
 *
 * @param scalar a scalar of {@code facts.TypeSchema}
 * @param format the format of OpenAPI; empty if there is none
 * @param pattern what every text that can be read matches, as a regular expression of RE2; empty if each text can be
 *     read, or if the format says it
 * @param sample a value as JSON; empty if any text is one
 * @param parse reads the text that {@code toString} wrote; null where Jackson or {@link ModelJson} has its own way
 */
public record PlainType(String scalar, String format, String pattern, String sample,
        @Nullable Function<String, ?> parse) {
    private static final Map<Class<?>, PlainType> ALL = all();

    private static final String TIME = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?";
    /** The durations that {@link #duration} reads, if their numbers are not too large, as an expression of RE2. */
    private static final String DURATION = "^[-+]?(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+|[Pp]([-+]?[0-9]+[Dd])?"
            + "([Tt]([-+]?[0-9]+[Hh])?([-+]?[0-9]+[Mm])?([-+]?[0-9]+(\\.[0-9]{0,9})?[Ss])?)?)$";

    /** The plain type of a class; null for a class whose values have parts. */
    public static @Nullable PlainType of(Class<?> type) {
        return ALL.get(type);
    }

    static Map<Class<?>, PlainType> types() {
        return ALL;
    }

    private static Map<Class<?>, PlainType> all() {
        Map<Class<?>, PlainType> all = new LinkedHashMap<>();
        put(all, "string", "", "", String.class);
        put(all, "string", "", "\"cd\"", char[].class);
        put(all, "string", "", "\"c\"", char.class, Character.class);
        put(all, "string", "byte", "\"AQI=\"", byte[].class);
        put(all, "string", "uri", "\"https://example.com/a\"", URI.class);
        put(all, "boolean", "", "true", boolean.class, Boolean.class);
        put(all, "integer", "int32", "7", byte.class, Byte.class, short.class, Short.class, int.class, Integer.class);
        put(all, "integer", "int64", "7", long.class, Long.class, BigInteger.class);
        put(all, "number", "float", "1.5", float.class, Float.class);
        put(all, "number", "double", "1.5", double.class, Double.class);
        put(all, "time", "", "\"2026-01-02T03:04:05Z\"", OffsetDateTime.class);
        put(all, "quantity", "", "\"1\"", Quantity.class);
        put(all, "int-or-string", "", "\"1\"", IntOrString.class);
        put(all, "any", "", "{\"a\":[1]}", Object.class, JsonNode.class);
        put(all, "array", "", "[1]", ArrayNode.class);
        all.put(UUID.class, new PlainType("string", "uuid", "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
                "\"123e4567-e89b-12d3-a456-426614174000\"", null));
        text(all, Instant.class, Instant::parse, "2026-01-02T03:04:05Z", "");
        text(all, LocalDate.class, LocalDate::parse, "2026-01-02", "");
        text(all, Duration.class, PlainType::duration, "PT1M30S", DURATION);
        text(all, LocalTime.class, LocalTime::parse, "03:04:05", "^" + TIME + "$");
        text(all, LocalDateTime.class, LocalDateTime::parse, "2026-01-02T03:04:05",
                "^[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]T" + TIME + "$");
        text(all, OffsetTime.class, OffsetTime::parse, "03:04:05+01:00", "");
        text(all, ZonedDateTime.class, ZonedDateTime::parse, "2026-01-02T03:04:05+01:00[Europe/Berlin]", "");
        text(all, YearMonth.class, YearMonth::parse, "2026-01", "^[0-9]{4}-(0[1-9]|1[0-2])$");
        text(all, MonthDay.class, MonthDay::parse, "--01-02", "^--(0[1-9]|1[0-2])-[0-3][0-9]$");
        text(all, Year.class, text -> Year.of(Integer.parseInt(text)), "2026", "^-?[0-9]{1,9}$");
        text(all, Period.class, Period::parse, "P1D", "^[-+]?[Pp]([-+]?[0-9]{1,9}[YyMmWwDd])+$");
        text(all, ZoneId.class, ZoneId::of, "Europe/Berlin", "");
        text(all, ZoneOffset.class, ZoneOffset::of, "+01:00", "");
        text(all, Month.class, Month::valueOf, "MAY", "");
        return all;
    }

    private static void put(Map<Class<?>, PlainType> to, String scalar, String format, String sample,
            Class<?>... types) {
        for (Class<?> type : types) {
            to.put(type, new PlainType(scalar, format, "", sample, null));
        }
    }

    private static <T> void text(Map<Class<?>, PlainType> to, Class<T> type, Function<String, T> parse, String sample,
            String pattern) {
        String scalar = type == Instant.class ? "time" : "string";
        to.put(type, new PlainType(scalar, type == LocalDate.class ? "date" : "", pattern, "\"" + sample + "\"",
                parse));
    }

    /** A duration as Go and users of Kubernetes write it, such as {@code 1h30m}, or of ISO 8601, as Java writes it. */
    private static Duration duration(String text) {
        Duration go = Durations.parseSigned(text);
        return go == null ? Duration.parse(text) : go;
    }
}
