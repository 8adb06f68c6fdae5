package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

    @Test
    void theWorkOfALongSelectorDoesNotGrowWithItsLength() {
        AtomicInteger looks = new AtomicInteger();
        Map<String, String> labels = new HashMap<>(LABELS) {
            private static final long serialVersionUID = 1;

            @Override
            public String get(Object key) {
                looks.incrementAndGet();
                return super.get(key);
            }
        };
        for (String term : List.of("!k%d", "app!=k%d", "rank>-%d", "k%d notin (a)")) {
            LabelSelector selector = LabelSelector.parse(IntStream.range(1, 5_000).mapToObj(term::formatted)
                    .collect(Collectors.joining(",")));
            assertThat(selector.matches(labels)).as(term).isTrue();
        }
        assertThat(looks.get()).isLessThan(100);
    }

    /** A short selector is evaluated one requirement at a time, a long one by the labels of the object. */
    @Test
    void aLongSelectorMatchesWhatItsPartsMatch() {
        RandomGenerator random = new Random(7);
        List<String> terms = List.of("a", "!a", "a=1", "a!=1", "a in (1,2)", "a notin (2,3)", "a>1", "a<3");
        int matches = 0;
        for (int round = 0; round < 20_000; round++) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String key = "" + "bcdefghijk".charAt(random.nextInt(10));
                parts.add(terms.get(random.nextInt(4) == 0 ? random.nextInt(8) : 3).replaceAll("\\ba\\b", key));
            }
            Map<String, String> labels = new HashMap<>();
            for (char key = 'b'; key <= 'k'; key++) {
                if (random.nextInt(3) > 0) {
                    labels.put("" + key, "" + (random.nextInt(3) + 1));
                }
            }
            boolean each = parts.stream().allMatch(part -> LabelSelector.parse(part).matches(labels));
            assertThat(LabelSelector.parse(String.join(",", parts)).matches(labels)).as("%s on %s", parts, labels)
                    .isEqualTo(each);
            matches += each ? 1 : 0;
        }
        assertThat(matches).isBetween(100, 19_900);
    }
}
