package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The decisions about claims and volumes, without a server. */
class VolumeDecisionsTest {
    private static final String BOUND = "pv.kubernetes.io/bind-completed: 'yes'";

    /** @param rest more fields of the specification */
    private static V1PersistentVolumeClaim claim(String annotations, String rest, String phase) {
        return Yaml.read("""
                {metadata: {name: data, namespace: default, uid: c1, resourceVersion: '7', annotations: {%s}},
                 spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, %s},
                 status: {phase: %s}}""".formatted(annotations, rest, phase), V1PersistentVolumeClaim.class);
    }

    private static V1PersistentVolume volume(String annotations, String rest, String phase) {
        return Yaml.read(
                """
                        {metadata: {name: disk, uid: v1, resourceVersion: '3', annotations: {%s}},
                         spec: {capacity: {storage: 1Gi},
                         accessModes: [ReadWriteOnce], %s}, status: {phase: %s}}"""
                        .formatted(annotations, rest, phase),
                V1PersistentVolume.class);
    }

    private static String bindTo(String uid) {
        return "claimRef: {namespace: default, name: data, uid: " + uid + "}";
    }

    /** The writes and Events of all steps, each with the words that matter. */
    private static List<String> plan(ClaimView first) {
        List<String> plan = new ArrayList<>();
        ClaimView view = first;
        for (Step step = ClaimDecisions.decide(view);; step = ClaimDecisions.decide(view)) {
            step.actions().forEach(action -> plan.add(word(action)));
            if (!step.more()) {
                return plan;
            }
            for (KubernetesObject written : step.objects()) {
                view = view.after(written);
            }
        }
    }

    private static List<String> plan(VolumeView first) {
        List<String> plan = new ArrayList<>();
        VolumeView view = first;
        for (Step step = VolumeDecisions.decide(view);; step = VolumeDecisions.decide(view)) {
            step.actions().forEach(action -> plan.add(word(action)));
            if (step.waitsForClaim()) {
                plan.add("the claim goes on");
            }
            if (!step.more()) {
                return plan;
            }
            for (KubernetesObject written : step.objects()) {
                view = view.after(written);
            }
        }
    }

    private static String word(Action action) {
        return switch (action) {
            case Action.Write write -> write.verb() + " " + write.type().kind()
                    + (write.verb().equals("update_status") ? ": " + write.why() : "");
            case Action.Event event -> event.reason();
            case Action.RequireGone check -> "claim gone?";
            default -> action.toString();
        };
    }

    private static ClaimView view(V1PersistentVolumeClaim claim, @Nullable V1PersistentVolume volume) {
        return new ClaimView(claim, volume == null ? List.of() : List.of(volume), null, null, List.of(), true);
    }

    @ParameterizedTest(name = "a claim with {0}, a volume with {1}, {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "volumeMode: Filesystem | volumeMode: Filesystem | Available | update PersistentVolume, update_status "
                    + "PersistentVolume: it is Bound, update PersistentVolumeClaim, update_status "
                    + "PersistentVolumeClaim: it "
                    + "is Bound",
            "volumeMode: Filesystem | claimRef: {namespace: default, name: data, uid: c1} | Bound | update "
                    + "PersistentVolumeClaim, update_status PersistentVolumeClaim: it is Bound",
            "volumeMode: Filesystem | volumeMode: Filesystem | Pending | FailedBinding",
            "volumeMode: Filesystem | claimRef: {namespace: default, name: data, uid: c9} | Bound | FailedBinding",
            "volumeName: disk | claimRef: {namespace: default, name: data, uid: c9} | Bound | FailedBinding",
            "volumeName: disk | volumeMode: Block | Available | VolumeMismatch",
            "volumeName: other | volumeMode: Filesystem | Available | ''"})
    void aClaimThatIsNotBound(String claim, String volume, String phase, String plan) {
        assertThat(String.join(", ", plan(view(claim("", claim, "Pending"), volume("", volume, phase)))))
                .isEqualTo(plan);
    }

    @ParameterizedTest(name = "a claim in the phase {0}, a volume with {1}, {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "Bound | claimRef: {namespace: default, name: data, uid: c1} | Bound | ''",
            "Pending | claimRef: {namespace: default, name: data, uid: c1} | Bound | update_status "
                    + "PersistentVolumeClaim: it is Bound",
            "Bound | volumeMode: Filesystem | Available | update PersistentVolume, update_status "
                    + "PersistentVolume: it is "
                    + "Bound",
            "Bound | claimRef: {namespace: default, name: data, uid: c9} | Bound | update_status "
                    + "PersistentVolumeClaim: "
                    + "it is Lost, ClaimMisbound",
            "Lost | claimRef: {namespace: default, name: data, uid: c9} | Bound | ''"})
    void aClaimThatWasBound(String phase, String volume, String volumePhase, String plan) {
        V1PersistentVolumeClaim claim = claim(BOUND, "volumeName: disk", phase);
        V1PersistentVolume disk = volume("", volume, volumePhase);
        claim.getStatus().accessModes(List.of("ReadWriteOnce")).capacity(disk.getSpec().getCapacity());

        assertThat(String.join(", ", plan(view(claim, disk)))).isEqualTo(plan);
    }

    @Test
    void aClaimThatWasBoundAndHasNoVolumeIsLostOnce() {
        assertThat(plan(view(claim(BOUND, "volumeName: disk", "Bound"), null)))
                .containsExactly("update_status PersistentVolumeClaim: it is Lost", "ClaimLost");
        assertThat(plan(view(claim(BOUND, "volumeName: disk", "Lost"), null))).isEmpty();
    }

    @ParameterizedTest(name = "provisioner {0}, mode {1}, annotations {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "csi.example.com | Immediate | '' | update PersistentVolumeClaim, ExternalProvisioning",
            "csi.example.com | Immediate | volume.kubernetes.io/storage-provisioner: csi.example.com | "
                    + "ExternalProvisioning",
            "csi.example.com | WaitForFirstConsumer | '' | WaitForFirstConsumer",
            "csi.example.com | WaitForFirstConsumer | volume.kubernetes.io/selected-node: n | update "
                    + "PersistentVolumeClaim, ExternalProvisioning",
            "kubernetes.io/no-provisioner | Immediate | '' | ProvisioningFailed"})
    void aClaimWithAClass(String provisioner, String mode, String annotations, String plan) {
        V1StorageClass storageClass = Yaml.read("{metadata: {name: fast}, provisioner: %s, volumeBindingMode: %s}"
                .formatted(provisioner, mode), V1StorageClass.class);
        ClaimView view = new ClaimView(claim(annotations, "storageClassName: fast", "Pending"), List.of(), storageClass,
                null, List.of(), true);

        assertThat(String.join(", ", plan(view))).isEqualTo(plan);
    }

    @ParameterizedTest(name = "a volume with {0}, {1}, the claim {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "volumeMode: Filesystem | Pending | c1 | '' | update_status PersistentVolume: it is Available",
            "volumeMode: Filesystem | Available | c1 | '' | ''",
            "claimRef: {namespace: default, name: data} | Pending | c1 | '' | update_status PersistentVolume: it is "
                    + "Available",
            "claimRef: {namespace: default, name: data, uid: c1} | Available | c1 | '' | the claim goes on",
            "claimRef: {namespace: default, name: data, uid: c1} | Available | c1 | disk | update_status "
                    + "PersistentVolume: it is Bound",
            "claimRef: {namespace: default, name: data, uid: c1} | Bound | c1 | disk | ''",
            "claimRef: {namespace: default, name: data, uid: c1}, volumeMode: Block | Bound | c1 | '' | "
                    + "VolumeMismatch, "
                    + "VolumeMismatch",
            "claimRef: {namespace: default, name: data, uid: c1} | Bound | c1 | other | update PersistentVolume, "
                    + "update_status PersistentVolume: it is Available",
            "claimRef: {namespace: default, name: data, uid: c0} | Bound | c1 | '' | claim gone?, update_status "
                    + "PersistentVolume: it is Released",
            "claimRef: {namespace: default, name: data, uid: c0} | Released | c1 | '' | ''"})
    void aVolumeInThePhaseOfItsClaim(String volume, String phase, String uid, String named, String plan) {
        V1PersistentVolumeClaim claim = claim("", "volumeName: '" + named + "'", "Pending");
        claim.getMetadata().setUid(uid);

        assertThat(String.join(", ", plan(
                new VolumeView(volume("", volume + ", persistentVolumeReclaimPolicy: Retain", phase), claim))))
                .isEqualTo(plan);
    }

    @ParameterizedTest(name = "{0}, made by {1}, on {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "Retain | '' | hostPath: {path: /a} | ''",
            "Delete | '' | hostPath: {path: /a} | update_status PersistentVolume: it is Failed, VolumeFailedDelete",
            "Delete | '' | hostPath: {path: /tmp/a} | delete PersistentVolume",
            "Delete | '' | 'nfs: {server: a, path: /a}' | update_status PersistentVolume: it is Failed, "
                    + "VolumeFailedDelete",
            "Delete | '' | 'csi: {driver: a, volumeHandle: a}' | ''",
            "Delete | csi.example.com | hostPath: {path: /a} | ''",
            "Delete | kubernetes.io/gce-pd | hostPath: {path: /a} | ''",
            "Delete | kubernetes.io/host-path | hostPath: {path: /a} | update_status PersistentVolume: it is Failed, "
                    + "VolumeFailedDelete",
            "Recycle | '' | hostPath: {path: /a} | update_status PersistentVolume: it is Failed, VolumeFailedRecycle"})
    void aReleasedVolumeByItsReclaimPolicy(String policy, String provisioner, String source, String plan) {
        V1PersistentVolume volume = volume(
                provisioner.isEmpty() ? "" : "pv.kubernetes.io/provisioned-by: " + provisioner,
                source + ", persistentVolumeReclaimPolicy: " + policy + ", " + bindTo("c0"), "Released");

        assertThat(String.join(", ", plan(new VolumeView(volume, null)))).isEqualTo(plan);
    }

    @Test
    void aVolumeThatFailedIsTriedAgainWithoutAnotherWrite() {
        V1PersistentVolume volume = volume("",
                "hostPath: {path: /a}, persistentVolumeReclaimPolicy: Delete, " + bindTo("c0"), "Failed");

        assertThat(plan(new VolumeView(volume, null))).isEmpty();
    }
}
