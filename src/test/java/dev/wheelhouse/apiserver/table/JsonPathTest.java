package dev.wheelhouse.apiserver.table;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** The values that a real API server shows in columns. */
class JsonPathTest {
    private static final JsonNode OBJECT = Json.read("""
            {"l": [1, 2, 3], "m": {"a": [1, "b"]}, "n": [{"x": 1, "y": "q"}, {"x": 2, "y": "r"}], "d.e": 5}""");

    private static String first(String path, JsonNode root) {
        return String.valueOf(new JsonPath(path).first(root));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            ".l[*] | 1", ".l[0:2] | 1", ".l[1:] | 2", ".l[:2] | 1", ".l[-2:-1] | 2", ".l[-1] | 3", ".l[1] | 2",
            ".l[3] | null", ".l[5:] | null", ".l[2:1] | null", ".m | {\"a\":[1,\"b\"]}", "..x | 1", ".n..y | \"q\"",
            "..a[1] | \"b\"", "..none | null", ".n[?(@.y==\"r\")].x | 2", ".n[?(@.y!=\"q\")].x | 2", ".d\\.e | 5",
            "['d.e'] | 5", ".n[*]['x'] | 1", ".none | null"})
    void aColumnShowsTheFirstValueThatItsPathFinds(String path, String value) {
        assertThat(first(path, OBJECT)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {".l[0,1]", ".n[?(@.x>1)].x", ".l[?(@)]", ".l[99999999999]", ".l[", ".m...a", "......a"})
    void aPathWithAnythingElseFindsNothing(String path) {
        assertThat(first(path, OBJECT)).isEqualTo("null");
    }

    @Test
    void aPathOfMoreThanAThousandCharactersFindsNothing() {
        String field = "f".repeat(999);
        JsonNode object = Json.read("{\"" + field + "\": 1, \"" + field + "f\": 2}");

        assertThat(first("." + field, object)).isEqualTo("1");
        assertThat(first("." + field + "f", object)).isEqualTo("null");
        assertThat(first(".\\.".repeat(100_000), object)).isEqualTo("null");
    }

    @Test
    void aPathThatDescendsAgainAndAgainTakesLinearWork() {
        String deep = "{\"a\":".repeat(200) + "1" + "}".repeat(200);

        assertThat(first("..a".repeat(60) + "..b", Json.read(deep))).isEqualTo("null");
    }
}
