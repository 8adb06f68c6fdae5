package dev.wheelhouse.cel;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Expressions and patterns never cost more time and memory than upstream allows. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CelBudgetTest {
    private static final String EXCEEDED = "'operation cancelled: actual cost limit exceeded': no further validation "
            + "rules will be run due to call cost exceeds limit for rule: ";

    private static CelRule rule(String rule) throws RuleException {
        return CelRule.compile(Json.object().put("rule", rule));
    }

    private static final Object SELF = self();

    private static Object self() {
        ObjectNode self = Json.object().put("name", "a").put("text", "a".repeat(100_000));
        ArrayNode numbers = self.putArray("numbers");
        ArrayNode names = self.putArray("names");
        for (int i = 0; i < 20_000; i++) {
            numbers.add(i);
            names.add("n" + i);
        }
        return CelValues.of(self, Json.read("{\"properties\": {}}"), false);
    }

    private static @Nullable String check(String rule) throws RuleException {
        return rule(rule).check(SELF, null, CelBudget.ofValidations());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lists.range(100000000).size() > 0", "lists.range(9223372036854775807).size() > 0",
            "lists.range(900000).all(i, lists.range(900000).all(j, i >= 0))",
            "self.numbers.all(a, self.numbers.all(b, a + b >= 0))", "self.numbers.all(a, a in self.numbers)",
            "self.names.all(a, self.names.exists(b, a == b))",
            "lists.range(20000).map(i, self.text).map(t, t + t).size() > 0",
            "self.text.replace('', self.text).size() > 0", "self.text.replace('a', self.text).size() > 0",
            "lists.range(20000).map(i, self.text).join('-').size() > 0",
            "self.text.contains('a' + self.text + 'b')", "self.text.indexOf(self.text + 'b') > 0",
            "self.numbers.all(i, self.text.charAt(i) == 'a')", "self.numbers.all(i, size(self.text) > 0)",
            "self.numbers.all(i, !self.text.matches('(a|aa|b)*c'))",
            "sets.contains(self.numbers, self.numbers)", "lists.range(900000).sort().size() > 0",
            "[1].map(a, [a, a]).map(b, [b, b, b, b, b, b, b, b]).map(c, [c, c, c, c, c, c, c, c])"
                    + ".map(d, [d, d, d, d, d, d, d, d]).map(e, [e, e, e, e, e, e, e, e])"
                    + ".map(f, [f, f, f, f, f, f, f, f]).map(g, [g, g, g, g, g, g, g, g])"
                    + ".map(h, [h, h, h, h, h, h, h, h]).all(x, x == x && [x].flatten() == [x].flatten())",
            "true || self.numbers.all(a, self.numbers.all(b, a + b >= 0)) || lists.range(100000000).size() > 0 ? "
                    + "lists.range(100000000).size() > 0 || true : true"})
    @Tag("full")
    void anExpressionEndsAtItsBudget(String rule) throws RuleException {
        assertThat(check(rule)).isEqualTo(EXCEEDED + rule);
    }

    private static final String HUGE = "[1].map(a, [a, a]).map(b, [b, b, b, b, b, b, b, b])"
            + ".map(c, [c, c, c, c, c, c, c, c]).map(d, [d, d, d, d, d, d, d, d]).map(e, [e, e, e, e, e, e, e, e])"
            + ".map(f, [f, f, f, f, f, f, f, f]).map(g, [g, g, g, g, g, g, g, g]).map(h, [h, h, h, h, h, h, h, h])"
            + ".map(i, [i, i, i, i, i, i, i, i])";

    /** The list of such an expression has few parts, but contains each of them so often that hashing it never ends. */
    @ParameterizedTest
    @ValueSource(strings = {"dyn({1: 2})[dyn(x)] == 1", "dyn({1: 2})[?dyn(x)].hasValue()", "{dyn(x): 1}.size() == 1",
            "[1][dyn(x)] == 1", "dyn(x) ? true : false", "dyn(x)", "dyn(x) && dyn(x)", "dyn(x) || dyn(x)",
            "[1].all(y, dyn(x))", "[1].exists(y, dyn(x))", "[1].exists_one(y, dyn(x))",
            "[1].filter(y, dyn(x)).size() == 1", "[?dyn(x)].size() == 1", "{?1: dyn(x)}.size() == 1",
            "[1].transformMapEntry(k, y, {dyn(x): 1}).size() == 1"})
    void aListThatContainsItselfManyTimesIsNeitherAKeyNorACondition(String part) throws RuleException {
        assertThat(check(HUGE + ".all(x, " + part + ")")).contains("no such overload");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dyn(x) in {1: 2}", "dyn(x) in dyn({1: 2})", "string(dyn(x)) == ''", "int(dyn(x)) == 1",
            "dyn(x) + 1 == 1", "dyn(x) < 1", "-dyn(x) == 1", "!dyn(x)", "dyn(x).foo == 1", "has(dyn(x).foo)",
            "size(dyn(x)) == 0", "dyn(x).startsWith('a')", "{'a': x} == {'a': x}", "[x, x].distinct().size() == 1"})
    void aFunctionOfAListThatContainsItselfManyTimesEndsAtOnce(String part) throws RuleException {
        assertThat(check(HUGE + ".all(x, " + part + ")")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lists.range(50000).transformMap(i, v, v).size() > 0",
            "lists.range(50000).transformMapEntry(i, v, {v: v}).size() > 0"})
    void aMapThatGrowsEntryByEntryPaysForItsCopies(String rule) throws RuleException {
        assertThat(check(rule)).isEqualTo(EXCEEDED + rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"self.numbers.all(n, n >= 0)", "self.names.all(n, n.startsWith('n') && n.size() < 10)",
            "self.numbers.filter(n, n > 5).map(n, n + 1).size() == 19994", "self.text.matches('^a*$')",
            "self.text.replace('b', 'c') == self.text", "self.names.join(',').size() > 20000",
            "self.numbers.sum() > 0 && self.numbers.isSorted()",
            "self.numbers.map(n, n * 2).exists(n, n == 39998)",
            "lists.range(1000).transformMap(i, v, v * 2)[999] == 1998",
            "{?'a': optional.of(1), 'b': 2}.size() == 2 && [?optional.none(), 1][?0].hasValue()"})
    void anHonestExpressionOverALargeObjectHasBudgetEnough(String rule) throws RuleException {
        assertThat(check(rule)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "?optional.of(1)", "[1].all(x, true)", "1 == 1"})
    void anExpressionWhoseTypesTakeLongToCheckIsRefused(String element) {
        String rule = "[" + (element + ",").repeat(3_500) + "].size() > 0";
        assertThatThrownBy(() -> rule(rule)).isInstanceOf(RuleException.class)
                .hasMessageContaining("more than 3000 calls and empty lists and maps");
    }

    @ParameterizedTest
    @ValueSource(strings = {"y", "!@#"})
    void ofManyErrorsTheFirstOnesAreShown(String element) {
        String rule = "[" + (element + ",").repeat(9_000) + "].size() > 0";
        assertThatThrownBy(() -> rule(rule)).isInstanceOf(RuleException.class)
                .hasMessageContaining("more errors were truncated")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(4 * rule.length()));
    }

    @Test
    void theExpressionsAboutOneObjectShareABudget() throws RuleException {
        CelRule rule = rule("lists.range(900000).size() > 0");
        CelBudget budget = CelBudget.ofValidations();
        for (int i = 0; i < 11; i++) {
            assertThat(budget.isSpent()).as("after %d rules", i).isFalse();
            assertThat(rule.check(SELF, null, budget)).isNull();
        }
        rule.check(SELF, null, budget);
        assertThat(budget.isSpent()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"((a{100}){100}){100}", "(((((a{30}){30}){30}){30}){30})", "a{1001}", "(a{500}){3}",
            "(a{40,1000}b?)*(c{900}d{900}){2}"})
    void anExpressionThatStandsForAHugeMachineIsRefusedBeforeItIsBuilt(String pattern) {
        assertThatThrownBy(() -> UserPattern.of(pattern)).isInstanceOf(UserPattern.PatternException.class)
                .hasMessageStartingWith("error parsing regexp: invalid repeat count");
    }

    @Test
    void aLongOrDeepPatternIsRefused() {
        assertThatThrownBy(() -> UserPattern.of("a".repeat(10_001))).hasMessageContaining("expression too large");
        assertThatThrownBy(() -> UserPattern.of("(".repeat(2_000) + ")".repeat(2_000)))
                .hasMessageContaining("expression nests too deeply");
        assertThatThrownBy(() -> UserPattern.of("(a{1000}){1}".repeat(500))).hasMessageContaining("too large");
    }

    @ParameterizedTest
    @ValueSource(strings = {"^[a-z]([-a-z0-9]*[a-z0-9])?$", "[]a]{3}", "[^]{}(]{2}", "\\{a{2}", "a{,3}", "x{2,}",
            "[[:alpha:]]{2}", "(?i)(?P<n>a{10}){10}", "a{", "[\\]{]{5}"})
    void anHonestPatternIsTaken(String pattern) throws UserPattern.PatternException {
        assertThat(UserPattern.of(pattern).isIn("x")).isIn(true, false);
    }

    @Test
    void aSearchTakesTimeInProportionToTheText() throws UserPattern.PatternException {
        assertThat(UserPattern.of("a*a*a*b").isIn("a".repeat(1_000_000))).isFalse();
        assertThat(UserPattern.of("(a|a)*b").isIn("a".repeat(100_000) + "b")).isTrue();
    }
}
