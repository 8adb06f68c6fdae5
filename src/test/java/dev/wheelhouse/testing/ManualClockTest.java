package dev.wheelhouse.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.operator.Context;
import dev.wheelhouse.operator.Request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A cluster whose time the test moves. */
@Isolated
class ManualClockTest {
    private static final String WEB = """
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

    /** Writes the time into a ConfigMap, once a minute. */
    static final class Clockwork extends PlantedBugs.ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            context.apply(WebsiteOperator.page(request.key().name(), context.now().toString()));
            return Result.requeueAfter(Duration.ofMinutes(1));
        }
    }

    private static TestServer serverWith(PlantedBugs.ByHand operator) {
        return TestServer.builder().crds(Website.class).operators(operator).manualClock().start();
    }

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

    @Test
    void whatBecomesDueHappensAtItsTime() {
        try (TestServer server = serverWith(new Clockwork())) {
            Instant start = server.clock().now();
            server.user().create(Website.of("blog", 1, null));
            server.settle();
            assertThat(written(server)).isEqualTo(start);

            server.advance(Duration.ofSeconds(150));

            assertThat(written(server)).isEqualTo(start.plusSeconds(120));
            assertThat(server.clock().now()).isEqualTo(start.plusSeconds(150));
        }
    }

    @Test
    void theClockAloneDoesNothingUntilTheServerSettles() {
        try (TestServer server = serverWith(new Clockwork())) {
            server.user().create(Website.of("blog", 1, null));
            server.settle();
            Instant first = written(server);

            server.clock().advance(Duration.ofMinutes(5));
            assertThat(written(server)).isEqualTo(first);
            server.settle();

            assertThat(written(server)).isEqualTo(first.plus(Duration.ofMinutes(5)));
        }
    }

    private static Instant written(TestServer server) {
        return Instant.parse(server.user().get(V1ConfigMap.class, "default", "blog").getData().get("index.html"));
    }

    @Test
    void aSystemThatDoesNotComeToRestIsDescribed() {
        try (TestServer server = serverWith(new PlantedBugs.NeverComesToRest())) {
            server.user().create(Website.of("blog", 1, null));

            assertThatThrownBy(server::settle).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("nothing comes to rest after 5000 rounds")
                    .hasMessageContaining("website-operator-0 (")
                    .hasMessageContaining("Most frequent requests: patch websites/status blog (");
        }
    }

    @Test
    void aReconcileThatBlocksEndsWithItsNameAndPlace() {
        CountDownLatch never = new CountDownLatch(1);
        PlantedBugs.ByHand operator = new PlantedBugs.ByHand() {
            @Override
            public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
                never.await();
                return Result.done();
            }
        };
        try (TestServer server = serverWith(operator)) {
            server.user().create(Website.of("blog", 1, "Hello"));
            assertThatThrownBy(() -> server.settle(Duration.ofMillis(300))).isInstanceOf(AssertionError.class)
                    .hasMessageMatching("nothing comes to rest within PT0.3S of real time. At the end "
                            + ".*website-operator.* was in dev.wheelhouse.testing.ManualClockTest.*");
            never.countDown();
            server.settle();
        }
    }

    @Test
    void clientsOverHttpSeeTheSameServer() throws Exception {
        try (TestServer server = TestServer.builder().manualClock().start()) {
            server.user().create(new V1ConfigMap().metadata(new V1ObjectMeta().name("mine")));

            assertThat(new CoreV1Api(server.apiClient()).readNamespacedConfigMap("mine", "default").execute()
                    .getMetadata().getCreationTimestamp().toInstant()).isEqualTo(server.clock().now());
        }
    }

    @Test
    void aDelayOfAFaultPassesOnTheManualClock() {
        try (TestServer server = TestServer.builder().manualClock().start()) {
            server.faults().on("list", "nodes").delay(Duration.ofHours(1));
            Instant before = server.clock().now();

            server.user().all(V1Node.class);

            assertThat(server.clock().now()).isEqualTo(before.plus(Duration.ofHours(1)));
        }
    }

    @Test
    void aServerWithTheSystemsClockSaysThatItsTimeCannotBeMoved() {
        try (TestServer server = TestServer.start()) {
            assertThatThrownBy(server::settle).isInstanceOf(IllegalStateException.class)
                    .hasMessage("settle() needs a manual clock: start the server with clock = MANUAL, or wait by"
                            + " Eventually");
        }
    }

    @Test
    void aUserCreatesReadsChangesAndDeletes() {
        try (TestServer server = TestServer.builder().crds(Website.class).manualClock().start()) {
            User user = server.user();
            user.create("""
                    apiVersion: example.com/v1
                    kind: Website
                    metadata: {name: b}
                    spec: {replicas: 1}
                    ---
                    apiVersion: v1
                    kind: Namespace
                    metadata: {name: a-team}
                    """);
            user.create(Website.of("a", 2, null));
            user.edit(Website.class, "default", "b", website -> website.setSpec(new Website.Spec(4, null)));
            user.editStatus(Website.class, "default", "b", website -> website.setStatus(new Website.Status(4, null)));

            assertThat(user.all(Website.class)).extracting(w -> w.getMetadata().getName()).isEqualTo(List.of("a", "b"));
            assertThat(user.get(Website.class, "default", "b").getStatus().readyReplicas()).isEqualTo(4);
            user.delete(Website.class, "default", "b");
            assertThat(user.find(Website.class, "default", "b")).isEmpty();
            assertThatThrownBy(() -> user.get(Website.class, "default", "b")).isInstanceOf(KubeApiException.class);
            assertThatThrownBy(() -> user.create("{apiVersion: example.com/v1, kind: Shop, metadata: {name: a}}"))
                    .hasMessage(
                            "the test's API server does not serve the kind \"Shop\" of \"example.com/v1\": create its"
                                    + " CustomResourceDefinition first");
        }
    }
}
