package dev.wheelhouse.api;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LabelSelectorTest {
    private static final Map<String, String> LABELS = Map.of("app", "web", "tier", "front", "rank", "5");

    @ParameterizedTest(name = "{0} matches: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            app=web                     | true
            app==web                    | true
            app = web , tier = front    | true
            app!=web                    | false
            other!=web                  | true
            app in (api, web)           | true
            app notin (api,web)         | false
            other notin (api)           | true
            app                         | true
            !app                        | false
            !other                      | true
            rank>4                      | true
            rank<5                      | false
            app>1                       | false
            app=web,tier=back           | false
            app=                        | false
            example.com/x=y             | false
            """)
    void aTextSelectorMatchesAsUpstream(String text, boolean matches) {
        LabelSelector selector = LabelSelector.parse(text);

        assertThat(selector.matches(LABELS)).isEqualTo(matches);
        assertThat(LabelSelector.parse(selector.toString())).isEqualTo(selector);
    }

    @ParameterizedTest
    @ValueSource(strings = {"app in", "app in (a", "=web", "app=web,", "app ~ web", "rank>x", "a=b=c", "(app)"})
    void aTextThatIsNoSelectorIsRefusedWithWhatWasExpected(String text) {
        assertThatThrownBy(() -> LabelSelector.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(".*(expected: |must be an integer).*");
    }

    @Test
    void noSelectorMatchesNothingAndAnEmptyOneEverything() {
        assertThat(LabelSelector.of((V1LabelSelector) null).matches(LABELS)).isFalse();
        assertThat(LabelSelector.of(new V1LabelSelector()).matches(null)).isTrue();
        assertThat(LabelSelector.parse("").isEverything()).isTrue();
    }

    @Test
    void anOperatorMustExistAndFitItsValues() {
        assertThatThrownBy(() -> LabelSelector.of(expression("Like", "a"))).hasMessageContaining("\"Like\"")
                .hasMessageContaining("NotIn");
        assertThatThrownBy(() -> LabelSelector.of(expression("In"))).hasMessageContaining("needs values");
        assertThatThrownBy(() -> LabelSelector.of(expression("Exists", "a"))).hasMessageContaining("takes no values");
    }

    private static V1LabelSelector expression(String operator, String... values) {
        return new V1LabelSelector().addMatchExpressionsItem(
                new V1LabelSelectorRequirement().key("app").operator(operator).values(List.of(values)));
    }

    @Test
    void aLargeSelectorIsCompiledOnceHoweverOftenHandlersAskForIt() {
        V1LabelSelector large = new V1LabelSelector();
        for (int i = 0; i < 1_000; i++) {
            large.addMatchExpressionsItem(new V1LabelSelectorRequirement().key("k" + i).operator("DoesNotExist"));
        }
        LabelSelector compiled = LabelSelector.of(large);
        assertThat(LabelSelector.of(large)).isSameAs(compiled);
        assertThat(compiled.matches(Map.of("k999", ""))).isFalse();
        assertThat(compiled.matches(Map.of("app", "web"))).isTrue();
        V1LabelSelector other = new V1LabelSelector().putMatchLabelsItem("app", "web");
        assertThat(LabelSelector.of(other.putMatchLabelsItem("tier", "a"))).hasToString("app=web,tier=a");
    }
}
