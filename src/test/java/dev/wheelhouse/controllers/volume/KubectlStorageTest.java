package dev.wheelhouse.controllers.volume;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RunningService;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Claims, and pods that end, with the real kubectl on the whole service. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
@Tag("processes")
@Tag("full")
class KubectlStorageTest {
    private static final Duration SOON = Duration.ofMinutes(4);

    @TempDir
    private static Path home;

    private RunningService service;
    private Kubectl kubectl;

    @BeforeAll
    void start() {
        service = RunningService.start(home);
        kubectl = Kubectl.orSkip(service.kubeconfig(), home);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String ok(String line) {
        return kubectl.shell(line).succeeded().output();
    }

    private void apply(String manifest) throws Exception {
        Path file = Files.writeString(home.resolve("manifest.yaml"), manifest);
        ok("kubectl apply -f " + file);
    }

    @Test
    void aClaimIsBoundAndItsDeletionWaitsForThePodThatUsesIt() throws Exception {
        assertThat(ok("kubectl get storageclass"))
                .containsPattern("standard \\(default\\) +hollow.wheelhouse.dev/disk");
        apply("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: web}
                spec:
                  containers: [{name: app, image: nginx}]
                  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
                """);
        ok("kubectl wait --for=jsonpath='{.status.phase}'=Bound pvc/data --timeout=180s");
        ok("kubectl wait --for=condition=Ready pod/web --timeout=180s");
        assertThat(ok("kubectl get pvc data")).containsPattern("data +Bound +pvc-[0-9a-f-]+ +1Gi +RWO +standard");
        assertThat(ok("kubectl get pv")).containsPattern("1Gi +RWO +Delete +Bound +default/data +standard");

        ok("kubectl delete pvc data --wait=false");
        assertThat(ok("kubectl get pvc data")).containsPattern("data +Terminating");
        ok("kubectl delete pod web");
        ok("kubectl wait --for=delete pvc/data --timeout=180s");
        eventually("the volume is deleted", SOON, () -> ok("kubectl get pv -o name").isBlank());
    }

    @Test
    void aPodThatEndsIsWaitedFor() {
        ok("kubectl run once --image=busybox --restart=Never -- sh -c 'echo working; sleep 1'");
        ok("kubectl wait --for=jsonpath='{.status.phase}'=Succeeded pod/once --timeout=180s");
        ok("kubectl run broken --image=busybox --restart=Never --command -- sh -c 'exit 3'");
        ok("kubectl wait --for=jsonpath='{.status.phase}'=Failed pod/broken --timeout=180s");

        assertThat(ok("kubectl get pod once broken")).containsPattern("once +0/1 +Completed")
                .containsPattern("broken +0/1 +Error");
    }

    @Test
    void aJobCompletesAsItsCommandSays() {
        ok("kubectl create job migrate --image=busybox -- sh -c 'echo migrating; sleep 1'");
        ok("kubectl wait --for=condition=complete job/migrate --timeout=180s");

        assertThat(ok("kubectl get job migrate")).containsPattern("migrate +Complete +1/1");
    }
}
