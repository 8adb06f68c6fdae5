package dev.wheelhouse.api;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FieldSelectorTest {
    private static boolean matches(String text, Map<String, String> fields) {
        return FieldSelector.parse(text).matches(fields::get);
    }

    @Test
    void everyTermMustHold() {
        Map<String, String> fields = Map.of("spec.nodeName", "n1", "status.phase", "Running");

        assertThat(matches("spec.nodeName=n1,status.phase!=Failed", fields)).isTrue();
        assertThat(matches("spec.nodeName==n1,status.phase!=Running", fields)).isFalse();
        assertThat(matches("", fields)).isTrue();
    }

    @Test
    void anAbsentFieldIsTheEmptyString() {
        assertThat(matches("spec.nodeName=", Map.of())).isTrue();
        assertThat(matches("spec.nodeName!=", Map.of())).isFalse();
    }

    @Test
    void escapedCommasAndEqualsSignsBelongToTheValue() {
        FieldSelector selector = FieldSelector.parse("a=x\\,y\\=z\\\\");

        assertThat(selector.requires("a")).isEqualTo("x,y=z\\");
        assertThat(FieldSelector.parse(selector.toString())).isEqualTo(selector);
    }

    @Test
    void aTermWithoutAnOperatorIsRefused() {
        assertThatThrownBy(() -> FieldSelector.parse("a=b,spec")).hasMessageContaining("can't understand 'spec'");
    }
}
