package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.facts.BuiltInResource;

import static org.assertj.core.api.Assertions.assertThat;

class RulesTest {
    @Test
    void eachSectionOfColumnsIsOfAKind() {
        assertThat(BuiltInResource.all()).map(resource -> resource.type())
                .map(type -> type.group().isEmpty() ? type.kind() : type.kind() + "." + type.group())
                .containsAll(KindTable.sections().stream()
                        .filter(name -> !Set.of("custom resources", "Eviction.policy").contains(name)).toList());
    }

    @Test
    void eachSetOfRulesIsReadable() {
        assertThat(Rules.names()).contains("PodSpec", "Deployment", "Deployment update", "Deployment status")
                .allSatisfy(Strategies.rules()::compile);
    }
}
