package dev.wheelhouse.testing;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;

import io.kubernetes.client.openapi.models.V1Deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A property lets a test run on a cluster: here on another embedded server. */
@Isolated("sets a property of the system")
class OnAClusterTest {
    private final TestServer cluster = TestServer.builder().controllers(true).nodes(1).start();

    @BeforeEach
    void name() {
        System.setProperty(TestServer.CLUSTER, cluster.kubeconfig().toString());
    }

    @AfterEach
    void close() {
        System.clearProperty(TestServer.CLUSTER);
        cluster.close();
    }

    @Test
    void operatorsRunOnTheClusterAndItIsAsBeforeAtTheEnd() {
        try (TestServer server = TestServer.builder().crds(Website.class).operators(new WebsiteOperator()).start()) {
            server.user().create(Website.of("blog", 2, "Hello"));
            Eventually.eventually("two replicas are ready", Duration.ofSeconds(60),
                    () -> server.user().get(Website.class, "default", "blog").getStatus().readyReplicas() == 2);
            assertThat(cluster.user().find(V1Deployment.class, "default", "blog")).isPresent();
            assertThat(server.url()).isEqualTo(cluster.url());
            assertThatThrownBy(server::faults).isInstanceOf(TestAbortedException.class)
                    .hasMessageContaining("this test needs the embedded server, and wheelhouse.test.kubeconfig names");
            // The garbage collector of a cluster learns of a new type after some seconds. Of an owner whose type came
            // and went before, it never hears.
            server.user().delete(Website.class, "default", "blog");
            collected();
            server.user().create(Website.of("blog", 1, "Hello"));
            Eventually.eventually("there is another Deployment", Duration.ofSeconds(60),
                    () -> cluster.user().find(V1Deployment.class, "default", "blog").isPresent());
        }
        assertThatThrownBy(() -> cluster.user().all(Website.class)).hasMessageContaining("404");
        collected();
    }

    private void collected() {
        Eventually.eventually("the garbage collector has removed the Deployment", Duration.ofSeconds(60),
                () -> cluster.user().find(V1Deployment.class, "default", "blog").isEmpty());
    }

    @Test
    void aTestThatMovesTheTimeIsSkipped() {
        assertThatThrownBy(() -> TestServer.builder().manualClock().start()).isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("a manual clock");
    }
}
