package dev.wheelhouse.api;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The forms of names. {@code L} is a label of 63 characters. */
class NamesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"a | true | true | true", "a-1 | true | true | true",
            "a. | false | false | false", "a.b | false | true | true", "a..b | false | false | true",
            "-a | false | false | false", "A_b | false | false | true", "L | true | true | true",
            "La | false | true | false", "L.L.L.L | false | false | false", "`` | false | false | false",
            "a.b/C | false | false | true", "a..b/C | false | false | false", "/C | false | false | false",
            "a/b/c | false | false | false"})
    void labelsSubdomainsAndKeysOfLabels(String name, boolean label, boolean subdomain, boolean key) {
        String full = name.replace("L", "x".repeat(63));
        assertThat(Names.isLabel(full)).isEqualTo(label);
        assertThat(Names.isSubdomain(full)).isEqualTo(subdomain);
        assertThat(Names.isLabelKey(full)).isEqualTo(key);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {"``, false", "My.value_1, true", "a/b, false", "a-, false"})
    void valuesOfLabelsThatAreNotEmpty(String value, boolean valid) {
        assertThat(Names.hasKeyForm(value)).isEqualTo(valid);
    }
}
