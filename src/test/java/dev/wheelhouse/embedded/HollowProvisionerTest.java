package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The hollow provisioner beside the volume controllers. */
class HollowProvisionerTest {
    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;
    private static final ObjectKey DATA = ObjectKey.of("default", "data");
    private static final ObjectKey STANDARD = ObjectKey.cluster("standard");

    private final Cluster cluster = new Cluster();
    private final List<Loop> loops = new ArrayList<>();
    private final List<String> discarded = new ArrayList<>();

    HollowProvisionerTest() {
        loops.addAll(new HollowProvisioner(cluster.context(), discarded::add).loops());
        loops.addAll(new VolumeBinder(cluster.context()).loops());
        loops.addAll(new ClaimProtectionController(cluster.context()).loops());
        loops.addAll(new VolumeProtectionController(cluster.context()).loops());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(loops, Duration.ofSeconds(2));
    }

    private void defaultStorage() {
        Cluster.work(List.of(new DefaultStorage(cluster.client())));
    }

    private V1PersistentVolumeClaim claim() {
        return cluster.read(CLAIMS, DATA, V1PersistentVolumeClaim.class);
    }

    private void create(String rest) {
        cluster.create(CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {name: data, namespace: default}, spec: {accessModes: [ReadWriteOnce],
                 resources: {requests: {storage: 1Gi}}%s}}""", rest);
        settle();
    }

    private List<V1PersistentVolume> volumes() {
        return cluster.all(VOLUMES, V1PersistentVolume.class);
    }

    @Test
    void aServerWithoutClassesGetsADefaultOneOnce() {
        Loop storage = new DefaultStorage(cluster.client());
        Cluster.work(List.of(storage));
        V1StorageClass standard = cluster.read(ResourceType.STORAGE_CLASSES, STANDARD, V1StorageClass.class);
        assertThat(standard.getProvisioner()).isEqualTo("hollow.wheelhouse.dev/disk");
        assertThat(standard.getMetadata().getAnnotations())
                .containsEntry("storageclass.kubernetes.io/is-default-class", "true");

        cluster.remove(ResourceType.STORAGE_CLASSES, STANDARD);
        Cluster.work(List.of(storage));
        assertThat(cluster.exists(ResourceType.STORAGE_CLASSES, STANDARD)).isFalse();
    }

    @Test
    void aServerWithAClassKeepsItsOwn() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class,
                "{metadata: {name: mine}, provisioner: csi.example.com}");
        defaultStorage();

        assertThat(cluster.exists(ResourceType.STORAGE_CLASSES, STANDARD)).isFalse();
    }

    @Test
    void theClassIsMadeAsSoonAsTheServerAnswers() {
        cluster.requests.failNext("list storageclasses", 503, "ServiceUnavailable", "not yet");
        Loop storage = new DefaultStorage(cluster.client());
        assertThat(Cluster.step(storage)).isBetween(1L, Loop.IDLE - 1);
        Cluster.step(storage);

        assertThat(cluster.exists(ResourceType.STORAGE_CLASSES, STANDARD)).isTrue();
    }

    @Test
    void aClaimGetsAVolumeOfItsSizeAndIsBound() {
        defaultStorage();
        create("");

        assertThat(claim().getStatus().getPhase()).isEqualTo("Bound");
        assertThat(claim().getSpec().getStorageClassName()).isEqualTo("standard");
        assertThat(volumes()).singleElement().satisfies(volume -> {
            assertThat(volume.getMetadata().getName()).isEqualTo("pvc-" + claim().getMetadata().getUid());
            assertThat(volume.getSpec().getCapacity()).containsEntry("storage", Quantity.fromString("1Gi"));
            assertThat(volume.getSpec().getPersistentVolumeReclaimPolicy()).isEqualTo("Delete");
            assertThat(volume.getStatus().getPhase()).isEqualTo("Bound");
        });
        assertThat(cluster.eventTexts()).contains(
                "Normal Provisioning External provisioner is provisioning volume for claim \"default/data\"",
                "Normal ProvisioningSucceeded Successfully provisioned volume pvc-" + claim().getMetadata().getUid());
    }

    @Test
    void aClaimThatWaitsForAPodGetsNoVolumeBeforeTheSchedulerChoseANode() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, """
                {metadata: {name: late}, provisioner: hollow.wheelhouse.dev/disk,
                 volumeBindingMode: WaitForFirstConsumer}""");
        create(", storageClassName: late");
        assertThat(volumes()).isEmpty();

        cluster.edit(CLAIMS, V1PersistentVolumeClaim.class, DATA,
                claim -> claim.getMetadata().putAnnotationsItem("volume.kubernetes.io/selected-node", "node-1"));
        settle();
        assertThat(claim().getStatus().getPhase()).isEqualTo("Bound");
    }

    @Test
    void aClaimOfAnotherProvisionerIsLeftAlone() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class,
                "{metadata: {name: fast}, provisioner: csi.example.com}");
        create(", storageClassName: fast");
        cluster.create(CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {name: other, namespace: default}, spec: {accessModes: [ReadWriteOnce], storageClassName: '',
                 resources: {requests: {storage: 1Gi}}}}""");
        settle();

        assertThat(volumes()).isEmpty();
    }

    @Test
    void theVolumeIsDeletedWithItsClaim() {
        defaultStorage();
        create("");
        String volume = volumes().get(0).getMetadata().getName();
        cluster.delete(CLAIMS, DATA);
        settle();

        assertThat(cluster.exists(CLAIMS, DATA)).isFalse();
        assertThat(volumes()).isEmpty();
        assertThat(discarded).containsExactly(volume);
    }

    @Test
    void aVolumeThatIsToBeRetainedStays() {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, """
                {metadata: {name: kept}, provisioner: hollow.wheelhouse.dev/disk, reclaimPolicy: Retain}""");
        create(", storageClassName: kept");
        cluster.delete(CLAIMS, DATA);
        settle();

        assertThat(volumes()).singleElement()
                .satisfies(volume -> assertThat(volume.getStatus().getPhase()).isEqualTo("Released"));
        cluster.delete(VOLUMES, ObjectKey.of(volumes().get(0)));
        settle();
        assertThat(volumes()).isEmpty();
        assertThat(discarded).isEmpty();
    }

    @Test
    void aClaimThatRequestsMoreGrowsWithItsVolume() {
        defaultStorage();
        create("");
        cluster.edit(CLAIMS, V1PersistentVolumeClaim.class, DATA,
                claim -> claim.getSpec().getResources().putRequestsItem("storage", Quantity.fromString("3Gi")));
        settle();

        Quantity larger = Quantity.fromString("3Gi");
        assertThat(claim().getStatus().getCapacity()).containsEntry("storage", larger);
        assertThat(volumes()).singleElement()
                .satisfies(volume -> assertThat(volume.getSpec().getCapacity()).containsEntry("storage", larger));
        assertThat(cluster.eventTexts()).contains("Normal VolumeResizeSuccessful Resize volume succeeded");
    }

    @Test
    void oneClaimGetsOneVolumeWhenTheFirstCreationSeemsToFail() {
        defaultStorage();
        cluster.requests.failNext("create persistentvolumes", 504, "Timeout", "no answer");
        create("");
        settle();

        assertThat(claim().getStatus().getPhase()).isEqualTo("Bound");
        assertThat(volumes()).hasSize(1);
    }
}
