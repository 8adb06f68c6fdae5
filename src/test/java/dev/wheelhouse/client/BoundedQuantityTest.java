package dev.wheelhouse.client;

import java.math.BigDecimal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.openapi.models.V1Node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BoundedQuantityTest {
    /** The canonical texts are those of upstream's {@code apimachinery/pkg/api/resource}. */
    @ParameterizedTest
    @CsvSource({"1Ei, 1Ei, 1152921504606846976", "11Pi, 11Pi, 12384898975268864", "1000Ei, 1000Ei, "
            + "1152921504606846976000", "1.1n, 2n, 0.000000002", "0.0000000001, 1n, 0.000000001",
            "1e-100, 1e-9, 0.000000001", "1.5Gi, 1536Mi, 1610612736", "0.5Ki, 512, 512", "-5Gi, -5Gi, -5368709120",
            "1000m, 1, 1", "1e3, 1e3, 1000", "12e6, 12e6, 12000000", "100E, 100E, 100000000000000000000",
            "9223372036854775807, 9223372036854775807, 9223372036854775807", "0Gi, 0, 0", "100m, 100m, 0.1"})
    void everyQuantityIsReadExactlyAndCanBeWritten(String text, String written, BigDecimal value) {
        Quantity quantity = BoundedQuantity.parse(text);
        assertThat(quantity.getNumber()).isEqualByComparingTo(value);
        assertThat(BoundedQuantity.text(quantity)).isEqualTo(written);
        assertThat(ModelJson.write(quantity)).isEqualTo('"' + written + '"');
    }

    @Test
    void anObjectWithAnyOfThemCanBeWrittenAfterItWasRead() {
        V1Node node = ModelJson
                .read("""
                        {"status": {"capacity": {"cpu": "1e100", "memory": "1Ei", "pods": "1.1n", "a": "-0.1Ki",
                         "b": "%sE"}}}"""
                        .formatted("1" + "0".repeat(82)), V1Node.class);
        assertThat(ModelJson.read(ModelJson.write(node), V1Node.class)).isEqualTo(node);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1e2147483647", "1e1000", "1 Gi", "--1", "1ki", "1e", "Ki"})
    void aTextThatIsNoQuantityOrStandsForTooManyDigitsIsRefused(String text) {
        assertThatThrownBy(() -> BoundedQuantity.parse(text)).isInstanceOf(QuantityFormatException.class);
    }
}
