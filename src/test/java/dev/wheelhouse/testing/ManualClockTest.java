package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.apiserver.Faults;

import static dev.wheelhouse.testing.EmbeddedApiServer.TestClock.MANUAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A cluster whose time the test moves. */
class ManualClockTest {
    static final String WEB = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: 3
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: web, image: nginx}]}
            """;

    @Test
    void everythingHappensOnTheTestsThreadAndOnlyWhenItIsAskedTo() {
        try (TestServer server = TestServer.builder().controllers(true).nodes(2).manualClock().start()) {
            server.user().create(WEB);
            assertThat(server.user().all(V1Pod.class)).isEmpty();

            server.settle();
            assertThat(server.user().all(V1Pod.class)).hasSize(3);
            server.advance(Duration.ofSeconds(10));

            V1Deployment web = server.user().get(V1Deployment.class, "default", "web");
            assertThat(web.getStatus().getAvailableReplicas()).isEqualTo(3);
            assertThat(server.user().all(V1Node.class)).hasSize(2);
            assertThat(Thread.getAllStackTraces().keySet()).noneMatch(t -> t.getName().startsWith("controllers/"));
        }
    }
}
