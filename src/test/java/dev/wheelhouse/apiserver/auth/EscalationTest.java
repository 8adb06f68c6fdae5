package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A user who grants rights must hold them; the check stays fast for huge roles. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EscalationTest {
    private static List<String> words(String word) {
        return IntStream.range(0, 300).mapToObj(i -> word + i).toList();
    }

    /** 300 verbs, groups, resources and names: 8,100,000,000 rights. */
    private static PolicyRule huge() {
        return new PolicyRule(words("v"), words("g"), words("r"), words("n"), List.of());
    }

    private static List<String> list(@Nullable String words) {
        return words == null ? List.of() : List.of(words.split(" "));
    }

    private static PolicyRule rule(String verbs, String groups, String resources, @Nullable String names) {
        return new PolicyRule(list(verbs), list(groups), list(resources), list(names), List.of());
    }

    @Test
    void aHugeRoleIsDecidedWithoutItsProduct() {
        assertThat(Escalation.missing(List.of(huge()), List.of(huge()))).isEmpty();
        assertThat(Escalation.missing(PolicyRule.EVERYTHING, List.of(huge()))).isEmpty();
        List<PolicyRule> perVerb = words("v").stream()
                .map(verb -> new PolicyRule(List.of(verb), words("g"), words("r"), List.of(), List.of())).toList();
        assertThat(Escalation.missing(perVerb, List.of(huge()))).isEmpty();
    }

    @Test
    void ofAHugeRoleThatIsMissingAnAnswerNamesWhatSomebodyMayRead() {
        List<PolicyRule> missing = Escalation.missing(List.of(), List.of(huge()));
        assertThat(missing).isNotEmpty().hasSizeLessThan(1_000);
        assertThat(missing.getFirst().verbs()).isEqualTo(words("v"));
    }

    @Test
    void oneRightThatIsMissingAmongMillionsIsFound() {
        List<PolicyRule> held = new ArrayList<>();
        held.add(new PolicyRule(words("v").subList(1, 300), words("g"), words("r"), words("n"), List.of()));
        held.add(new PolicyRule(List.of("v0"), words("g").subList(1, 300), words("r"), words("n"), List.of()));
        held.add(new PolicyRule(List.of("v0"), List.of("g0"), words("r").subList(1, 300), words("n"), List.of()));
        held.add(new PolicyRule(List.of("v0"), List.of("g0"), List.of("r0"), words("n").subList(1, 300), List.of()));
        assertThat(Escalation.missing(held, List.of(huge())))
                .containsExactly(rule("v0", "g0", "r0", "n0"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            get list   | apps * | pods/log | a   | get list | x     | pods/log    | a   |
            get        | *      | */scale  |     | get      | apps  | things/scale | b  |
            get        | *      | */scale  |     | get      | apps  | things/log  | \
                | {APIGroups:["apps"], Resources:["things/log"], Verbs:["get"]}
            *          | *      | pods     | a b | get      | ''    | pods        | \
                | {APIGroups:[""], Resources:["pods"], Verbs:["get"]}
            get list   | apps   | pods     | a b | list get watch | apps | pods  | b c \
                | {APIGroups:["apps"], Resources:["pods"], ResourceNames:["b"], Verbs:["watch"]}, \
            {APIGroups:["apps"], Resources:["pods"], ResourceNames:["c"], Verbs:["list" "get" "watch"]}
            """)
    void valuesAreCoveredAsTheyAreOneByOne(String verbs, String groups, String resources,
            @Nullable String names, String wantedVerbs, String wantedGroups, String wantedResources,
            @Nullable String wantedNames, @Nullable String missing) {
        List<PolicyRule> found = Escalation.missing(List.of(rule(verbs, groups, resources, names)),
                List.of(rule(wantedVerbs, wantedGroups, wantedResources, wantedNames)));
        assertThat(String.join(", ", found.stream().map(PolicyRule::toString).toList()))
                .isEqualTo(missing == null ? "" : missing);
    }
}
