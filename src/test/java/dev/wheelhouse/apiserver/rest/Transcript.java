package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.runtime.SafeYaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the scenarios of a file in {@code src/test/resources/transcripts}, each on a server of its own: requests, and
 * the expected answers. {@code transcripts/README.md} has the format.
 */
final class Transcript {
    private static final Path FOLDER = Path.of("src/test/resources/transcripts");
    private static final Map<String, String> TYPES = Map.of("MERGE", "application/merge-patch+json", "STRATEGIC",
            "application/strategic-merge-patch+json", "JSONPATCH", "application/json-patch+json", "APPLY",
            "application/apply-patch+yaml", "POST", "application/json", "PUT", "application/json", "DELETE",
            "application/json");
    private static final Pattern REPEATED = Pattern.compile("\\$\\((.+?) \\* (\\d+)\\)");
    private static final Pattern OF_GROUP = Pattern.compile("([^/.]+)\\.(v\\w+)\\.([^/?]+)(.*)");
    private static final Map<String, User> USERS = Map.of("eve",
            new User("eve", "", List.of("system:authenticated"), Map.of()));

    private final RestClient client;
    private final Map<String, JsonNode> values = new HashMap<>();

    private Transcript(JsonNode server) {
        Security security = server.has("rbac")
                ? Security.of(AuthorizationMode.RBAC, USERS, ServerKeys.inMemory())
                : Security.none();
        client = new RestClient(security.withPodAccounts(server.has("accounts")), server.has("apis")
                ? RuntimeConfig.parse(server.path("apis").asString())
                : RuntimeConfig.standard());
    }

    /** The tests of all files, a container for each. */
    static Stream<DynamicContainer> all() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream()
                    .map(file -> DynamicContainer.dynamicContainer(file.getFileName().toString(), file.toUri(),
                            scenarios(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<DynamicTest> scenarios(Path path) {
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
                        tests.add(test(entry.getKey(), file, scenario, Json.array()));
                    } else {
                        scenario.path("rows").forEach(row -> tests.add(test(entry.getKey() + " " + row, file,
                                scenario.path("do"), row.isArray() ? row : Json.array().add(row))));
                    }
                });
        return tests.stream();
    }

    private static DynamicTest test(String name, JsonNode file, JsonNode steps, JsonNode row) {
        return DynamicTest.dynamicTest(name, () -> {
            Transcript transcript = new Transcript(file.path("server"));
            file.path("where").properties().forEach(e -> transcript.values.put(e.getKey(), e.getValue()));
            for (int i = 0; i < row.size(); i++) {
                transcript.values.put(Integer.toString(i + 1), row.get(i));
            }
            for (JsonNode part : List.of(file.path("given"), steps)) {
                for (JsonNode step : part) {
                    transcript.run((ObjectNode) transcript.filled(step));
                }
            }
        });
    }

    private void run(ObjectNode step) {
        Map.Entry<String, JsonNode> first = step.properties().iterator().next();
        if (step.path("after").isString()) {
            client.clock.advance(Duration.parse(step.path("after").asString()));
        }
        String[] request = first.getKey().split(" ", 2);
        ApiResponse.Content answer = send(step, request[0], request[1], first.getValue());
        String text = new String(answer.body(), UTF_8);
        String about = "%s%n%s%n%d %s%n".formatted(step.path("why").asString(""), step, answer.code(), text);
        JsonNode body = text.startsWith("{") ? Json.read(text) : Json.object();
        if (step.has("is")) {
            assertThat(answer.code()).as(about).isEqualTo(step.path("is").intValue());
        } else {
            assertThat(answer.code() >= 300).as(about).isEqualTo(step.has("says") || step.has("says has"));
        }
        step.properties().stream().skip(1).forEach(check -> {
            JsonNode value = check.getValue();
            String[] key = check.getKey().split(" (?=\\w+$)");
            JsonNode actual = switch (key[0]) {
                case "says" -> body.path("message");
                case "warns" -> Json.mapper().valueToTree(answer.warnings());
                case "body" -> Json.mapper().getNodeFactory().stringNode(text);
                default -> key[0].startsWith("/") ? at(body, key[0]) : null;
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
                assertThat(check.getKey()).isIn("is", "as", "impersonates", "accept", "type", "after", "why");
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
        return switch (client.rest.handle(request)) {
            case ApiResponse.Content content -> content;
            case ApiResponse.Stream stream -> {
                stream.feed().close();
                yield new ApiResponse.Content(200, "application/json", "{}".getBytes(UTF_8), List.of(), null);
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
        String plural = words.split("[/?]")[0];
        return ResourceRegistry.builtIn().all().stream().map(resource -> resource.type())
                .filter(type -> type.plural().equals(plural)).findFirst()
                .map(type -> (type.group().isEmpty() ? "/api/" : "/apis/" + type.group() + "/") + type.version()
                        + (type.namespaced() ? "/namespaces/default/" : "/") + words)
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
                } else if (expected.isString() && expected.asString().contains("…")) {
                    assertThat(shown).as(about).matches(Pattern.compile(Stream.of(expected.asString().split("…", -1))
                            .map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL));
                } else {
                    assertThat(actual).as(about).isEqualTo(Json.read(expected.toString()));
                }
            }
        }
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
        for (Map.Entry<String, JsonNode> value : values.entrySet()) {
            if (!value.getValue().isContainer()) {
                filled = filled.replaceAll("\\$" + Pattern.quote(value.getKey()) + "\\b",
                        Matcher.quoteReplacement(value.getValue().asString("")));
            }
        }
        return Json.mapper().getNodeFactory().stringNode(filled);
    }
}
