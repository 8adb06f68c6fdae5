package dev.wheelhouse.operator.webhook;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

class JsonDiffTest {
    /** The original has a field x that the class of the method does not know, and that stays. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            // changed, found by its name
            "[{name: a, v: 1}, {name: b, v: 2}] | [{name: a, v: 1}, {name: b, v: 3}]"
                    + " | [{x: 0, name: a, v: 1}, {x: 1, name: b, v: 3}]",
            // moved and removed
            "[{name: a, v: 1}, {name: b, v: 2}] | [{name: b, v: 2}] | [{x: 1, name: b, v: 2}]",
            // new
            "[{name: a, v: 1}] | [{name: c, v: 4}, {name: a, v: 1}] | [{name: c, v: 4}, {x: 0, name: a, v: 1}]",
            // without names, of the same length
            "[{v: 1}, {v: 2}] | [{v: 1}, {v: 3}] | [{x: 0, v: 1}, {x: 1, v: 3}]"})
    void elementsOfAListKeepTheFieldsThatTheClassDoesNotKnow(String before, String after, String result) {
        JsonNode known = json(before);
        ArrayNode original = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < known.size(); i++) {
            var element = JsonNodeFactory.instance.objectNode().put("x", i);
            known.get(i).properties().forEach(field -> element.set(field.getKey(), field.getValue()));
            original.add(element);
        }

        ArrayNode patch = JsonDiff.patch(original, known, json(after));

        assertThat(patch.get(0).get("op").asString()).isEqualTo("replace");
        assertThat(patch.get(0).get("value")).isEqualTo(json(result));
    }

    private static JsonNode json(String text) {
        return ModelJson.read(text.replaceAll("(\\w+):", "\"$1\":").replaceAll(": (\\p{Alpha}\\w*)", ": \"$1\""),
                JsonNode.class);
    }

    @Test
    @Timeout(900)
    @Tag("full")
    void aLongListThatChangesWhollyIsNoMoreWorkThanItsLength() {
        ArrayNode before = JsonNodeFactory.instance.arrayNode();
        ArrayNode after = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 300_000; i++) {
            before.addObject().put("v", i);
            after.addObject().put("v", -1 - i);
        }

        assertThat(JsonDiff.patch(before, before, after).get(0).get("value")).isEqualTo(after);
    }
}
