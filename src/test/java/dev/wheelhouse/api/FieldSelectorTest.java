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
    void every_term_must_hold() {
        Map<String, String> fields = Map.of("spec.nodeName", "n1", "status.phase", "Running");

        assertThat(matches("spec.nodeName=n1,status.phase!=Failed", fields)).isTrue();
        assertThat(matches("spec.nodeName==n1,status.phase!=Running", fields)).isFalse();
        assertThat(matches("", fields)).isTrue();
    }

    @Test
    void an_absent_field_is_the_empty_string() {
        assertThat(matches("spec.nodeName=", Map.of())).isTrue();
        assertThat(matches("spec.nodeName!=", Map.of())).isFalse();
    }

    @Test
    void escaped_commas_and_equals_signs_belong_to_the_value() {
        FieldSelector selector = FieldSelector.parse("a=x\\,y\\=z\\\\");

        assertThat(selector.requires("a")).isEqualTo("x,y=z\\");
        assertThat(FieldSelector.parse(selector.toString())).isEqualTo(selector);
    }

    @Test
    void a_term_without_an_operator_is_refused() {
        assertThatThrownBy(() -> FieldSelector.parse("a=b,spec")).hasMessageContaining("can't understand 'spec'");
    }
}
