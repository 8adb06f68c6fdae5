package dev.wheelhouse.client.http;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class HttpMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ManualClock clock = new ManualClock();
    private final HttpMeters meters = new HttpMeters(registry, clock);

    private double ttl() {
        return registry.get("rest.client.exec.plugin.ttl.seconds").gauge().value();
    }

    @Test
    void theTimeToLiveOfAPluginsCertificateIsInfiniteUntilThereIsOne() {
        assertThat(ttl()).isInfinite();

        meters.pluginCertificate(clock.now().plus(Duration.ofHours(1)), null);
        clock.advance(Duration.ofMinutes(10));

        assertThat(ttl()).isEqualTo(3000);
    }

    @Test
    void theAgeOfAReplacedCertificateIsRecorded() {
        Instant began = clock.now();
        meters.pluginCertificate(clock.now().plus(Duration.ofHours(1)), null);
        clock.advance(Duration.ofMinutes(20));
        meters.pluginCertificate(clock.now().plus(Duration.ofHours(1)), began);

        var ages = registry.get("rest.client.exec.plugin.certificate.rotation.age").summary();
        assertThat(ages.count()).isEqualTo(1);
        assertThat(ages.totalAmount()).isEqualTo(1200);
    }

    @Test
    void readsOfTheAuthoritiesAreCountedByResultAndReason() {
        meters.authorityRead("success", "updated");
        meters.authorityRead("failure", "read_error");
        meters.authorityRead("failure", "read_error");

        assertThat(registry.get("rest.client.transport.ca.reload").tags("result", "failure", "reason", "read_error")
                .counter().count()).isEqualTo(2);
    }
}
