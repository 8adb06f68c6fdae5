package dev.wheelhouse.election;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The whole service with shards, in one process that leads all of them. */
@Tag("full")
@Timeout(900)
class ShardedServiceTest {
    @TempDir
    private Path directory;

    private static String get(RunningService service, String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(service.actuator() + path)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void rolloutsOfAllNamespacesCompleteAndTheEndpointsShowTheShards() throws Exception {
        try (RunningService service = RunningService.start(directory, "--wheelhouse.shards=3",
                "--wheelhouse.leader-election.lease-duration=120s",
                "--wheelhouse.leader-election.renew-deadline=100s",
                "--wheelhouse.leader-election.retry-period=200ms")) {
            AppsV1Api apps = new AppsV1Api(service.api());
            for (String namespace : new String[]{"a", "zoo", "team-1"}) {
                new CoreV1Api(service.api()).createNamespace(new V1Namespace()
                        .metadata(new V1ObjectMeta().name(namespace))).execute();
                V1Deployment web = Workloads.web();
                web.getMetadata().setNamespace(namespace);
                apps.createNamespacedDeployment(namespace, web).execute();
            }
            for (String namespace : new String[]{"a", "zoo", "team-1"}) {
                eventually("web is available in " + namespace, Duration.ofMinutes(2), () -> Integer.valueOf(3).equals(
                        apps.readNamespacedDeployment("web", namespace).execute().getStatus().getAvailableReplicas()));
                assertThat(get(service, "/plan/deployment/" + namespace + "/web")).contains("\"object\":\"" + namespace
                        + "/web\"");
            }
            assertThat(get(service, "/health")).contains("\"shards\":\"[0, 1, 2] of 3\"",
                    "\"deployment-controller-shard-0-of-3\":\"running\"",
                    "\"deployment-controller-shard-2-of-3\":\"running\"", "\"namespace-controller\":\"running\"")
                    .doesNotContain("\"deployment-controller\":", "\"namespace-controller-shard");
            assertThat(get(service, "/prometheus").lines())
                    .filteredOn(line -> line.startsWith("workqueue_depth{") && line.contains("\"deployment\""))
                    .as("one series for all shards").hasSize(1);
            assertThat(get(service, "/prometheus").lines())
                    .filteredOn(line -> line.matches("leader_election_master_status.*-shard-.* 1.0")).hasSize(3);
        }
    }

    @Test
    void shardsWithoutAnElectionAreRefused() {
        assertThatThrownBy(() -> RunningService.start(directory, "--wheelhouse.shards=3",
                "--wheelhouse.leader-election.enabled=false").close()).hasStackTraceContaining(
                        "wheelhouse.shards is 3, but wheelhouse.leader-election.enabled is false");
    }
}
