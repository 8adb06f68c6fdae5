package dev.wheelhouse.console;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectViewTest {
    /** The status of a custom resource without a schema is whatever its operator wrote. */
    @Test
    void conditionsOfAnyFormAreShown() {
        assertThat(ObjectView.conditions(Yaml.read("""
                {conditions: [{type: Ready, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'},
                  {type: Odd, status: 7, lastTransitionTime: yesterday}, {type: Odder, lastTransitionTime: {at: 1}}, 3]}
                """, JsonNode.class))).extracting(status -> status.type() + " " + status.status() + " " + status.at())
                .containsExactly("Ready True 1767225600000", "Odd  null", "Odder  null", "  null");
    }
}
