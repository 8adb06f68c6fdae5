package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1CSIDriver;
import io.kubernetes.client.openapi.models.V1CSINode;
import io.kubernetes.client.openapi.models.V1CSIStorageCapacity;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods with claims, scheduled beside the volume binder. */
class SchedulingOfClaimsTest {
    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;
    private static final String LATE = "storageClassName: late";
    private static final String NO_CLASS = "storageClassName: ''";

    private final Cluster cluster = new Cluster();
    private final List<String> events = new ArrayList<>();
    private final Scheduler scheduler = new Scheduler(SchedulerConfig.DEFAULT, cluster.client(), cluster.informers(),
            name -> (type, object, fieldPath, eventType, reason, message) -> events
                    .add(eventType + " " + reason + " " + object.getMetadata().getName() + ": " + message),
            cluster.clock, Meters.NONE, 1, 2);
    private final List<Loop> loops = new ArrayList<>(scheduler.loops());

    SchedulingOfClaimsTest() {
        loops.addAll(new VolumeBinder(cluster.context()).loops());
        for (String name : List.of("node-1", "node-2")) {
            cluster.create(ResourceType.NODES, V1Node.class,
                    """
                            {metadata: {name: %1$s, labels: {kubernetes.io/hostname: %1$s}},
                             status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'},
                              conditions: [{type: Ready, status: 'True'}]}}""",
                    name);
        }
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, """
                {metadata: {name: late}, provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer}""");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(loops, Duration.ofSeconds(12));
    }

    private void claim(String name, String rest) {
        cluster.create(CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {name: %s, namespace: default}, spec: {accessModes: [ReadWriteOnce],
                 resources: {requests: {storage: 1Gi}}, %s}}""", name, rest);
    }

    private void volume(String name, String rest) {
        cluster.create(VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
                 hostPath: {path: /data}, %s}}""", name, rest);
        settle();
    }

    private static String on(String node) {
        return ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                + " operator: In, values: [" + node + "]}]}]}}";
    }

    private void pod(String name, String volume) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {name: %s, namespace: default}, spec: {containers: [{name: a, image: a:1}],
                 volumes: [{name: data, %s}]}}""", name, volume);
        settle();
    }

    private void podWithClaim(String name, String claim) {
        pod(name, "persistentVolumeClaim: {claimName: " + claim + "}");
    }

    private String nodeOf(String pod) {
        return cluster.json(ResourceType.PODS, ObjectKey.of("default", pod)).path("spec").path("nodeName")
                .asString("");
    }

    private V1PersistentVolumeClaim claim(String name) {
        return cluster.read(CLAIMS, ObjectKey.of("default", name), V1PersistentVolumeClaim.class);
    }

    private static String refusal(String pod, String why) {
        return "Warning FailedScheduling " + pod + ": 0/2 nodes are available: " + why
                + ". preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    }

    @Test
    void aPodWaitsForItsClaimToExistAndToBeBound() {
        podWithClaim("web", "data");
        assertThat(events).containsExactly(refusal("web", "persistentvolumeclaim \"data\" not found"));

        claim("data", NO_CLASS);
        settle();
        assertThat(events).last().isEqualTo(refusal("web", "pod has unbound immediate PersistentVolumeClaims"));
        assertThat(nodeOf("web")).isEmpty();

        volume("disk", NO_CLASS);
        cluster.clock.advance(Duration.ofSeconds(15));
        settle();
        assertThat(claim("data").getStatus().getPhase()).isEqualTo("Bound");
        assertThat(nodeOf("web")).isNotEmpty();
    }

    @Test
    void aPodGoesWhereItsBoundVolumeIs() {
        for (String node : List.of("node-1", "node-2")) {
            volume("disk-of-" + node, NO_CLASS + on(node));
            claim("data-of-" + node, NO_CLASS + ", volumeName: disk-of-" + node);
            settle();
            podWithClaim("web-of-" + node, "data-of-" + node);
            assertThat(nodeOf("web-of-" + node)).isEqualTo(node);
        }
    }

    @Test
    void aPodWhoseVolumeNoNodeReachesIsRefused() {
        volume("disk", NO_CLASS + on("node-9"));
        claim("data", NO_CLASS);
        settle();
        podWithClaim("web", "data");

        assertThat(events).containsExactly(refusal("web", "2 node(s) didn't match PersistentVolume's node affinity"));
    }

    @Test
    void aClaimThatIsDeletedOrLostIsRefused() {
        volume("disk", NO_CLASS);
        claim("data", NO_CLASS);
        settle();
        cluster.delete(CLAIMS, ObjectKey.of("default", "data"));
        podWithClaim("web", "data");
        assertThat(events).containsOnly(refusal("web", "persistentvolumeclaim \"data\" is being deleted"));

        events.clear();
        volume("other-disk", NO_CLASS);
        claim("other", NO_CLASS);
        settle();
        cluster.remove(VOLUMES, ObjectKey.cluster("other-disk"));
        settle();
        podWithClaim("web-2", "other");
        assertThat(events).contains(refusal("web-2",
                "persistentvolumeclaim \"other\" bound to non-existent persistentvolume \"other-disk\""));
    }

    @Test
    void anEphemeralVolumeIsWaitedFor() {
        pod("web", "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: "
                + "{storage: 1Gi}}}}}");
        assertThat(events).containsExactly(refusal("web", "waiting for ephemeral volume controller to create the "
                + "persistentvolumeclaim \"web-data\""));

        claim("web-data", NO_CLASS);
        settle();
        assertThat(events).last().isEqualTo(
                refusal("web", "PVC default/web-data was not created for pod default/web (pod is not owner)"));
    }

    @Test
    void aClaimThatWaitsForItsPodIsBoundOnTheNodeThatTheSchedulerPicks() {
        volume("disk-1", LATE + on("node-2"));
        claim("data", LATE);
        settle();
        assertThat(claim("data").getSpec().getVolumeName()).isNull();
        podWithClaim("web", "data");

        assertThat(claim("data").getSpec().getVolumeName()).isEqualTo("disk-1");
        assertThat(claim("data").getStatus().getPhase()).isEqualTo("Bound");
        assertThat(nodeOf("web")).isEqualTo("node-2");
    }

    @Test
    void twoPodsDoNotTakeOneVolume() {
        volume("disk-1", LATE);
        volume("disk-2", LATE);
        claim("data-1", LATE);
        claim("data-2", LATE);
        settle();
        cluster.requests.take();
        for (int i = 1; i <= 2; i++) {
            cluster.create(ResourceType.PODS, V1Pod.class, """
                    {metadata: {name: web-%1$d, namespace: default}, spec: {containers: [{name: a, image: a:1}],
                     volumes: [{name: data, persistentVolumeClaim: {claimName: data-%1$d}}]}}""", i);
        }
        cluster.deliver();
        Cluster.work(List.of(scheduler.loops().getFirst()));
        settle();

        assertThat(List.of(claim("data-1").getSpec().getVolumeName(), claim("data-2").getSpec().getVolumeName()))
                .containsExactlyInAnyOrder("disk-1", "disk-2");
        assertThat(List.of(nodeOf("web-1"), nodeOf("web-2"))).doesNotContain("");
        assertThat(cluster.requests.take()).filteredOn(request -> request.startsWith("update persistentvolumes "))
                .hasSize(2);
        assertThat(events).noneMatch(event -> event.contains("FailedScheduling"));
    }

    @Test
    void aProvisionerIsToldTheNodeAndThePodIsBoundAfterItsClaim() {
        claim("data", LATE);
        podWithClaim("web", "data");
        String node = claim("data").getMetadata().getAnnotations().get("volume.kubernetes.io/selected-node");
        assertThat(node).startsWith("node-");
        assertThat(nodeOf("web")).isEmpty();

        volume("pvc-1", LATE + on(node) + ", claimRef: {namespace: default, name: data, uid: "
                + claim("data").getMetadata().getUid() + "}");
        settle();
        assertThat(claim("data").getStatus().getPhase()).isEqualTo("Bound");
        assertThat(nodeOf("web")).isEqualTo(node);
    }

    @Test
    void aProvisionerThatFailsLetsTheSchedulerPickAgain() {
        claim("data", LATE);
        podWithClaim("web", "data");
        cluster.edit(CLAIMS, V1PersistentVolumeClaim.class, ObjectKey.of("default", "data"),
                claim -> claim.getMetadata().getAnnotations().remove("volume.kubernetes.io/selected-node"));
        settle();

        assertThat(events).contains("Warning FailedScheduling web: running PreBind plugin \"VolumeBinding\": binding "
                + "volumes: provisioning failed for PVC \"data\"");
        assertThat(claim("data").getMetadata().getAnnotations())
                .containsKey("volume.kubernetes.io/selected-node");
    }

    @Test
    void aClaimThatIsNeverBoundGivesThePlaceBackAfterTenMinutes() {
        claim("data", LATE);
        podWithClaim("web", "data");
        cluster.clock.advance(Duration.ofMinutes(10));
        settle();

        assertThat(events).contains("Warning FailedScheduling web: running PreBind plugin \"VolumeBinding\": binding "
                + "volumes: context deadline exceeded");
    }

    @Test
    void aNodeWithoutVolumeAndWithoutProvisionerIsRefused() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, """
                {metadata: {name: local}, provisioner: kubernetes.io/no-provisioner,
                 volumeBindingMode: WaitForFirstConsumer}""");
        claim("data", "storageClassName: local");
        podWithClaim("web", "data");
        assertThat(events).containsExactly(
                refusal("web", "2 node(s) didn't find available persistent volumes to bind"));

        volume("disk", "storageClassName: local" + on("node-1"));
        settle();
        assertThat(nodeOf("web")).isEqualTo("node-1");
    }

    @Test
    void theTopologiesOfAClassLimitTheNodes() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, """
                {metadata: {name: zonal}, provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer,
                 allowedTopologies: [{matchLabelExpressions: [{key: kubernetes.io/hostname, values: [node-2]}]}]}""");
        claim("data", "storageClassName: zonal");
        podWithClaim("web", "data");

        assertThat(claim("data").getMetadata().getAnnotations())
                .containsEntry("volume.kubernetes.io/selected-node", "node-2");
    }

    @Test
    void aClaimForOnePodIsNotSharedUntilThePodIsGone() {
        volume("disk", NO_CLASS + ", accessModes: [ReadWriteOncePod]");
        claim("data", NO_CLASS + ", accessModes: [ReadWriteOncePod]");
        settle();
        podWithClaim("first", "data");
        assertThat(nodeOf("first")).isNotEmpty();
        events.clear();
        podWithClaim("second", "data");
        assertThat(events).containsExactly("Warning FailedScheduling second: 0/2 nodes are available: 2 node(s) "
                + "unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
                + "in-use by another "
                + "pod. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.");

        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "first"));
        settle();
        assertThat(nodeOf("second")).isNotEmpty();
    }

    @Test
    void aNodeTakesAsManyVolumesAsItsDriverAllows() {
        for (String node : List.of("node-1", "node-2")) {
            cluster.create(Volumes.CSI_NODES, V1CSINode.class, """
                    {metadata: {name: %s}, spec: {drivers: [{name: csi.example.com, nodeID: %s,
                     allocatable: {count: 1}}]}}""", node, node);
        }
        for (int i = 1; i <= 3; i++) {
            claim("data-" + i, NO_CLASS);
            cluster.create(VOLUMES, V1PersistentVolume.class, """
                    {metadata: {name: disk-%1$d}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
                     csi: {driver: csi.example.com, volumeHandle: h%1$d}}}""", i);
            settle();
            podWithClaim("web-" + i, "data-" + i);
            cluster.clock.advance(Duration.ofSeconds(15));
            settle();
        }
        assertThat(List.of(nodeOf("web-1"), nodeOf("web-2"))).containsExactlyInAnyOrder("node-1", "node-2");
        assertThat(nodeOf("web-3")).isEmpty();
        assertThat(events).last().isEqualTo("Warning FailedScheduling web-3: 0/2 nodes are available: 2 node(s) exceed "
                + "max volume count. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming "
                + "pod.");

        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "web-1"));
        cluster.clock.advance(Duration.ofSeconds(15));
        settle();
        assertThat(nodeOf("web-3")).isNotEmpty();
    }

    @Test
    void aVolumeOfAZoneIsUsedThere() {
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("node-1"),
                node -> node.getMetadata().putLabelsItem("topology.kubernetes.io/zone", "a"));
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("node-2"),
                node -> node.getMetadata().putLabelsItem("topology.kubernetes.io/zone", "c"));
        claim("data", NO_CLASS);
        cluster.create(VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: disk, labels: {failure-domain.beta.kubernetes.io/zone: b__c}},
                 spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data}}}""");
        settle();
        podWithClaim("web", "data");
        cluster.clock.advance(Duration.ofSeconds(15));
        settle();
        assertThat(nodeOf("web")).isEqualTo("node-2");

        cluster.remove(ResourceType.NODES, ObjectKey.cluster("node-2"));
        podWithClaim("other", "data");
        assertThat(events).last().asString()
                .contains("0/1 nodes are available: 1 node(s) had no available volume zone.");
    }

    @Test
    void aNewVolumeIsMadeWhereItsDriverHasRoom() {
        cluster.create(Volumes.CSI_DRIVERS, V1CSIDriver.class,
                "{metadata: {name: csi.example.com}, spec: {storageCapacity: true}}");
        claim("data", LATE);
        podWithClaim("web", "data");
        assertThat(events).last().isEqualTo(refusal("web", "2 node(s) did not have enough free storage"));

        cluster.create(Volumes.CAPACITIES, V1CSIStorageCapacity.class, """
                {metadata: {name: small, namespace: default}, storageClassName: late, capacity: 500Mi,
                 nodeTopology: {matchLabels: {kubernetes.io/hostname: node-1}}}""");
        cluster.create(Volumes.CAPACITIES, V1CSIStorageCapacity.class, """
                {metadata: {name: large, namespace: default}, storageClassName: late, capacity: 5Gi,
                 nodeTopology: {matchLabels: {kubernetes.io/hostname: node-2}}}""");
        cluster.clock.advance(Duration.ofSeconds(15));
        settle();
        assertThat(claim("data").getMetadata().getAnnotations()).containsEntry(Volumes.SELECTED_NODE, "node-2");
    }
}
