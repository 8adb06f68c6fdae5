package dev.wheelhouse.apiserver.json;

import java.math.BigDecimal;
import java.math.BigInteger;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

class JsonNumbersTest {
    @Test
    void normalizedNumbersAreThoseOfTheValueWrittenAndReadAgain() {
        ObjectNode object = Json.object().put("int", 1L).put("negative", -3_000_000_000L).put("double", 1.5)
                .put("decimal", new BigDecimal("1.50")).put("large", new BigInteger("9".repeat(30)))
                .put("small", BigInteger.TWO).put("short", (short) 7).put("text", "é").putNull("null")
                .put("flag", true);
        object.putObject("inner").putArray("list").add(2L).addObject().put("deep", 3L);
        JsonNode readAgain = Json.read(Json.bytes(object));

        Json.normalizeNumbers(object);

        assertThat(object).isEqualTo(readAgain);
    }
}
