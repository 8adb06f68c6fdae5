package dev.wheelhouse.cel;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CelRuleTest {
    private static final JsonNode SCHEMA = Json
            .read("""
                    {"type": "object", "properties": {"n": {"type": "integer"}, "max": {"type": "number"},
                     "when": {"type": "string", "format": "date-time"}, "names": {"type": "array",
                      "items": {"type": "string"}},
                     "data": {"type": "string", "format": "byte"}, "a-b": {"type": "string"},
                      "namespace": {"type": "string"},
                     "map": {"type": "object", "additionalProperties": {"type": "integer"}},
                      "port": {"x-kubernetes-int-or-string": true}}}""");
    private static final JsonNode SELF = Json
            .read("""
                    {"n": 3, "max": 7, "when": "2026-01-02T03:04:05Z", "names": ["b", "a"], "data": "AAEC", "a-b": "x",
                     "namespace": "y",
                     "map": {"k-1": 1}, "port": "http", "metadata": {"name": "me", "labels": {"a": "b"}}}""");

    private static CelRule rule(String json) throws RuleException {
        return CelRule.compile(Json.read(json));
    }

    private static @Nullable String check(String rule) throws RuleException {
        return rule("{\"rule\": " + Json.mapper().writeValueAsString(rule) + "}")
                .check(CelValues.of(SELF, SCHEMA, true), null, CelBudget.ofValidations());
    }

    @ParameterizedTest
    @ValueSource(strings = {"self.n < self.max", "self.n == 3 && self.max == 7.0",
            "self.when < timestamp('2027-01-01T00:00:00Z')",
            "self.names.all(n, n.matches('^[a-z]$'))", "self.names.exists_one(n, n == 'a')", "size(self.data) == 3",
            "self.a__dash__b == 'x'", "self.__namespace__ == 'y'", "self.map['k-1'] == 1",
            "has(self.n) && !has(self.gone)",
            "self.port == 'http' || self.port > 80", "self.metadata.name.startsWith('m')", "!has(self.metadata.labels)",
            "self.names.map(n, n.upperAscii()) == ['B', 'A']", "sets.contains(self.names, ['a'])",
            "self.names.join('-') == 'b-a'", "self.?gone.orValue(1) == 1"})
    void aRuleHolds(String rule) throws RuleException {
        assertThat(check(rule)).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            self.n > 5        | failed rule: self.n > 5
            self.gone == 1 \
                | no such key: gone evaluating rule: self.gone == 1
            """)
    void aRuleThatDoesNotHoldSaysSo(String rule, String message) throws RuleException {
        assertThat(check(rule)).isEqualTo(message);
    }

    @Test
    void theMessageMayBeComputed() throws RuleException {
        CelRule rule = rule("""
                {"rule": "self.n > 5", "message": "too few", "messageExpression": "'only ' + string(self.n)"}""");
        assertThat(rule.check(CelValues.of(SELF, SCHEMA, true), null, CelBudget.ofValidations())).isEqualTo("only 3");
        assertThat(rule("""
                {"rule": "self.n > 5", "message": "too few", "messageExpression": "string(self.gone)"}""")
                .check(CelValues.of(SELF, SCHEMA, true), null, CelBudget.ofValidations())).isEqualTo("too few");
    }

    @Test
    void aTransitionRuleSeesTheValueBefore() throws RuleException {
        CelRule rule = rule("{\"rule\": \"self >= oldSelf\"}");
        assertThat(rule.needsOld()).isTrue();
        assertThat(rule.check(2L, 1L, CelBudget.ofValidations())).isNull();
        assertThat(rule.check(1L, 2L, CelBudget.ofValidations())).isEqualTo("failed rule: self >= oldSelf");
        CelRule optional = rule("""
                {"rule": "oldSelf.hasValue() ? self >= oldSelf.value() : self == 1", "optionalOldSelf": true}""");
        assertThat(optional.needsOld()).isFalse();
        assertThat(optional.check(1L, null, CelBudget.ofValidations())).isNull();
        assertThat(optional.check(2L, null, CelBudget.ofValidations())).isNotNull();
        assertThat(optional.check(2L, 1L, CelBudget.ofValidations())).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"self.n >", "unknown(self)", "other == 1", "1 + 1"})
    void aRuleThatIsNoRuleIsRefused(String rule) {
        assertThatThrownBy(() -> check(rule)).isInstanceOf(RuleException.class);
    }

    @Test
    void anEvaluationEndsHoweverMuchItIsAskedToDo() throws RuleException {
        String digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
        String rule = (digits + ".all(X, ").replace("X", "a") + (digits + ".all(X, ").replace("X", "b")
                + (digits + ".all(X, ").replace("X", "c") + (digits + ".all(X, ").replace("X", "d")
                + (digits + ".all(X, ").replace("X", "e") + (digits + ".all(X, true))))))").replace("X", "f");
        assertThat(check(rule)).contains("call cost exceeds limit for rule: ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"self.z == 1 | undefined field 'z'", "self.map.any == 1 | ",
            "self.names[0].x == 1 | does not support field selection",
            "self.metadata.labels.a == 'b' | undefined field 'labels'",
            "self.kind == 'K' && self.metadata.name == 'n' && has(self.a__dash__b) | ",
            "self.port.any == 1 || oldSelf.n == 1 | ", "oldSelf.gone == 1 | undefined field 'gone'",
            "self.?gone.orValue(1) == 1 | undefined field 'gone'", "self = 42 | Syntax error: ",
            "self.n > self.max | "})
    void aDefinitionIsToldOfFieldsThatItsSchemaDoesNotHave(String text, @Nullable String problem) {
        JsonNode rule = Json.object().put("rule", text);
        if (problem == null) {
            assertThatCode(() -> new CelRule.Checker(SCHEMA, true).rule(rule)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> new CelRule.Checker(SCHEMA, true).rule(rule)).isInstanceOf(RuleException.class)
                    .hasMessageContaining(problem);
        }
    }
}
