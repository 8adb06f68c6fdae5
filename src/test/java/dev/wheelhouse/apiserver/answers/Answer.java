package dev.wheelhouse.apiserver.answers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.json.Json;

/**
 * The parts of an answer that are compared. Messages are normalised: versions, UIDs, times and generated suffixes are
 * one word each.
 *
 * @param type the media type
 * @param kind of the answer, {@code v1 Status}, or empty if it is no JSON object
 * @param causes field, reason, each; in order
 * @param warnings in order
 */
record Answer(int code, String type, String kind, String reason, String message, List<String> causes,
        List<String> warnings) {
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern TIME = Pattern
            .compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?( ?[+-]\\d{4})?( UTC|Z)?");
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])\\d{2,}(?![\\w.])");
    private static final Pattern GENERATED = Pattern.compile("(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=\")");
    private static final Pattern LITERAL = Pattern.compile("(?s)\\(\\S{40,}\\)$|0x[0-9a-f]{6,}");

    /** The aspects in which answers may differ, the weightiest first. */
    enum Aspect {
        CODE(a -> Integer.toString(a.code)), REASON(Answer::reason), CAUSES(a -> String.join("\n", a.causes)), MESSAGE(
                Answer::message),
        WARNINGS(a -> String.join("\n", a.warnings)), KIND(a -> a.type + " " + a.kind);

        private final Function<Answer, String> value;

        Aspect(Function<Answer, String> value) {
            this.value = value;
        }

        String of(Answer answer) {
            return value.apply(answer);
        }
    }

    /** The aspects in which it differs from another. */
    List<Aspect> differences(Answer other) {
        List<Aspect> aspects = new ArrayList<>(0);
        for (Aspect aspect : Aspect.values()) {
            if (!aspect.of(this).equals(aspect.of(other))) {
                aspects.add(aspect);
            }
        }
        return aspects;
    }

    static Answer of(Probe probe, RawHttp.Answer response) {
        String type = response.header("content-type");
        String reason = "";
        String message = "";
        String kind = "";
        List<String> causes = new ArrayList<>();
        if (response.cut() || probe.target().contains("watch") && response.code() == 200) {
            message = events(probe, response.body());
        } else if (type.startsWith("application/json") && !response.body().isEmpty()) {
            try {
                if (Json.read(response.body()) instanceof ObjectNode body) {
                    kind = Json.text(body, "apiVersion") + " " + Json.text(body, "kind");
                    if (kind.equals("v1 Status")) {
                        reason = Json.text(body, "reason");
                        message = normal(probe, Json.text(body, "message"));
                        body.path("details").path("causes").forEach(cause -> causes.add(normal(probe,
                                Json.text(cause, "field") + " " + Json.text(cause, "reason"))));
                    }
                }
            } catch (JacksonException e) {
                kind = "broken JSON";
            }
        } else if (response.code() >= 300) {
            message = normal(probe, response.body().strip());
        }
        List<String> warnings = new ArrayList<>();
        for (String warning : response.headers("warning")) {
            warnings.add(normal(probe, warning));
        }
        return new Answer(response.code(), type.replaceAll(";? *charset=utf-8", ""), kind, reason, message, causes,
                warnings);
    }

    private static String events(Probe probe, String body) {
        List<String> events = new ArrayList<>();
        for (String line : body.split("\n")) {
            try {
                JsonNode event = Json.read(line);
                String type = Json.text(event, "type");
                if (type.equals("ERROR")) {
                    events.add("ERROR " + Json.text(event, "object", "code") + " "
                            + normal(probe, Json.text(event, "object", "message")));
                } else if (!type.isEmpty() && !type.equals("BOOKMARK")) {
                    events.add(type);
                }
            } catch (JacksonException e) {
                events.add(line.isBlank() ? "" : "broken JSON");
            }
        }
        events.removeIf(String::isEmpty);
        return String.join(" ", events);
    }

    private static String normal(Probe probe, String text) {
        String asked = probe.target() + probe.body();
        String normal = TIME.matcher(text).replaceAll("TIME");
        normal = UUID.matcher(normal).replaceAll("UID");
        if (asked.contains("generateName")) {
            normal = GENERATED.matcher(normal).replaceAll("abcde");
        }
        if (asked.contains("${") || asked.contains("ontinue") || text.contains("esource")) {
            normal = NUMBER.matcher(normal).replaceAll(
                    m -> asked.contains(m.group()) ? Matcher.quoteReplacement(m.group()) : "NUMBER");
        }
        return LITERAL.matcher(normal).replaceAll("LITERAL");
    }

    Answer withMessage(String other) {
        return new Answer(code, type, kind, reason, other, causes, warnings);
    }

    /** With the causes in their natural order, because a real server checks the properties of objects in any order. */
    Answer sorted() {
        return new Answer(code, type, kind, reason, message, causes.stream().sorted().toList(), warnings);
    }

    ObjectNode json() {
        ObjectNode json = Json.object().put("code", code);
        put(json, "type", type.equals("application/json") ? "" : type);
        put(json, "kind", kind);
        put(json, "reason", reason);
        put(json, "message", message);
        if (!causes.isEmpty()) {
            causes.forEach(json.putArray("causes")::add);
        }
        if (!warnings.isEmpty()) {
            warnings.forEach(json.putArray("warnings")::add);
        }
        return json;
    }

    private static void put(ObjectNode json, String field, String value) {
        if (!value.isEmpty()) {
            json.put(field, value);
        }
    }

    static Answer of(JsonNode json) {
        List<String> causes = new ArrayList<>();
        json.path("causes").forEach(cause -> causes.add(cause.asString()));
        List<String> warnings = new ArrayList<>();
        json.path("warnings").forEach(warning -> warnings.add(warning.asString()));
        return new Answer((int) Json.number(json, 0, "code"),
                json.has("type") ? Json.text(json, "type") : "application/json", Json.text(json, "kind"),
                Json.text(json, "reason"), Json.text(json, "message"), causes, warnings);
    }
}
