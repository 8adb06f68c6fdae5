package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.runtime.Durations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes one word as a quantity, a duration, a resource version and a name of each format. The canonical form of a
 * quantity is stable and has the same value.
 */
public final class ScalarsTarget implements FuzzTarget {

    @Override
    public void run(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        BigDecimal value = Quantities.parse(text);
        String canonical = Quantities.canonical(text);
        assertThat(canonical == null).isEqualTo(value == null);
        if (canonical != null) {
            assertThat(Quantities.canonical(canonical)).as("canonical").isEqualTo(canonical);
            BigDecimal again = Quantities.parse(canonical);
            assertThat(again).as("the value of %s", canonical).isNotNull().isGreaterThanOrEqualTo(value.signum() < 0
                    ? again
                    : value);
        }
        Duration duration = Durations.parse(text);
        if (duration != null) {
            assertThat(duration).isBetween(Duration.ZERO, Duration.ofNanos(Long.MAX_VALUE));
            assertThat(Durations.saturatedNanos(duration)).isNotNegative();
        }
        if (ResourceVersions.isComparable(text)) {
            assertThat(ResourceVersions.compare(text, text)).isZero();
            assertThat(ResourceVersions.compare(text, text + "0")).isNegative();
        }
        Formats.dnsLabel(text);
        Formats.dnsSubdomain(text);
        Formats.qualifiedName(text);
        Formats.labelValue(text);
        Formats.configKey(text);
        Formats.environmentName(text);
        Formats.percent(text);
        Formats.portName(text);
        Formats.headerName(text);
        Formats.ip(text);
    }
}
