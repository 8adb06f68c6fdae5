package dev.wheelhouse.apiserver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

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

/** Everyday commands of the real kubectl on the whole service. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
@Tag("processes")
class KubectlOnServiceTest {
    private static final Duration SOON = Duration.ofMinutes(3);

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

    private void deploy(String name, int replicas) {
        ok("kubectl create deployment " + name + " --image=nginx:1.27 --replicas=" + replicas);
        assertThat(ok("kubectl rollout status deployment/" + name + " --timeout=180s"))
                .contains("successfully rolled out");
    }

    @Test
    void aDeploymentIsCreatedAndListedWithTheUsualColumns() {
        deploy("columns", 2);

        assertThat(ok("kubectl get deployment columns")).containsPattern("NAME +READY +UP-TO-DATE +AVAILABLE +AGE")
                .containsPattern("columns +2/2 +2 +2 +");
        assertThat(ok("kubectl get pods -l app=columns -o wide")).containsPattern(
                "NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES")
                .containsPattern("1/1 +Running +0");
        assertThat(ok("kubectl get nodes")).containsPattern("node-1 +Ready").containsPattern("node-2 +Ready");
    }

    @Test
    void aCronJobIsCreatedAndRunByHand() {
        ok("kubectl create cronjob rare --image=busybox --schedule='@yearly' -- echo done");
        assertThat(ok("kubectl get cronjob rare")).containsPattern(
                "NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE")
                .containsPattern("rare +@yearly +<none> +False +0 +<none> +");
        ok("kubectl create job by-hand --from=cronjob/rare");
        ok("kubectl wait --for=condition=Complete job/by-hand --timeout=180s");
        assertThat(ok("kubectl get job by-hand -o jsonpath='{.metadata.ownerReferences[0].name}'"))
                .isEqualTo("rare");
        assertThat(kubectl.run("create", "cronjob", "never", "--image=busybox", "--schedule=61 * * * *").output())
                .contains(
                        "CronJob.batch \"never\" is invalid: spec.schedule: Invalid value: \"61 * * * *\": "
                                + "end of range "
                                + "(61) above maximum (59): 61");
    }

    @Test
    void historyUndoPauseResumeAndRestart() {
        deploy("history", 2);
        ok("kubectl set image deployment/history nginx=nginx:1.28");
        ok("kubectl annotate deployment/history kubernetes.io/change-cause='to 1.28' --overwrite");
        ok("kubectl rollout status deployment/history --timeout=180s");
        eventually("the change cause is in the history", SOON,
                () -> ok("kubectl rollout history deployment/history").matches("(?s).*1 +<none>.*2 +to 1.28.*"));
        assertThat(ok("kubectl rollout history deployment/history --revision=1")).contains("nginx:1.27");

        ok("kubectl rollout undo deployment/history");
        ok("kubectl rollout status deployment/history --timeout=180s");
        assertThat(ok("kubectl get deployment history -o jsonpath='{.spec.template.spec.containers[0].image}'"))
                .isEqualTo("nginx:1.27");

        ok("kubectl rollout pause deployment/history");
        ok("kubectl set image deployment/history nginx=nginx:1.29");
        assertThat(kubectl.run("rollout", "undo", "deployment/history").output()).contains("paused");
        ok("kubectl rollout resume deployment/history");
        ok("kubectl rollout status deployment/history --timeout=180s");
        ok("kubectl rollout restart deployment/history");
        assertThat(ok("kubectl rollout status deployment/history --timeout=180s")).contains("successfully rolled out");
        eventually("all pods are of the restart", SOON, () -> ok("kubectl get pods -l app=history "
                + "-o jsonpath='{range .items[*]}{.metadata.annotations}{\"\\n\"}{end}'").lines()
                .map(annotations -> annotations.contains("kubectl.kubernetes.io/restartedAt")).toList()
                .equals(List.of(true, true)));
    }

    @Test
    void aWatchShowsAScalingAsItHappens() {
        deploy("watched", 1);

        try (Kubectl.Running watch = kubectl.start("get", "deployment", "watched", "-w")) {
            watch.awaitOutput("watched +1/1");
            ok("kubectl scale deployment/watched --replicas=3");
            watch.awaitOutput("watched +3/3");

            assertThat(watch.output()).containsPattern("watched +1/3");
        }
    }

    @Test
    void describeTellsConditionsReplicaSetsAndEvents() {
        deploy("described", 2);

        eventually("the events are there", SOON, () -> ok("kubectl describe deployment described")
                .contains("Scaled up replica set described-"));
        assertThat(ok("kubectl describe deployment described"))
                .contains("Replicas:               2 desired | 2 updated | 2 total | 2 available")
                .contains("NewReplicaSetAvailable").contains("MinimumReplicasAvailable")
                .contains("NewReplicaSet:   described-");
        eventually("the events of the pods are there", SOON,
                () -> Stream.of("Successfully assigned default/described-", "Started")
                        .allMatch(ok("kubectl describe pods -l app=described")::contains));
        assertThat(ok("kubectl get events --field-selector involvedObject.kind=Deployment"))
                .contains("ScalingReplicaSet");
    }

    @Test
    void applyChangesOnlyWhatTheManifestChanged() {
        ok("kubectl apply -f examples/guestbook/redis.yaml");
        ok("kubectl scale deployment/redis-leader --replicas=1");
        assertThat(ok("kubectl apply -f examples/guestbook/redis.yaml"))
                .contains("deployment.apps/redis-leader unchanged");
        ok("kubectl rollout status deployment/redis-leader --timeout=180s");
        ok("kubectl delete -f examples/guestbook/redis.yaml");
        eventually("nothing of it is left", SOON,
                () -> ok("kubectl get deployments,replicasets,pods,services -l app=redis 2>&1")
                        .contains("No resources found"));
    }

    @Test
    void aCascadingDeleteTakesEverythingAndAnOrphaningOneLeavesIt() {
        deploy("cascade", 2);
        ok("kubectl delete deployment cascade --cascade=foreground --timeout=180s");
        assertThat(ok("kubectl get replicasets,pods -l app=cascade 2>&1")).contains("No resources found");

        deploy("background", 2);
        ok("kubectl delete deployment background --cascade=background --timeout=180s");
        eventually("nothing of it is left", SOON,
                () -> ok("kubectl get replicasets,pods -l app=background 2>&1").contains("No resources found"));

        deploy("orphans", 2);
        ok("kubectl delete deployment orphans --cascade=orphan --timeout=180s");
        assertThat(ok("kubectl get replicasets -l app=orphans -o jsonpath='{.items[*].metadata.ownerReferences}'"))
                .isEmpty();
        assertThat(ok("kubectl get pods -l app=orphans --no-headers").lines()).hasSize(2);
        ok("kubectl create deployment orphans --image=nginx:1.27 --replicas=2");
        ok("kubectl rollout status deployment/orphans --timeout=180s");
        assertThat(ok("kubectl get replicasets -l app=orphans --no-headers").lines()).as("the orphan is adopted again")
                .hasSize(1);
    }

    @Test
    void apiResourcesAndExplainKnowTheTypes() {
        assertThat(ok("kubectl api-resources")).containsPattern("deployments +deploy +apps/v1 +true +Deployment")
                .containsPattern("pods +po +v1 +true +Pod");
        assertThat(ok("kubectl explain deployment.spec.strategy")).contains("rollingUpdate");
        assertThat(ok("kubectl version")).contains("v1.36.0+wheelhouse");
    }

    @Test
    void aWrongManifestIsRefusedWithTheField() {
        Kubectl.Ran ran = kubectl.shell("kubectl create deployment bad --image=nginx --dry-run=client -o yaml | "
                + "sed 's/replicas: 1/replicaz: 1/' | kubectl apply -f -");

        assertThat(ran.code()).isNotZero();
        assertThat(ran.output()).contains("unknown field \"spec.replicaz\"");
    }

    @Test
    void aNamespaceIsDeletedWithAllThatIsInIt() {
        ok("kubectl create namespace doomed");
        ok("kubectl -n doomed create deployment web --image=nginx --replicas=2");
        ok("kubectl -n doomed create configmap settings --from-literal=a=b");
        ok("kubectl -n doomed rollout status deployment/web --timeout=180s");
        ok("kubectl delete namespace doomed --timeout=180s");

        assertThat(kubectl.run("get", "namespace", "doomed").output()).contains("NotFound");
    }
}
