package dev.wheelhouse.controllers.statefulset;

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

/** A StatefulSet as its user sees it: the controllers, the scheduler, hollow nodes and the real kubectl together. */
@Timeout(900)
@Tag("processes")
@Tag("full")
class StatefulSetRolloutTest {
    private static final String MANIFEST = """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: db}
            spec:
              replicas: 3
              serviceName: db
              selector: {matchLabels: {app: db}}
              template:
                metadata: {labels: {app: db}}
                spec: {containers: [{name: db, image: 'db:1', volumeMounts: [{name: data, mountPath: /data}]}]}
              volumeClaimTemplates:
              - metadata: {name: data}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            """;

    @TempDir
    private Path home;

    @Test
    void kubectlRollsAStatefulSetOutShowsItsHistoryRollsItBackAndScalesIt() {
        try (TestServer server = TestServer.start(ApiServerOptions.defaults(), true, 2)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), home);
            kubectl.shell("kubectl apply -f - <<'END'\n" + MANIFEST + "END").succeeded();
            assertThat(kubectl.shell("kubectl rollout status statefulset/db --timeout=180s").output())
                    .contains("partitioned roll out complete: 3 new pods have been updated");
            assertThat(kubectl.run("get", "statefulset", "db").output()).containsPattern("db +3/3");
            assertThat(kubectl.run("get", "pods", "-o", "name").output().split("\n")).containsExactly("pod/db-0",
                    "pod/db-1", "pod/db-2");
            assertThat(kubectl.run("get", "pvc", "-o", "jsonpath={.items[*].status.phase}").output())
                    .isEqualTo("Bound Bound Bound");

            kubectl.shell("kubectl set image statefulset/db db=db:2").succeeded();
            kubectl.shell("kubectl rollout status statefulset/db --timeout=180s").succeeded();
            assertThat(images(kubectl)).isEqualTo("db:2 db:2 db:2");
            assertThat(kubectl.run("rollout", "history", "statefulset/db").output())
                    .containsPattern("1 +<none>\\R2 +<none>");
            assertThat(kubectl.run("rollout", "history", "statefulset/db", "--revision=1").output())
                    .contains("db:1");

            kubectl.shell("kubectl rollout undo statefulset/db").succeeded();
            kubectl.shell("kubectl rollout status statefulset/db --timeout=180s").succeeded();
            assertThat(images(kubectl)).isEqualTo("db:1 db:1 db:1");
            assertThat(kubectl.run("rollout", "history", "statefulset/db").output())
                    .containsPattern("2 +<none>\\R3 +<none>");

            kubectl.shell("kubectl scale statefulset/db --replicas=1").succeeded();
            eventually("one pod is left", Duration.ofMinutes(4),
                    () -> kubectl.run("get", "pods", "-o", "name").output().strip().equals("pod/db-0"));
            assertThat(kubectl.run("get", "pvc", "-o", "name").output().split("\n")).hasSize(3);

            kubectl.shell("kubectl delete statefulset db --timeout=180s").succeeded();
            eventually("its pod and its revisions are gone", Duration.ofMinutes(4),
                    () -> kubectl.run("get", "pods,controllerrevisions", "-o", "name").output().isEmpty());
        }
    }

    private static String images(Kubectl kubectl) {
        return kubectl.run("get", "pods", "-l", "app=db", "-o", "jsonpath={.items[*].spec.containers[0].image}")
                .output();
    }
}
