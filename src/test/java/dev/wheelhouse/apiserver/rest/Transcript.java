package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.runtime.SafeYaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the scenarios of the files in a folder of {@code src/test/resources/transcripts}, each in a world of its own:
 * requests, and the expected answers. {@code transcripts/README.md} has the format.
 */
public final class Transcript {
    private static final Path FOLDER = Path.of("src/test/resources/transcripts");
    private static final Map<String, String> TYPES = Map.of("MERGE", "application/merge-patch+json", "STRATEGIC",
            "application/strategic-merge-patch+json", "JSONPATCH", "application/json-patch+json", "APPLY",
            "application/apply-patch+yaml", "POST", "application/json", "PUT", "application/json", "DELETE",
            "application/json");
    private static final Pattern REPEATED = Pattern.compile("\\$\\((.+?) \\* (\\d+)\\)");
    private static final Pattern OF_GROUP = Pattern.compile("([^/.]+)\\.(v\\w+)\\.([^/?]+)(.*)");
    private static final List<ResourceType> BUILT_IN = ResourceRegistry.builtIn().all().stream()
            .map(resource -> resource.type()).toList();
    private static final ApiResponse.Content NO_REQUEST = new ApiResponse.Content(200, "application/json",
            "{}".getBytes(UTF_8), List.of(), null);
    private static final Pattern TIME = Pattern.compile("\\$\\(now(?: \\+ (\\w+))?\\)");

    private final World world;
    private final Map<String, JsonNode> values = new HashMap<>();

    /** The server of one scenario, and what else is around it. */
    public interface World extends AutoCloseable {
        ApiResponse handle(ApiRequest request);

        Instant now();

        void pass(Duration time);

        /**
         * Takes a step that is no request.
         *
         * @return whether there is such a step
         */
        default boolean perform(String verb, String object, JsonNode details) {
            return false;
        }

        /** Called after each step, before its checks. */
        default void settle(JsonNode step) {}

        /** The value of a word that is not about the answer; null if there is none. */
        default @Nullable JsonNode value(String word) {
            return null;
        }

        @Override
        default void close() {}
    }

    private Transcript(World world) {
        this.world = world;
    }

    /**
     * The tests of all files in a folder, a container for each.
     *
     * @param folder within the folder of the transcripts
     * @param worlds makes a world from the field {@code server} of a file
     */
    public static Stream<DynamicContainer> all(String folder, Function<JsonNode, World> worlds) {
        try (Stream<Path> files = Files.list(FOLDER.resolve(folder))) {
            String wanted = System.getProperty("transcripts", ".*") + "\\.yaml";
            return files.filter(file -> file.getFileName().toString().matches(wanted)).sorted().toList().stream()
                    .map(file -> DynamicContainer.dynamicContainer(file.getFileName().toString(), file.toUri(),
                            scenarios(file, worlds)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<DynamicTest> scenarios(Path path, Function<JsonNode, World> worlds) {
        JsonNode file;
        try {
            file = Json.mapper().valueToTree(SafeYaml.load(Files.readAllBytes(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<DynamicTest> tests = new ArrayList<>();
        file.properties().stream().filter(entry -> !Set.of("server", "given", "where").contains(entry.getKey()))
                .forEach(entry -> {
                    JsonNode scenario = entry.getValue();
                    assertThat(scenario.isArray() ? scenario : scenario.path("rows")).as(entry.getKey()).isNotEmpty();
                    if (scenario.isArray()) {
                        tests.add(test(entry.getKey(), file, worlds, scenario, Json.array()));
                    } else {
                        scenario.path("rows").forEach(row -> tests.add(test(entry.getKey() + " " + row, file, worlds,
                                scenario.path("do"), row.isArray() ? row : Json.array().add(row))));
                    }
                });
        return tests.stream();
    }

    private static DynamicTest test(String name, JsonNode file, Function<JsonNode, World> worlds, JsonNode steps,
            JsonNode row) {
        return DynamicTest.dynamicTest(name, () -> {
            try (World world = worlds.apply(file.path("server"))) {
                Transcript transcript = new Transcript(world);
                file.path("where").properties().forEach(e -> transcript.values.put(e.getKey(), e.getValue()));
                for (int i = 0; i < row.size(); i++) {
                    transcript.values.put(Integer.toString(i + 1), row.get(i));
                }
                for (JsonNode part : List.of(file.path("given"), steps)) {
                    for (JsonNode step : part) {
                        transcript.run((ObjectNode) transcript.filled(step));
                    }
                }
            }
        });
    }

    private void run(ObjectNode step) {
        Map.Entry<String, JsonNode> first = step.properties().iterator().next();
        if (step.path("after").isString()) {
            world.pass(Duration.parse(step.path("after").asString()));
        }
        String[] request = first.getKey().split(" ", 2);
        ApiResponse.Content answer = world.perform(request[0], request[1], first.getValue())
                ? NO_REQUEST
                : send(step, request[0], request[1], first.getValue());
        world.settle(step);
        String text = new String(answer.body(), UTF_8);
        String about = "%s%n%s%n%d %s%n".formatted(step.path("why").asString(""), step, answer.code(), text);
        JsonNode body = text.startsWith("{") ? Json.read(text) : Json.object();
        if (step.has("is")) {
            assertThat(answer.code()).as(about).isEqualTo(step.path("is").intValue());
        } else if (answer != NO_REQUEST) {
            assertThat(answer.code() >= 300).as(about).isEqualTo(step.has("says") || step.has("says has"));
        }
        step.properties().stream().skip(1).forEach(check -> {
            JsonNode value = check.getValue();
            String[] key = check.getKey().split(" (?=\\w+$)");
            JsonNode actual = switch (key[0]) {
                case "says" -> body.path("message");
                case "warns" -> Json.mapper().valueToTree(answer.warnings());
                case "body" -> Json.mapper().getNodeFactory().stringNode(text);
                default -> key[0].startsWith("/") ? at(body, key[0]) : world.value(key[0]);
            };
            if (actual != null) {
                compare(about + check.getKey(), key.length > 1 ? key[1] : "", actual, value);
            } else if (key[0].equals("keep")) {
                value.properties().forEach(kept -> {
                    JsonNode found = body.at(kept.getValue().asString());
                    assertThat(found.isMissingNode()).as(about + kept).isFalse();
                    values.put(kept.getKey(), found);
                });
            } else {
                assertThat(check.getKey()).isIn("is", "as", "impersonates", "accept", "type", "after", "then",
                        "why");
            }
        });
    }

    private ApiResponse.Content send(JsonNode step, String method, String path, JsonNode body) {
        String type = step.path("type").asString(TYPES.getOrDefault(method, ""));
        byte[] sent = (body.isNull() ? "" : body.isString() ? body.asString() : body.toString()).getBytes(UTF_8);
        boolean patch = type.contains("patch");
        ApiRequest request = ApiRequest.of(patch ? "PATCH" : method, path(path), type, sent);
        if (step.has("accept")) {
            request = request.withAccept(step.path("accept").asString());
        }
        Map<String, List<String>> headers = new HashMap<>();
        if (step.has("as")) {
            headers.put("Authorization", List.of("Bearer " + step.path("as").asString()));
        }
        if (step.has("impersonates")) {
            headers.put("Impersonate-User", List.of(step.path("impersonates").asString()));
        }
        if (!headers.isEmpty()) {
            request = request.withCredentials(Credentials.of(headers, null));
        }
        return switch (world.handle(request)) {
            case ApiResponse.Content content -> content;
            case ApiResponse.Stream stream -> {
                stream.feed().close();
                yield NO_REQUEST;
            }
        };
    }

    /** The whole path of one that begins with a plural, or with {@code PLURAL.VERSION.GROUP}. */
    private static String path(String words) {
        Matcher group = OF_GROUP.matcher(words);
        if (words.startsWith("/")) {
            return words;
        } else if (group.matches()) {
            return "/apis/%s/%s/namespaces/default/%s%s".formatted(group.group(3), group.group(2), group.group(1),
                    group.group(4));
        }
        ResourceType type = type(words.split("[/?]")[0]);
        return (type.group().isEmpty() ? "/api/" : "/apis/" + type.group() + "/") + type.version()
                + (type.namespaced() ? "/namespaces/default/" : "/") + words;
    }

    /** The built-in type with a plural. */
    public static ResourceType type(String plural) {
        return BUILT_IN.stream().filter(type -> type.plural().equals(plural)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no resource " + plural));
    }

    /** The value at a pointer; with {@code *} in place of an index, the list of the values at all indices. */
    private static JsonNode at(JsonNode node, String pointer) {
        int star = pointer.indexOf("/*");
        if (star < 0) {
            return node.at(pointer);
        }
        ArrayNode all = Json.array();
        node.at(pointer.substring(0, star)).forEach(element -> all.add(at(element, pointer.substring(star + 2))));
        return all;
    }

    private static void compare(String about, String how, JsonNode actual, JsonNode expected) {
        String shown = shown(actual);
        List<String> words = expected.isArray()
                ? expected.valueStream().map(Transcript::shown).toList()
                : List.of(shown(expected));
        assertThat(how.isEmpty() || !actual.isMissingNode()).as(about).isTrue();
        switch (how) {
            case "size" -> assertThat(actual.size()).as(about).isEqualTo(expected.intValue());
            case "has" -> assertThat(shown).as(about).contains(words);
            case "lacks" -> assertThat(shown).as(about).doesNotContain(words);
            default -> {
                if (expected.isNull()) {
                    assertThat(actual.isMissingNode()).as(about).isTrue();
                } else if (!matches(actual, expected)) {
                    assertThat(actual).as(about).isEqualTo(Json.read(expected.toString()));
                }
            }
        }
    }

    /** Whether a value is the expected one, in which {@code …} stands for any text. */
    private static boolean matches(JsonNode actual, JsonNode expected) {
        if (expected.isArray() && actual.isArray() && expected.size() == actual.size()) {
            return IntStream.range(0, expected.size()).allMatch(i -> matches(actual.get(i), expected.get(i)));
        }
        if (expected.isObject() && actual.isObject() && expected.size() == actual.size()) {
            return expected.propertyStream().allMatch(e -> matches(actual.path(e.getKey()), e.getValue()));
        }
        return expected.isString() && expected.asString().contains("…")
                ? Pattern.compile(Stream.of(expected.asString().split("…", -1)).map(Pattern::quote)
                        .collect(Collectors.joining(".*")), Pattern.DOTALL).matcher(shown(actual)).matches()
                : actual.equals(Json.read(expected.toString()));
    }

    private static String shown(JsonNode value) {
        return value.isString() ? value.asString() : value.toString();
    }

    /** A step with the values of its variables. Fields {@code ...} and {@code ....} stand for the fields of a value. */
    private JsonNode filled(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode filled = Json.object();
                object.properties().forEach(field -> {
                    JsonNode value = filled(field.getValue());
                    if (field.getKey().startsWith("...")) {
                        value.properties().forEach(each -> filled.set(each.getKey(), each.getValue()));
                    } else {
                        filled.set(filled(Json.mapper().getNodeFactory().stringNode(field.getKey())).asString(), value);
                    }
                });
                yield filled;
            }
            case ArrayNode array -> {
                ArrayNode filled = Json.array();
                array.forEach(element -> filled.add(filled(element)));
                yield filled;
            }
            default -> node.isString() ? filled(node.asString()) : node;
        };
    }

    private JsonNode filled(String text) {
        JsonNode whole = text.startsWith("$") ? values.get(text.substring(1)) : null;
        if (whole != null) {
            return filled(whole);
        }
        String filled = REPEATED.matcher(text).replaceAll(m -> Matcher.quoteReplacement(
                m.group(1).repeat(Integer.parseInt(m.group(2)))));
        filled = TIME.matcher(filled).replaceAll(m -> (m.group(1) == null
                ? world.now()
                : world.now().plus(Duration.parse(m.group(1)))).toString());
        for (Map.Entry<String, JsonNode> value : values.entrySet()) {
            if (!value.getValue().isContainer()) {
                filled = filled.replaceAll("\\$" + Pattern.quote(value.getKey()) + "\\b",
                        Matcher.quoteReplacement(value.getValue().asString("")));
            }
        }
        return Json.mapper().getNodeFactory().stringNode(filled);
    }
}
