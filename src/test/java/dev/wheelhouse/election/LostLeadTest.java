package dev.wheelhouse.election;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.spring.LeadLostEvent;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** OtherProcessTest holds that a process which loses the lead ends with exit code 1. */
@Tag("full")
@Timeout(900)
class LostLeadTest {
    @TempDir
    private Path directory;

    @Test
    void aContextOfATestOutlivesTheLead() {
        AtomicInteger lost = new AtomicInteger();
        try (RunningService service = RunningService.start(directory, "--wheelhouse.leader-election.enabled=true",
                "--wheelhouse.leader-election.lease-duration=120s",
                "--wheelhouse.leader-election.renew-deadline=100s",
                "--wheelhouse.leader-election.retry-period=200ms")) {
            service.onEvent(LeadLostEvent.class, event -> lost.incrementAndGet());

            service.bean(KubeClient.class).resource(ResourceType.LEASES, V1Lease.class).patch(
                    ObjectKey.of("default", "wheelhouse"), "", PatchType.MERGE,
                    "{\"spec\": {\"holderIdentity\": \"another\"}}");

            eventually("the loss is published", Duration.ofMinutes(2), () -> lost.get() > 0);
            assertThat(service.isActive()).isTrue();
            assertThat(lost).hasValue(1);
        }
    }
}
