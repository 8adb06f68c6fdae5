package dev.wheelhouse.apiserver.table;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HumanDurationTest {
    @ParameterizedTest
    @CsvSource({"PT-3S,<invalid>", "PT-2S,<invalid>", "PT-1.9S,0s", "PT0S,0s", "PT1.9S,1s", "PT119S,119s", "PT2M,2m",
            "PT2M1S,2m1s", "PT9M59S,9m59s", "PT10M,10m", "PT10M59S,10m", "PT2H59M59S,179m", "PT3H,3h", "PT3H1M,3h1m",
            "PT7H59M59S,7h59m", "PT8H,8h", "PT47H59M,47h", "PT48H,2d", "PT49H,2d1h", "P7DT23H,7d23h", "P8D,8d",
            "P8DT23H,8d", "P729D,729d", "P730D,2y", "P731D,2y1d", "P2919D,7y364d", "P2920D,8y", "P5000D,13y"})
    void spansOfTimeHaveAtMostTwoUnitsAndFewerAsTheyGrow(Duration duration, String text) {
        assertThat(HumanDuration.of(duration)).isEqualTo(text);
    }
}
