package dev.wheelhouse.manager;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Objects with the largest numbers and times of their types, as a server without validation may have them. */
class NumbersOfSpecsTest {
    private static final long MOST = Long.MAX_VALUE;
    private static final String TEMPLATE = """
            {metadata: {labels: {app: a}}, spec: {terminationGracePeriodSeconds: %1$d, activeDeadlineSeconds: %1$d,
             tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: %1$d}],
             containers: [{name: a, image: app, resources: {requests: {cpu: 1e100, memory: 1Ei}}}]}}""".formatted(MOST);
    private static final ResourceType CRON_JOBS = new ResourceType("batch", "v1", "cronjobs", "CronJob", true);
    private static final ResourceType BUDGETS = new ResourceType("policy", "v1", "poddisruptionbudgets",
            "PodDisruptionBudget", true);
    private static final String FAR = "'0001-01-01T00:00:00Z'";

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.JOBS);
    private final AllControllers all = new AllControllers(cluster, cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void store(ResourceType type, Class<? extends KubernetesObject> model, String yaml, Object... values) {
        cluster.store(type, Yaml.read(yaml.formatted(values), model));
    }

    @Test
    void noNumberAndNoTimeFailsTheSyncsOfItsObject() {
        all.settle();
        store(ResourceType.NODES, V1Node.class, """
                {metadata: {name: n}, spec: {taints: [{key: a, effect: NoExecute, timeAdded: %1$s}]},
                 status: {capacity: {cpu: 1e100, pods: 1e100, memory: 1Ei}, allocatable: {cpu: 1e100, pods: 1e100,
                 memory: 11Pi, ephemeral-storage: 1.1n}, conditions: [{type: Ready, status: 'True',
                 lastHeartbeatTime: %1$s, lastTransitionTime: %1$s}]}}""", FAR);
        store(ResourceType.NODES, V1Node.class, """
                {metadata: {name: m}, status: {capacity: {cpu: '0.0000000001', memory: 1e-100}}}""");
        store(ResourceType.JOBS, V1Job.class, """
                {metadata: {namespace: default, name: job}, spec: {activeDeadlineSeconds: %1$d, parallelism: 1,
                 completions: 1, backoffLimit: 2147483647, ttlSecondsAfterFinished: 2147483647,
                 selector: {matchLabels: {app: job}}, template: %2$s}, status: {startTime: '2026-01-01T00:00:00Z'}}""",
                MOST, TEMPLATE.replace("app: a", "app: job"));
        store(ResourceType.JOBS, V1Job.class, """
                {metadata: {namespace: default, name: past}, spec: {activeDeadlineSeconds: 1, parallelism: 1,
                 completions: 1, backoffLimit: 6, selector: {matchLabels: {app: past}}, template: %2$s},
                 status: {startTime: %1$s}}""", FAR, TEMPLATE.replace("app: a", "app: past"));
        store(CRON_JOBS, V1CronJob.class, """
                {metadata: {namespace: default, name: cron}, spec: {schedule: '* * * * *',
                 startingDeadlineSeconds: %1$d, jobTemplate: {spec: {template: %2$s}}},
                 status: {lastScheduleTime: %3$s}}""", MOST, TEMPLATE, FAR);
        store(CRON_JOBS, V1CronJob.class, """
                {metadata: {namespace: default, name: never}, spec: {schedule: '0 0 31 2 *',
                 startingDeadlineSeconds: %1$d, jobTemplate: {spec: {template: %2$s}}}}""", MOST, TEMPLATE);
        store(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: pod, labels: {app: a}, deletionTimestamp: '2026-01-01T00:00:00Z',
                 deletionGracePeriodSeconds: %1$d}, spec: {nodeName: n, activeDeadlineSeconds: %1$d,
                 terminationGracePeriodSeconds: %1$d, tolerations: [{operator: Exists, effect: NoExecute,
                 tolerationSeconds: %1$d}], containers: [{name: a, image: app, resources: {requests: {cpu: 1e100}}}]},
                 status: {phase: Running, startTime: %2$s, conditions: [{type: Ready, status: 'True',
                 lastTransitionTime: %2$s}, {type: DisruptionTarget, status: 'True', lastTransitionTime: %2$s}]}}""",
                MOST, FAR);
        for (String name : new String[]{"old", "young"}) {
            store(ResourceType.PODS, V1Pod.class, """
                    {metadata: {namespace: default, name: %1$s, labels: {app: rs}}, spec: {nodeName: n,
                     tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: %3$d}],
                     containers: [{name: a, image: app}]}, status: {phase: Running, startTime: %2$s,
                     conditions: [{type: Ready, status: 'True', lastTransitionTime: %2$s}]}}""", name,
                    name.equals("old") ? FAR : "'9999-12-31T00:00:00Z'", MOST);
        }
        store(ResourceType.REPLICA_SETS, V1ReplicaSet.class, """
                {metadata: {namespace: default, name: rs}, spec: {replicas: 1, minReadySeconds: 2147483647,
                 selector: {matchLabels: {app: rs}}, template: %s}}""", TEMPLATE.replace("app: a", "app: rs"));
        store(ResourceType.DEPLOYMENTS, V1Deployment.class, """
                {metadata: {namespace: default, name: d}, spec: {replicas: 1, minReadySeconds: 2147483647,
                 progressDeadlineSeconds: 2147483647, revisionHistoryLimit: 2147483647, strategy: {rollingUpdate:
                 {maxSurge: 2147483647, maxUnavailable: 2147483647}}, selector: {matchLabels: {app: d}},
                 template: %s}}""", TEMPLATE.replace("app: a", "app: d"));
        store(ResourceType.STATEFUL_SETS, V1StatefulSet.class, """
                {metadata: {namespace: default, name: sts}, spec: {replicas: 1, minReadySeconds: 2147483647,
                 serviceName: a, selector: {matchLabels: {app: sts}}, template: %s}}""",
                TEMPLATE.replace("app: a", "app: sts"));
        store(ResourceType.DAEMON_SETS, V1DaemonSet.class, """
                {metadata: {namespace: default, name: ds}, spec: {minReadySeconds: 2147483647,
                 selector: {matchLabels: {app: ds}}, template: %s}}""", TEMPLATE.replace("app: a", "app: ds"));
        store(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, """
                {metadata: {namespace: default, name: quota}, spec: {hard: {cpu: 1e100, requests.memory: 1Ei,
                 pods: 1e100, count/configmaps: 1.1n}}}""");
        store(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: pv}, spec: {capacity: {storage: 1Ei}, accessModes: [ReadWriteOnce],
                 persistentVolumeReclaimPolicy: Recycle, hostPath: {path: /a}, claimRef: {namespace: default,
                 name: gone, uid: u}}, status: {phase: Released}}""");
        store(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {namespace: default, name: claim}, spec: {accessModes: [ReadWriteOnce], storageClassName: '',
                 resources: {requests: {storage: 1e100}}}}""");
        store(ResourceType.SERVICES, V1Service.class, """
                {metadata: {namespace: default, name: svc}, spec: {selector: {app: rs}, ports: [{port: 80}],
                 trafficDistribution: PreferClose}}""");
        store(BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: pdb}, spec: {maxUnavailable: 2147483647, selector: {matchLabels:
                 {app: rs}}}, status: {disruptedPods: {old: %s, young: '9999-12-31T00:00:00Z'}, disruptionsAllowed: 0,
                 currentHealthy: 0, desiredHealthy: 0, expectedPods: 0}}""", FAR);
        all.settle();
        cluster.clock.advance(Duration.ofMinutes(5));
        all.settle();
        // The server refuses some of the writes, because it would not have accepted these objects.
        assertThat(all.failures().values())
                .allMatch(failure -> failure.contains(": 422 ") || failure.contains(": 403 "));
        assertThat(cluster.all(ResourceType.NODES, V1Node.class)).filteredOn(n -> n.getMetadata().getName().equals("m"))
                .singleElement().satisfies(m -> assertThat(m.getSpec().getTaints()).isNotEmpty());
    }
}
