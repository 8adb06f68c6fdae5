package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.RuleTables;

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

    @Test
    void rowsCallEachMethodOfThoseThatAreFoundByTheirNames() {
        String rows = Stream.of("rules.tsv", "warnings.tsv").map(RuleTables::read)
                .flatMap(table -> table.values().stream()).flatMap(List::stream).collect(Collectors.joining("\n"));

        assertThat(Strategies.CHECKS.names()).contains("handSize", "standardIp")
                .allMatch(name -> Pattern.compile("call[+!]?:" + name + "\\b").matcher(rows).find());
    }
}
