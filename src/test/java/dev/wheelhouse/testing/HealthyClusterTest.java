package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.Sizes;

import static org.assertj.core.api.Assertions.assertThat;

/** A busy cluster that is well has no problems: not during rollouts, Jobs, drains, and nodes that come and go. */
@Tag("sized")
class HealthyClusterTest {
    private static final Duration LOOK = Duration.ofSeconds(3);
    private static final String SET = """
            {apiVersion: apps/v1, kind: %1$s, metadata: {name: %2$s}, spec: {%3$s selector: {matchLabels: {app: %2$s}},
             template: {metadata: {labels: {app: %2$s}, annotations: {hollow.wheelhouse.dev/ready-delay: %4$ss,
              hollow.wheelhouse.dev/start-delay: 1s, hollow.wheelhouse.dev/stop-delay: 2s}},
              spec: {containers: [{name: main, image: "app:%5$s", resources: {requests: {cpu: 50m}}}]}}}}
            """;
    private static final String AROUND = """
            {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
             resources: {requests: {storage: 1Gi}}}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: LoadBalancer, selector: {app: web},
             ports: [{port: 80}]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {defaultBackend:
             {service: {name: web, port: {number: 80}}}}}
            ---
            {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {maxUnavailable: 1,
             selector: {matchLabels: {app: web}}}}
            ---
            {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: api}, spec: {minReplicas: 2,
             maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}}
            ---
            {apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "* * * * *", jobTemplate:
             {spec: {template: {spec: {restartPolicy: Never, containers: [{name: dump, image: busybox,
              command: [sleep, "20"]}]}}}}}}
            ---
            {apiVersion: example.com/v1, kind: Website, metadata: {name: blog}, spec: {replicas: 1}}
            """;
    private static final String JOB = """
            {apiVersion: batch/v1, kind: Job, metadata: {name: job-%d}, spec: {completions: 3, parallelism: 2,
             ttlSecondsAfterFinished: 60, template: {spec: {restartPolicy: Never, containers: [{name: main,
              image: busybox, command: [sh, -c, "echo working; sleep 5"]}]}}}}
            """;

    private final List<String> seen = new ArrayList<>();

    @Test
    void anHourOfWorkShowsNoProblem() {
        int minutes = Sizes.of("healthy.minutes", 12, 60, 240);
        try (WholeCluster cluster = new WholeCluster()) {
            cluster.advance(Duration.ofSeconds(5));
            cluster.apply(AROUND);
            for (int minute = 0; minute < minutes; minute++) {
                work(cluster, minute);
            }
        }
        assertThat(seen).isEmpty();
    }

    private void work(WholeCluster cluster, int minute) {
        cluster.apply(SET.formatted("Deployment", "web", "replicas: " + (4 + minute % 5) + ",", 5, minute));
        cluster.apply(SET.formatted("Deployment", "api", "", 2, minute / 7));
        cluster.apply(SET.formatted("StatefulSet", "db", "serviceName: db, replicas: 2,", 3, minute / 3));
        cluster.apply(SET.formatted("DaemonSet", "agent", "", 3, minute / 4));
        cluster.apply(JOB.formatted(minute));
        pass(cluster, 20);
        String node = "node-" + (minute % 3 + 1);
        if (minute % 2 == 0) {
            // Shorter than the time after which a node counts as silent.
            cluster.patch("nodes", "", node, stopped("\"true\""));
        } else {
            cluster.patch("nodes", "", node, "{\"spec\": {\"unschedulable\": true}}");
            cluster.delete("pods", "one");
        }
        pass(cluster, 15);
        cluster.patch("nodes", "", node, stopped("null"));
        cluster.patch("nodes", "", node, "{\"spec\": {\"unschedulable\": null}}");
        cluster.apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop-" + minute + "}}");
        cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: page, namespace: shop-" + minute + "}}");
        pass(cluster, 12);
        cluster.delete("namespaces", "shop-" + minute);
        pass(cluster, 13);
    }

    private static String stopped(String value) {
        return "{\"metadata\": {\"annotations\": {\"hollow.wheelhouse.dev/stopped\": " + value + "}}}";
    }

    /** Looks at the problems every three seconds. */
    private void pass(WholeCluster cluster, int seconds) {
        for (int i = 0; i < seconds; i += (int) LOOK.toSeconds()) {
            cluster.advance(LOOK);
            BrokenSituationsTest.lines(cluster).stream().filter(line -> !seen.contains(line)).forEach(seen::add);
        }
    }
}
