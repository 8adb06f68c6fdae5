package dev.wheelhouse.meters;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.meters.SharedGauge.Membership;
import dev.wheelhouse.meters.SharedGauge.Together;

import static org.assertj.core.api.Assertions.assertThat;

class SharedGaugeTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private record Held(double value) {}

    private Membership join(String name, Together together, Held held) {
        return SharedGauge.join(registry, SharedGauge.id(name, "", Tags.of("name", "a")), together, held, Held::value);
    }

    private double value(String name) {
        return registry.get(name).tag("name", "a").gauge().value();
    }

    @Test
    void theValuesOfItsObjectsAreTakenTogether() {
        Held two = new Held(2);
        Held three = new Held(3);
        Held unknown = new Held(Double.NaN);
        for (Held held : new Held[]{two, three}) {
            join("sum", Together.SUM, held);
            join("most", Together.MOST, held);
            join("known", Together.MOST_KNOWN, held);
            join("least", Together.LEAST, held);
        }
        join("known", Together.MOST_KNOWN, unknown);
        join("unknown", Together.MOST_KNOWN, unknown);

        assertThat(value("sum")).isEqualTo(5);
        assertThat(value("most")).isEqualTo(3);
        assertThat(value("known")).isEqualTo(3);
        assertThat(value("unknown")).isNaN();
        assertThat(value("least")).isEqualTo(2);
        assertThat(two.value + three.value + unknown.value).as("they are held until here").isNaN();
    }

    @Test
    void aGaugeStaysWithoutObjectsUnlessItIsRemovedWithItsLast() {
        Held two = new Held(2);
        Held three = new Held(3);
        Membership first = join("sum", Together.SUM, two);
        Membership second = join("sum", Together.SUM, three);
        first.remove();
        assertThat(value("sum")).isEqualTo(3);
        second.end();
        assertThat(value("sum")).isZero();
        second.remove();
        assertThat(registry.find("sum").gauge()).isNull();
        join("sum", Together.SUM, two);
        assertThat(value("sum")).isEqualTo(two.value);
    }

    @Test
    void aRegistryThatCountsNothingKeepsNothing() {
        Membership membership = SharedGauge.join(Meters.NONE, SharedGauge.id("none", "", Tags.empty()), Together.SUM,
                new Held(1), Held::value);
        membership.end();
        membership.remove();
        Meters.NONE.counter("none").increment();
        assertThat(Meters.NONE.getMeters()).isEmpty();
    }
}
