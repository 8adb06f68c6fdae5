package dev.wheelhouse.controllers.disruption;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A PodDisruptionBudget holds what kubectl evicts: controllers, a hollow node and the real kubectl together. */
@Timeout(600)
@Tag("processes")
class DisruptionBudgetTest {
    private static final Duration SOON = Duration.ofMinutes(3);

    @TempDir
    private Path home;

    @Test
    void drainTakesWhatTheBudgetAllowsAndNoMore() {
        try (TestServer server = TestServer.start(ApiServerOptions.defaults(), true, 1)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), home);
            kubectl.shell("kubectl create deployment web --image=web:v1 --replicas=2").succeeded();
            kubectl.shell("kubectl create poddisruptionbudget web --selector=app=web --min-available=1").succeeded();
            eventually("the budget allows one disruption", SOON, () -> kubectl
                    .run("get", "pdb", "web", "-o", "jsonpath={.status.disruptionsAllowed} of {.status.currentHealthy}")
                    .output().equals("1 of 2"));
            assertThat(kubectl.run("get", "pdb", "web").output())
                    .containsPattern("web +1 +N/A +1 +");

            try (Kubectl.Running drain = kubectl.start("drain", "node-1", "--ignore-daemonsets")) {
                drain.awaitOutput("Cannot evict pod as it would violate the pod's disruption budget\\.");
                eventually("one pod stays and its replacement waits for a node", SOON, () -> kubectl
                        .run("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].status.phase}").output()
                        .matches("Running Pending|Pending Running"));
                assertThat(drain.process().isAlive()).as("drain goes on: %s", drain.output()).isTrue();
            }
            assertThat(kubectl.run("get", "pdb", "web", "-o", "jsonpath={.status.disruptionsAllowed}").output())
                    .isEqualTo("0");

            kubectl.shell("kubectl uncordon node-1").succeeded();
            eventually("the budget is whole again", SOON, () -> kubectl
                    .run("get", "pdb", "web", "-o", "jsonpath={.status.disruptionsAllowed}").output().equals("1"));
        }
    }
}
