package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.node.cri.proto.Cri.RuntimeCondition;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class RuntimeHealthTest {
    private final ManualClock clock = new ManualClock();
    private final RuntimeHealth health = new RuntimeHealth(clock);

    private static RuntimeCondition condition(String type, boolean status) {
        return RuntimeCondition.newBuilder().setType(type).setStatus(status).setReason("Why").setMessage("how").build();
    }

    @Test
    void aRuntimeThatHasNeverAnsweredIsDown() {
        health.failed("no connection to /s");
        assertThat(health.problem()).isEqualTo("container runtime is down: no connection to /s");
        health.answered(List.of());
        assertThat(health.problem()).isNull();
    }

    @Test
    void aRuntimeThatStartsAgainIsNotDown() {
        health.answered(List.of(condition("RuntimeReady", true)));
        health.failed("no connection to /s");
        clock.advance(RuntimeHealth.TOLERATED);
        assertThat(health.problem()).isNull();
        clock.advance(Duration.ofSeconds(1));
        assertThat(health.problem()).isEqualTo("container runtime is down: no connection to /s");
    }

    @Test
    void itsConditionsAreSaidAsKubeletSaysThem() {
        health.answered(List.of(condition("RuntimeReady", true), condition("NetworkReady", false),
                condition("Other", false)));
        assertThat(health.problem())
                .isEqualTo("container runtime network not ready: NetworkReady=false reason:Why message:how");
        health.answered(List.of(condition("RuntimeReady", false), condition("NetworkReady", false)));
        assertThat(health.problem())
                .isEqualTo("container runtime not ready: RuntimeReady=false reason:Why message:how");
    }
}
