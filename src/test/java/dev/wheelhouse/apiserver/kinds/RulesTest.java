package dev.wheelhouse.apiserver.kinds;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.validation.Rules;

import static org.assertj.core.api.Assertions.assertThat;

class RulesTest {
    @Test
    void eachSetOfRulesIsReadable() {
        assertThat(Rules.names()).contains("PodSpec", "Deployment", "Deployment update", "Deployment status")
                .allSatisfy(Strategies.rules()::compile);
    }
}
