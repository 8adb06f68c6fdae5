package dev.wheelhouse.controllers.volume;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ModifyVolumeStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1VolumeAttributesClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims and volumes over time, as the API server shows them. */
class ClaimBehavioursTest {
    private static final String NO_CLASS = "storageClassName: ''";

    private final VolumeWorld world = new VolumeWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private List<String> events() {
        return world.cluster.eventTexts();
    }

    private List<String> writes() {
        return world.cluster.requests.writes();
    }

    @ParameterizedTest(name = "a claim with {0}, a volume with {1}")
    @CsvSource(delimiter = '|', value = {"storageClassName: fast | storageClassName: slow",
            "storageClassName: '' | storageClassName: slow",
            "storageClassName: '', accessModes: [ReadWriteMany] | storageClassName: ''",
            "storageClassName: '', volumeMode: Block | storageClassName: ''",
            "storageClassName: '', selector: {matchLabels: {tier: gold}} | storageClassName: ''",
            "storageClassName: '', volumeName: another | storageClassName: ''",
            "storageClassName: '' | storageClassName: '', claimRef: {namespace: default, name: other}"})
    void aVolumeThatDoesNotFitIsLeftAlone(String claim, String volume) {
        world.volume("disk", "1Gi", volume);
        world.settle();
        world.claim("data", claim);
        world.settle();

        assertThat(world.phase("data")).isEqualTo("Pending");
        assertThat(world.volumePhase("disk")).isEqualTo("Available");
    }

    @Test
    void claimsThatCompeteTakeDifferentVolumesWithoutAnyConflict() {
        for (int i = 0; i < 5; i++) {
            world.volume("disk-" + i, "1Gi", NO_CLASS);
        }
        world.settle();
        world.cluster.requests.take();
        for (int i = 0; i < 5; i++) {
            world.claim("data-" + i, NO_CLASS);
        }
        world.cluster.deliver();
        Cluster.work(world.loops);
        world.settle();

        assertThat(world.cluster.all(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class))
                .extracting(claim -> claim.getSpec().getVolumeName()).doesNotContainNull().doesNotHaveDuplicates();
        assertThat(writes()).hasSize(20);
    }

    @Test
    void aClaimThatWaitsForItsFirstPodIsNotBoundBeforeTheSchedulerChoseANode() {
        world.storageClass("late", "provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer");
        world.volume("disk", "1Gi", "storageClassName: late");
        world.claim("data", "storageClassName: late");
        world.settle();
        world.pod("web", "data", "");
        world.resync();
        world.pod("web-2", "data", "");
        world.resync();

        assertThat(world.phase("data")).isEqualTo("Pending");
        assertThat(events()).containsExactly(
                "Normal WaitForFirstConsumer waiting for first consumer to be created before binding",
                "Normal WaitForPodScheduled waiting for pod web to be scheduled",
                "Normal WaitForPodScheduled waiting for pods web,web-2 to be scheduled");

        world.cluster.edit(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class, VolumeWorld.DATA, claim -> claim
                .getMetadata().putAnnotationsItem("volume.kubernetes.io/selected-node", "node-1"));
        world.settle();
        assertThat(world.claim("data").getMetadata().getAnnotations())
                .containsEntry("volume.kubernetes.io/storage-provisioner", "csi.example.com");
    }

    private void bind(String reclaimPolicy) {
        world.volume("disk", "1Gi", NO_CLASS + ", persistentVolumeReclaimPolicy: " + reclaimPolicy);
        world.settle();
        world.claim("data", NO_CLASS);
        world.settle();
        assertThat(world.phase("data")).isEqualTo("Bound");
    }

    @Test
    void aClaimWhoseVolumeIsGoneIsLost() {
        bind("Retain");
        world.cluster.remove(VolumeWorld.VOLUMES, ObjectKey.cluster("disk"));
        world.settle();

        assertThat(world.phase("data")).isEqualTo("Lost");
        assertThat(world.claim("data").getStatus().getCapacity()).isNullOrEmpty();
        assertThat(events()).containsExactly(
                "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }

    @Test
    void aVolumeIsNotReleasedBecauseTheCacheOfClaimsIsOld() {
        bind("Retain");
        world.cluster.requests.take();
        world.cluster.forgetCaches();
        try (VolumeWorld ignored = world) {
            VolumeBinder binder = new VolumeBinder(world.cluster.context());
            world.cluster.deliver();
            world.cluster.withhold(VolumeWorld.CLAIMS);
            world.claim("late", NO_CLASS);
            world.volume("pvc-2", "1Gi", NO_CLASS + ", claimRef: {namespace: default, name: late, uid: "
                    + world.claim("late").getMetadata().getUid() + "}");
            world.cluster.settle(binder.loops());

            assertThat(world.volumePhase("pvc-2")).isEqualTo("Pending");
            assertThat(writes()).isEmpty();
        }
    }

    // ---- volumes that the controller empties and makes

    private static final ObjectKey RECYCLER = ObjectKey.of("default", "recycler-for-disk");

    private void recyclerEnds(String phase, String message) {
        world.cluster.edit(ResourceType.PODS, V1Pod.class, RECYCLER,
                pod -> pod.getStatus().phase(phase).message(message));
        world.settle();
    }

    @Test
    void aVolumeIsEmptiedByAPodAndIsAvailableAgain() {
        bind("Recycle");
        world.cluster.delete(VolumeWorld.CLAIMS, VolumeWorld.DATA);
        world.settle();
        assertThat(world.volumePhase("disk")).isEqualTo("Released");
        V1Pod pod = world.cluster.read(ResourceType.PODS, RECYCLER, V1Pod.class);
        assertThat(pod.getSpec().getActiveDeadlineSeconds()).isEqualTo(60);
        assertThat(pod.getSpec().getVolumes().getFirst().getHostPath().getPath()).isEqualTo("/data/disk");

        recyclerEnds("Failed", "no space");
        assertThat(world.volumePhase("disk")).isEqualTo("Failed");
        assertThat(world.volume("disk").getStatus().getMessage())
                .isEqualTo("Recycle failed: failed to recycle volume: no space");
        assertThat(world.cluster.read(ResourceType.PODS, RECYCLER, V1Pod.class).getMetadata().getUid())
                .isNotEqualTo(pod.getMetadata().getUid());

        recyclerEnds("Succeeded", null);
        assertThat(world.cluster.exists(ResourceType.PODS, RECYCLER)).isFalse();
        assertThat(world.volumePhase("disk")).isEqualTo("Available");
        assertThat(world.volume("disk").getSpec().getClaimRef()).isNull();
        assertThat(events()).contains("Warning VolumeFailedRecycle Recycle failed: failed to recycle volume: no space",
                "Normal VolumeRecycled Volume recycled");
    }

    @Test
    void aPodThatEmptiesAVolumeIsStartedAgainByTheNextProcess() {
        world.cluster.create(ResourceType.PODS, V1Pod.class,
                """
                        {metadata: {name: recycler-for-disk, namespace: default},
                         spec: {containers: [{name: a, image: a}]}}""");
        String old = world.cluster.read(ResourceType.PODS, RECYCLER, V1Pod.class).getMetadata().getUid();
        bind("Recycle");
        world.cluster.delete(VolumeWorld.CLAIMS, VolumeWorld.DATA);
        world.settle();

        assertThat(events())
                .contains("Warning VolumeFailedRecycle Recycle failed: old recycler pod found, will retry later");
        assertThat(world.cluster.read(ResourceType.PODS, RECYCLER, V1Pod.class).getMetadata().getUid())
                .isNotEqualTo(old);
    }

    @Test
    void aClaimOfTheDriverOfHostPathsGetsAVolumeThatGoesWithIt() {
        try (VolumeWorld own = new VolumeWorld(Options.DEFAULTS.with(
                new ControllerOptions.Drivers(true, ControllerOptions.Drivers.DEFAULTS.nfs(),
                        ControllerOptions.Drivers.DEFAULTS.hostPath())))) {
            own.storageClass("local", "provisioner: kubernetes.io/host-path");
            own.claim("data", "storageClassName: local");
            own.settle();

            String name = "pvc-" + own.claim("data").getMetadata().getUid();
            assertThat(own.phase("data")).isEqualTo("Bound");
            assertThat(own.volume(name).getSpec().getClaimRef().getName()).isEqualTo("data");
            assertThat(own.volume(name).getMetadata().getFinalizers()).contains("kubernetes.io/pv-controller");
            assertThat(own.cluster.measures).containsEntry(
                    "volume_operation_total_seconds{kubernetes.io/host-path,provision}", 0.0);

            own.cluster.delete(VolumeWorld.CLAIMS, VolumeWorld.DATA);
            own.settle();
            assertThat(own.volumeExists(name)).isFalse();
        }
    }

    // ---- metrics

    @Test
    void claimsAndVolumesAreCounted() {
        world.volume("disk", "2Gi", NO_CLASS);
        world.settle();
        world.claim("data", NO_CLASS);
        world.claim("other", "storageClassName: fast");
        world.settle();
        assertThat(world.cluster.measures).contains(Map.entry("pv_collector_unbound_pvc_count{default,fast,}", 1.0),
                Map.entry("pv_collector_bound_pvc_count{default,,}", 1.0),
                Map.entry("pv_collector_bound_pv_count{}", 1.0),
                Map.entry("pv_collector_total_pv_count{kubernetes.io/host-path,Filesystem}", 1.0));

        world.cluster.remove(VolumeWorld.CLAIMS, ObjectKey.of("default", "other"));
        world.settle();
        assertThat(world.cluster.measures).doesNotContainKey("pv_collector_unbound_pvc_count{default,fast,}");
    }

    @Test
    void aRequestThatCannotBeWrittenIsToldAndCounted() {
        world.storageClass("fast", "provisioner: csi.example.com");
        world.settle();
        world.cluster.requests.failNext("update persistentvolumeclaims", 500, "InternalError", "no");
        world.claim("data", "storageClassName: fast");
        world.settle();

        assertThat(events()).contains("Warning ProvisioningFailed Error saving claim: no");
        assertThat(world.cluster.measures)
                .containsEntry("volume_operation_errors_total{csi.example.com,provision}", 1.0);
    }

    // ---- protection

    @Test
    void aPodThatTheCacheDoesNotShowYetKeepsItsClaim() {
        bind("Retain");
        world.cluster.withhold(ResourceType.PODS);
        world.pod("web", "data", "node-1");
        world.cluster.delete(VolumeWorld.CLAIMS, VolumeWorld.DATA);
        world.settle();

        assertThat(world.claimExists("data")).isTrue();
    }

    @Test
    void onePodListServesAllClaimsOfANamespace() {
        for (int i = 0; i < 5; i++) {
            world.claim("data-" + i, NO_CLASS);
        }
        world.settle();
        world.cluster.requests.take();
        for (int i = 0; i < 5; i++) {
            world.cluster.delete(VolumeWorld.CLAIMS, ObjectKey.of("default", "data-" + i));
        }
        world.settle();

        assertThat(world.claimExists("data-0")).isFalse();
        assertThat(world.cluster.requests.take()).filteredOn(r -> r.startsWith("list pods")).hasSize(1);
    }

    @Test
    void claimsAndVolumesThatWereCreatedWithoutProtectionGetIt() {
        world.claim("example", NO_CLASS);
        world.cluster.store(VolumeWorld.CLAIMS, new V1PersistentVolumeClaim().spec(world.claim("example").getSpec())
                .metadata(new V1ObjectMeta().namespace("default").name("data")));
        world.volume("disk", "1Gi", NO_CLASS);
        world.cluster.edit(VolumeWorld.VOLUMES, V1PersistentVolume.class, ObjectKey.cluster("disk"),
                volume -> volume.getMetadata().setFinalizers(null));
        world.settle();

        assertThat(world.claim("data").getMetadata().getFinalizers()).containsExactly("kubernetes.io/pvc-protection");
        assertThat(world.volume("disk").getMetadata().getFinalizers()).containsExactly("kubernetes.io/pv-protection");
    }

    private void attributesClass(String name) {
        world.cluster.create(ResourceType.VOLUME_ATTRIBUTES_CLASSES, V1VolumeAttributesClass.class,
                "{metadata: {name: %s}, driverName: csi.example.com, parameters: {iops: '1'}}", name);
    }

    private boolean deletesAttributesClass(String name) {
        world.cluster.delete(ResourceType.VOLUME_ATTRIBUTES_CLASSES, ObjectKey.cluster(name));
        world.settle();
        return !world.cluster.exists(ResourceType.VOLUME_ATTRIBUTES_CLASSES, ObjectKey.cluster(name));
    }

    private void editsClaim(Consumer<V1PersistentVolumeClaim> change) {
        world.cluster.edit(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class, VolumeWorld.DATA, change);
    }

    /** Binds the claim to a volume whose class of attributes is the same. */
    private void bindWithAttributes(String name) {
        world.cluster.create(VolumeWorld.VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: disk}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
                 volumeAttributesClassName: %s, csi: {driver: csi.example.com, volumeHandle: a}}}""", name);
        world.settle();
        world.claim("data", NO_CLASS + ", volumeAttributesClassName: " + name);
        world.settle();
        assertThat(world.claim("data").getStatus().getCurrentVolumeAttributesClassName()).isEqualTo(name);
    }

    @Test
    void aClassOfAttributesIsKeptAsLongAsAClaimOrAVolumeUsesIt() {
        List.of("unused", "requested", "had", "target", "of-volume").forEach(this::attributesClass);
        bindWithAttributes("had");
        editsClaim(claim -> {
            claim.getSpec().setVolumeAttributesClassName("requested");
            claim.getStatus().setModifyVolumeStatus(new V1ModifyVolumeStatus().status("InProgress")
                    .targetVolumeAttributesClassName("target"));
        });
        world.cluster.edit(VolumeWorld.VOLUMES, V1PersistentVolume.class, ObjectKey.cluster("disk"),
                volume -> volume.getSpec().setVolumeAttributesClassName("of-volume"));
        world.settle();

        assertThat(deletesAttributesClass("unused")).isTrue();
        for (String used : List.of("requested", "had", "target", "of-volume")) {
            assertThat(deletesAttributesClass(used)).as(used).isFalse();
        }
        world.cluster.remove(VolumeWorld.CLAIMS, VolumeWorld.DATA);
        world.cluster.remove(VolumeWorld.VOLUMES, ObjectKey.cluster("disk"));
        world.settle();
        assertThat(world.cluster.all(ResourceType.VOLUME_ATTRIBUTES_CLASSES, V1VolumeAttributesClass.class)).isEmpty();
    }

    // ---- ephemeral volumes

    private void podWithScratch() {
        world.cluster.create(ResourceType.PODS, V1Pod.class,
                """
                        {metadata: {name: web, namespace: default}, spec: {containers: [{name: a, image: a:1}],
                         volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {metadata: {labels: {app: web}},
                          spec: {accessModes: [ReadWriteOnce], storageClassName: '',
                           resources: {requests: {storage: 1Gi}}}}}}]}}
                        """);
    }

    @Test
    void theClaimOfAnEphemeralVolumeIsMadeAgainAfterItsDeletion() {
        podWithScratch();
        world.settle();
        String uid = world.claim("web-scratch").getMetadata().getUid();
        world.cluster.requests.failNext("create persistentvolumeclaims", 500, "InternalError", "no");
        world.cluster.delete(VolumeWorld.CLAIMS, ObjectKey.of("default", "web-scratch"));
        world.settle();

        assertThat(world.claim("web-scratch").getMetadata().getUid()).isNotEqualTo(uid);
        assertThat(world.cluster.measures).contains(Map.entry("ephemeral_volume_controller_create_total{}", 3.0),
                Map.entry("ephemeral_volume_controller_create_failures_total{}", 1.0));
    }
}
