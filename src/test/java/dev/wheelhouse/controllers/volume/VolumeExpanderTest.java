package dev.wheelhouse.controllers.volume;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims that request more than they have. */
class VolumeExpanderTest {
    private static final String FLEX = "flexVolume: {driver: example.com/disk}";

    private final Cluster cluster = new Cluster();
    private final VolumeExpander expander = new VolumeExpander(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(expander.loops(), Duration.ofSeconds(2));
    }

    /** A claim of 1 Gi that is bound to a volume. */
    private void bound(String source) {
        cluster.create(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {name: data, namespace: default}, spec: {accessModes: [ReadWriteOnce], volumeName: disk,
                 storageClassName: grows, resources: {requests: {storage: 1Gi}}},
                 status: {phase: Bound, capacity: {storage: 1Gi}}}""");
        cluster.create(VolumeWorld.VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: disk}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
                 storageClassName: grows, claimRef: {namespace: default, name: data, uid: %s}, %s}}""",
                claim().getMetadata().getUid(), source);
        cluster.create(ResourceType.STORAGE_CLASSES,
                V1StorageClass.class,
                "{metadata: {name: grows}, provisioner: csi.example.com, allowVolumeExpansion: true}");
        settle();
    }

    private V1PersistentVolumeClaim claim() {
        return cluster.read(VolumeWorld.CLAIMS, VolumeWorld.DATA, V1PersistentVolumeClaim.class);
    }

    private V1PersistentVolume volume() {
        return cluster.read(VolumeWorld.VOLUMES, ObjectKey.cluster("disk"), V1PersistentVolume.class);
    }

    private void request(String size) {
        cluster.edit(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class, VolumeWorld.DATA, claim -> claim.getSpec()
                .getResources().putRequestsItem("storage", Quantity.fromString(size)));
        settle();
    }

    private String conditions() {
        return claim().getStatus().getConditions().stream().map(c -> c.getType() + "=" + c.getStatus())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "a claim that requests {0} and has {1}, a volume of {2} with {3}: {4}")
    @CsvSource(delimiter = '|', value = {
            "1Gi | 1Gi | 1Gi | 'csi: {driver: a, volumeHandle: a}' | ''",
            "2Gi | 1Gi | 1Gi | 'csi: {driver: a, volumeHandle: a}' | ExternalExpanding",
            "2Gi | 1Gi | 1Gi | 'awsElasticBlockStore: {volumeID: vol-1}' | ExternalExpanding, patch_status "
                    + "PersistentVolumeClaim",
            "2Gi | 1Gi | 1Gi | 'flexVolume: {driver: a}' | patch_status PersistentVolumeClaim"})
    void aClaimThatRequestsMore(String requested, String has, String size, String source, String plan) {
        V1PersistentVolumeClaim claim = Yaml.read("""
                {metadata: {name: data, namespace: default, uid: c1, resourceVersion: '7'}, spec: {resources:
                 {requests: {storage: %s}}}, status: {phase: Bound, capacity: {storage: %s}}}"""
                .formatted(requested, has), V1PersistentVolumeClaim.class);
        V1PersistentVolume volume = Yaml.read("{metadata: {name: disk}, spec: {capacity: {storage: %s}, %s}}"
                .formatted(size, source), V1PersistentVolume.class);

        assertThat(ExpansionDecisions.decide(new ExpansionView(claim, volume, false, cluster.clock.now())).actions()
                .stream().map(action -> switch (action) {
                    case Action.Write write -> write.verb() + " " + write.type().kind();
                    case Action.Event event -> event.reason();
                    default -> action.toString();
                }).collect(Collectors.joining(", "))).isEqualTo(plan);
    }

    @ParameterizedTest(name = "{0}, grown {1}: {2}")
    @CsvSource(delimiter = '|', value = {
            "NodeResizePending | true | nothing", "NodeResizeInProgress | true | nothing",
            "NodeResizeInfeasible | true | patch_status PersistentVolumeClaim, patch PersistentVolume",
            "ControllerResizeInProgress | true | 3Gi", "ControllerResizeInfeasible | true | 3Gi",
            "NodeResizePending | false | 3Gi", "NodeResizeInfeasible | false | 3Gi",
            "ControllerResizeInfeasible | false | 2Gi"})
    void aFlexVolumeWhoseGrowthWasInterrupted(String phase, boolean grown, String expected) {
        V1PersistentVolumeClaim claim = Yaml.read("""
                {metadata: {name: data, namespace: default, uid: c1, resourceVersion: '7'}, spec: {resources:
                 {requests: {storage: 2Gi}}}, status: {phase: Bound, capacity: {storage: 1Gi}, allocatedResources:
                 {storage: 3Gi}, allocatedResourceStatuses: {storage: %s}}}""".formatted(phase),
                V1PersistentVolumeClaim.class);
        V1PersistentVolume volume = Yaml.read("{metadata: {name: disk}, spec: {capacity: {storage: %s}, %s}}"
                .formatted(grown ? "2Gi" : "1Gi", FLEX), V1PersistentVolume.class);
        List<Action> actions = ExpansionDecisions
                .decide(new ExpansionView(claim, volume, false, cluster.clock.now())).actions();

        String plan = actions.isEmpty()
                ? "nothing"
                : actions.size() > 1
                        ? actions.stream().map(Action.Write.class::cast).map(w -> w.verb() + " " + w.type().kind())
                                .collect(Collectors.joining(", "))
                        : ((Action.Write) actions.getFirst()).why().replace("it grows to ", "");
        assertThat(plan).isEqualTo(expected);
    }

    @Test
    void aSuccessorIsAskedByAnAnnotation() {
        bound("awsElasticBlockStore: {volumeID: vol-1}");
        request("2Gi");
        request("3Gi");

        assertThat(claim().getMetadata().getAnnotations()).containsEntry(ExpansionDecisions.RESIZER,
                "ebs.csi.aws.com");
        assertThat(cluster.requests.writes()).filteredOn(write -> write.startsWith("patch")).hasSize(1);
        assertThat(cluster.eventTexts()).contains("Normal ExternalExpanding CSI migration enabled for "
                + "kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc");
    }

    @Test
    void aFlexVolumeGrowsOnItsNode() {
        bound(FLEX);
        request("2Gi");

        assertThat(volume().getSpec().getCapacity().get("storage").toSuffixedString()).isEqualTo("2Gi");
        assertThat(volume().getMetadata().getAnnotations()).containsEntry(ExpansionDecisions.BEFORE_GROWTH, "1Gi");
        assertThat(conditions()).isEqualTo("Resizing=True, FileSystemResizePending=True");
        assertThat(claim().getStatus().getAllocatedResourceStatuses()).containsEntry("storage", "NodeResizePending");

        cluster.edit(VolumeWorld.CLAIMS, V1PersistentVolumeClaim.class, VolumeWorld.DATA, claim -> claim.getStatus()
                .putCapacityItem("storage", Quantity.fromString("2Gi")));
        settle();
        assertThat(volume().getMetadata().getAnnotations()).isNullOrEmpty();
    }

    @Test
    void aClaimOfAVolumeThatIsBoundToAnotherIsTriedAgain() {
        bound("csi: {driver: csi.example.com, volumeHandle: a}");
        cluster.edit(VolumeWorld.VOLUMES, V1PersistentVolume.class, ObjectKey.cluster("disk"),
                volume -> volume.getSpec().getClaimRef().setUid("other"));
        request("2Gi");
        assertThat(cluster.eventTexts()).isEmpty();

        cluster.edit(VolumeWorld.VOLUMES, V1PersistentVolume.class, ObjectKey.cluster("disk"),
                volume -> volume.getSpec().getClaimRef().setUid(claim().getMetadata().getUid()));
        cluster.clock.advance(Duration.ofMinutes(20));
        settle();
        assertThat(cluster.eventTexts())
                .contains("Normal ExternalExpanding waiting for an external controller to expand this PVC");
    }
}
