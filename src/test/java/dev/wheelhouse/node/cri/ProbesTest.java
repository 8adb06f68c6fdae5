package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Container;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class ProbesTest {
    private final ManualClock clock = new ManualClock();
    private final List<String> told = new ArrayList<>();
    private String answer;

    private Probes probes(String spec, boolean wasReady) {
        return new Probes(Yaml.read("{name: c, " + spec + "}", V1Container.class), "id", Duration.ZERO, wasReady,
                (kind, probe) -> answer, new Probes.Listener() {
                    @Override
                    public void failed(String kind, String why) {
                        told.add(kind + " " + why);
                    }

                    @Override
                    public void changed() {
                        told.add("changed");
                    }
                }, clock);
    }

    private void pass(Probes probes, int seconds) {
        for (int i = 0; i < seconds; i++) {
            for (Probes.ProbeLoop loop : probes.loops()) {
                loop.step();
            }
            clock.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void withoutProbesAContainerIsReadyAtOnce() {
        Probes none = probes("image: x", false);
        assertThat(none.isStarted()).isTrue();
        assertThat(none.isReady()).isTrue();
    }

    @Test
    void readinessFollowsItsThresholdsInBothDirections() {
        Probes ready = probes("readinessProbe: {exec: {}, periodSeconds: 1, initialDelaySeconds: 2, "
                + "successThreshold: 2, failureThreshold: 2}", false);
        pass(ready, 3);
        assertThat(ready.isReady()).isFalse();
        pass(ready, 1);
        assertThat(ready.isReady()).isTrue();
        answer = "no";
        pass(ready, 1);
        assertThat(ready.isReady()).isTrue();
        pass(ready, 1);
        assertThat(ready.isReady()).isFalse();
        assertThat(told).containsExactly("changed", "Readiness no", "Readiness no", "changed");
    }

    @Test
    void aProbeThatCouldNotRunSaysNothing() {
        Probes live = probes("livenessProbe: {exec: {}, failureThreshold: 1}", false);
        answer = Prober.UNKNOWN;
        pass(live, 5);
        assertThat(live.fatal()).isNull();
        assertThat(told).isEmpty();
    }

    @Test
    void livenessWaitsForTheStartupProbeAndItsFailureIsTheEnd() {
        Probes both = probes("startupProbe: {exec: {}, periodSeconds: 1, failureThreshold: 9}, "
                + "livenessProbe: {exec: {}, periodSeconds: 1, failureThreshold: 3}", false);
        answer = "not yet";
        pass(both, 5);
        assertThat(both.isStarted()).isFalse();
        assertThat(both.fatal()).isNull();
        answer = null;
        pass(both, 1);
        assertThat(both.isStarted()).isTrue();
        answer = "dead";
        pass(both, 3);
        assertThat(both.fatal()).isNotNull();
        assertThat(both.fatalKind()).isEqualTo("liveness");
        assertThat(both.loops()).allMatch(loop -> loop.step() == Loop.IDLE);
    }

    @Test
    void aContainerThatWasReadyBeforeThisProcessStaysReadyUntilAProbeFails() {
        Probes adopted = probes("readinessProbe: {exec: {}, failureThreshold: 1}, startupProbe: {exec: {}}", true);
        assertThat(adopted.isReady()).isTrue();
        answer = "no";
        pass(adopted, 1);
        assertThat(adopted.isReady()).isFalse();
    }
}
