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
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The decisions about claims and volumes, without a server. */
class VolumeDecisionsTest {
    private static final Recycler.Work UNTOUCHED = new Recycler.Work(null, false, List.of(),
            ControllerOptions.Drivers.DEFAULTS);
    private static final String BOUND = "pv.kubernetes.io/bind-completed: 'yes'";

    /** @param rest more fields of the specification */
    private static V1PersistentVolumeClaim claim(String annotations, String rest, String phase) {
        return Yaml.read("""
                {metadata: {name: data, namespace: default, uid: c1, resourceVersion: '7', annotations: {%s}},
                 spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, %s},
                 status: {phase: %s}}""".formatted(annotations, rest, phase), V1PersistentVolumeClaim.class);
    }

    /** @param rest more fields of the specification, of which "for c1" is the reference to the claim with this uid */
    private static V1PersistentVolume volume(String annotations, String rest, String phase) {
        String fields = rest.replaceAll("for (c\\d)", "claimRef: {namespace: default, name: data, uid: $1}");
        return Yaml.read("""
                {metadata: {name: disk, uid: v1, resourceVersion: '3', annotations: {%s}},
                 spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], %s}, status: {phase: %s}}"""
                .formatted(annotations, fields, phase), V1PersistentVolume.class);
    }

    /** The writes and Events of all steps, each with the words that matter. */
    private static List<String> plan(ClaimView first) {
        List<String> plan = new ArrayList<>();
        ClaimView view = first;
        for (BindingStep step = ClaimDecisions.decide(view);; step = ClaimDecisions.decide(view)) {
            step.actions().forEach(action -> plan.add(word(action)));
            if (step.next() != BindingStep.Next.AGAIN) {
                return plan;
            }
            for (KubernetesObject written : objects(step)) {
                view = view.after(written);
            }
        }
    }

    private static List<String> plan(VolumeView first) {
        List<String> plan = new ArrayList<>();
        VolumeView view = first;
        for (BindingStep step = VolumeDecisions.decide(view);; step = VolumeDecisions.decide(view)) {
            step.actions().forEach(action -> plan.add(word(action)));
            if (step.next() == BindingStep.Next.CLAIM) {
                plan.add("the claim goes on");
            }
            if (step.next() != BindingStep.Next.AGAIN) {
                return plan;
            }
            for (KubernetesObject written : objects(step)) {
                view = view.after(written);
            }
        }
    }

    /** The objects that a step writes, as the server answers if it changes nothing. */
    private static List<KubernetesObject> objects(BindingStep step) {
        return step.actions().stream().<KubernetesObject>mapMulti((action, objects) -> {
            if (action instanceof Action.Update update) {
                objects.accept(update.object());
            } else if (action instanceof Action.UpdateStatus update) {
                objects.accept(update.object());
            }
        }).toList();
    }

    private static String word(Action action) {
        return switch (action) {
            case Action.Write write when write.verb().equals("update_status") -> kind(write) + write.why().substring(2);
            case Action.Write write -> write.verb() + " " + kind(write);
            case Action.Event event -> event.reason();
            case Action.RequireGone check -> "claim gone?";
            default -> action.toString();
        };
    }

    private static String kind(Action.Write write) {
        return write.type().kind().replace("PersistentVolume", "PV").replace("PVClaim", "PVC");
    }

    private static ClaimView view(V1PersistentVolumeClaim claim, @Nullable V1PersistentVolume volume) {
        return new ClaimView(claim, volume == null ? List.of() : List.of(volume), null, null, List.of(),
                false, true, false);
    }

    @ParameterizedTest(name = "a claim in the phase {0}, a volume with {1}, {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            Bound | for c1 | Bound | ''
            Pending | for c1 | Bound | PVC is Bound
            Bound | volumeMode: Filesystem | Available | update PV, PV is Bound
            Bound | for c9 | Bound | PVC is Lost, ClaimMisbound
            Lost | for c9 | Bound | ''
            """)
    void aClaimThatWasBound(String phase, String volume, String volumePhase, String plan) {
        V1PersistentVolumeClaim claim = claim(BOUND, "volumeName: disk", phase);
        V1PersistentVolume disk = volume("", volume, volumePhase);
        claim.getStatus().accessModes(List.of("ReadWriteOnce")).capacity(disk.getSpec().getCapacity());

        assertThat(String.join(", ", plan(view(claim, disk)))).isEqualTo(plan);
    }

    @Test
    void aClaimThatWasBoundAndHasNoVolumeIsLostOnce() {
        assertThat(plan(view(claim(BOUND, "volumeName: disk", "Bound"), null)))
                .containsExactly("PVC is Lost", "ClaimLost");
        assertThat(plan(view(claim(BOUND, "volumeName: disk", "Lost"), null))).isEmpty();
    }

    @ParameterizedTest(name = "a volume with {0}, {1}, the claim {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            volumeMode: Filesystem | Pending | c1 | '' | PV is Available
            volumeMode: Filesystem | Available | c1 | '' | ''
            claimRef: {namespace: default, name: data} | Pending | c1 | '' | PV is Available
            for c1 | Available | c1 | '' | the claim goes on
            for c1 | Available | c1 | disk | PV is Bound
            for c1 | Bound | c1 | disk | ''
            for c1, volumeMode: Block | Bound | c1 | '' | VolumeMismatch, VolumeMismatch
            for c1 | Bound | c1 | other | update PV, PV is Available
            for c0 | Bound | c1 | '' | claim gone?, PV is Released
            for c0 | Released | c1 | '' | ''
            """)
    void aVolumeInThePhaseOfItsClaim(String volume, String phase, String uid, String named, String plan) {
        V1PersistentVolumeClaim claim = claim("", "volumeName: '" + named + "'", "Pending");
        claim.getMetadata().setUid(uid);

        assertThat(String.join(", ", plan(
                new VolumeView(volume("", volume + ", persistentVolumeReclaimPolicy: Retain", phase), claim,
                        UNTOUCHED))))
                .isEqualTo(plan);
    }

    @ParameterizedTest(name = "{0}, made by {1}, on {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            Retain | '' | hostPath: {path: /a} | ''
            Delete | '' | hostPath: {path: /a} | PV is Failed, VolumeFailedDelete
            Delete | '' | hostPath: {path: /tmp/a} | delete PV
            Delete | '' | 'nfs: {server: a, path: /a}' | PV is Failed, VolumeFailedDelete
            Delete | '' | 'csi: {driver: a, volumeHandle: a}' | ''
            Delete | csi.example.com | hostPath: {path: /a} | ''
            Delete | kubernetes.io/gce-pd | hostPath: {path: /a} | update PV
            Delete | kubernetes.io/host-path | hostPath: {path: /a} | update PV, PV is Failed, VolumeFailedDelete
            Delete | kubernetes.io/host-path | hostPath: {path: /tmp/a} | update PV, update PV, delete PV
            Recycle | '' | hostPath: {path: /a} | create Pod
            Recycle | '' | 'nfs: {server: a, path: /a}' | create Pod
            Recycle | '' | 'csi: {driver: a, volumeHandle: a}' | PV is Failed, VolumeFailedRecycle
            """)
    void aReleasedVolumeByItsReclaimPolicy(String policy, String provisioner, String source, String plan) {
        V1PersistentVolume volume = volume(
                provisioner.isEmpty() ? "" : "pv.kubernetes.io/provisioned-by: " + provisioner,
                source + ", persistentVolumeReclaimPolicy: " + policy + ", for c0", "Released");

        assertThat(String.join(", ", plan(new VolumeView(volume, null, UNTOUCHED)))).isEqualTo(plan);
    }

    @Test
    void aVolumeThatFailedIsTriedAgainWithoutAnotherWrite() {
        V1PersistentVolume volume = volume("",
                "hostPath: {path: /a}, persistentVolumeReclaimPolicy: Delete, for c0", "Failed");

        assertThat(plan(new VolumeView(volume, null, UNTOUCHED))).isEmpty();
    }

    @ParameterizedTest(name = "a pod {0}, of this process {1}, users {2}, a claim {3}: {4}")
    @CsvSource(delimiter = '|', textBlock = """
            '' | false | '' | false | create Pod
            '' | true | '' | false | PV is Failed, VolumeFailedRecycle
            '' | false | web | false | VolumeFailedRecycle
            '' | false | web | true | create Pod
            Running | true | '' | false | ''
            Running | false | '' | false | delete Pod, PV is Failed, VolumeFailedRecycle
            Failed | true | '' | false | delete Pod, PV is Failed, VolumeFailedRecycle
            Succeeded | true | '' | false | delete Pod, VolumeRecycled, update PV, PV is Available
            """)
    void aReleasedVolumeThatAPodEmpties(String phase, boolean begun, String users, boolean hasClaim, String plan) {
        V1Pod pod = phase.isEmpty()
                ? null
                : Yaml.read("""
                        {metadata: {name: recycler-for-disk, namespace: default, uid: p1}, status: {phase: %s}}"""
                        .formatted(phase), V1Pod.class);
        Recycler.Work work = new Recycler.Work(pod, begun,
                users.isEmpty() ? List.of() : List.of(ObjectKey.of("default", users)),
                ControllerOptions.Drivers.DEFAULTS);
        V1PersistentVolume volume = volume("pv.kubernetes.io/bound-by-controller: 'yes'",
                "hostPath: {path: /a}, persistentVolumeReclaimPolicy: Recycle, for c0", "Released");

        assertThat(String.join(", ",
                plan(new VolumeView(volume, hasClaim ? claim("", "volumeName: ''", "Pending") : null, work))))
                .isEqualTo(plan);
    }

    @ParameterizedTest(name = "{0} with {1}, in a class with {2}, made: {3}: {4}")
    @CsvSource(delimiter = '|', value = {
            "'' | volumeMode: Filesystem | reclaimPolicy: Delete | false | ProvisioningFailed: Failed to create "
                    + "provisioner: provisioning in volume plugin \"kubernetes.io/host-path\" is disabled",
            "'' | volumeMode: Filesystem | reclaimPolicy: Delete | true | ProvisioningSucceeded: Successfully "
                    + "provisioned volume pvc-c1 using kubernetes.io/host-path",
            "'' | 'dataSource: {kind: PersistentVolumeClaim, name: other}' | reclaimPolicy: Delete | true | "
                    + "ProvisioningFailed: plugin \"kubernetes.io/host-path\" is not a CSI plugin. Only CSI plugin "
                    + "can provision a claim with a datasource",
            "'' | volumeMode: Filesystem | 'mountOptions: [ro, soft]' | true | ProvisioningFailed: Mount options are "
                    + "not supported by the provisioner but StorageClass \"local\" has mount options [ro soft]",
            "'' | volumeMode: Block | reclaimPolicy: Delete | true | ProvisioningFailed: Failed to provision volume "
                    + "with StorageClass \"local\": kubernetes.io/host-path does not support block volume provisioning",
            "volume.kubernetes.io/selected-node: node-1 | volumeMode: Filesystem | reclaimPolicy: Delete | true | "
                    + "ProvisioningFailed: Failed to get target node: node \"node-1\" not found"})
    void aClaimOfTheDriverOfHostPaths(String annotation, String claim, String rest, boolean enabled, String event) {
        V1StorageClass storageClass = Yaml.read(
                "{metadata: {name: local}, provisioner: kubernetes.io/host-path, %s}".formatted(rest),
                V1StorageClass.class);
        ClaimView view = new ClaimView(
                claim("volume.kubernetes.io/storage-provisioner: kubernetes.io/host-path"
                        + (annotation.isEmpty() ? "" : ", ") + annotation, "storageClassName: local, " + claim,
                        "Pending"),
                List.of(), storageClass, null, List.of(), false,
                true, enabled);

        assertThat(ClaimDecisions.decide(view).actions().getLast())
                .isInstanceOfSatisfying(Action.Event.class,
                        told -> assertThat(told.reason() + ": " + told.message()).isEqualTo(event));
    }

    @Test
    void aClaimAsksNoProvisionerIfThatIsSwitchedOff() {
        V1StorageClass storageClass = Yaml.read("{metadata: {name: fast}, provisioner: csi.example.com}",
                V1StorageClass.class);
        ClaimView view = new ClaimView(claim("", "storageClassName: fast", "Pending"), List.of(), storageClass, null,
                List.of(), false, false, false);

        assertThat(ClaimDecisions.decide(view)).isEqualTo(BindingStep.NONE);
    }

    @ParameterizedTest(name = "provisioner {0}, successor {1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            kubernetes.io/aws-ebs | '' | ebs.csi.aws.com
            kubernetes.io/aws-ebs | other | ebs.csi.aws.com
            kubernetes.io/aws-ebs | ebs.csi.aws.com | right
            ebs.csi.aws.com | ebs.csi.aws.com | none
            csi.example.com | '' | right
            """)
    void aClaimNamesTheSuccessorOfItsProvisioner(String provisioner, String successor, String expected) {
        for (String key : List.of("volume.kubernetes.io/storage-provisioner",
                "volume.beta.kubernetes.io/storage-provisioner")) {
            Action.Write write = Migration.of(claim(key + ": " + provisioner
                    + (successor.isEmpty() ? "" : ", " + Migration.MIGRATED_TO + ": " + successor), "volumeName: a",
                    "Pending"));
            assertThat(write == null ? "right" : annotation(((Action.Update) write).object())).isEqualTo(expected);
        }
    }

    private static String annotation(KubernetesObject object) {
        return object.getMetadata().getAnnotations().getOrDefault(Migration.MIGRATED_TO, "none");
    }

    @ParameterizedTest(name = "a volume of {0}, {1}, with [{2}]: [{3}]")
    @CsvSource(delimiter = '|', value = {
            "kubernetes.io/host-path | Delete | '' | kubernetes.io/pv-controller",
            "kubernetes.io/host-path | Delete | kubernetes.io/pv-controller | kubernetes.io/pv-controller",
            "kubernetes.io/host-path | Retain | kubernetes.io/pv-controller, a/b | a/b",
            "kubernetes.io/host-path | Recycle | kubernetes.io/pv-controller | ''",
            "kubernetes.io/host-path | Delete | external-provisioner.volume.kubernetes.io/finalizer | "
                    + "kubernetes.io/pv-controller",
            "kubernetes.io/aws-ebs | Delete | 'kubernetes.io/pv-controller, "
                    + "external-provisioner.volume.kubernetes.io/finalizer' | "
                    + "external-provisioner.volume.kubernetes.io/finalizer",
            "csi.example.com | Delete | kubernetes.io/pv-controller | kubernetes.io/pv-controller"})
    void aVolumeHasTheFinalizerOfWhoDeletesItsStorage(String provisioner, String policy, String before, String after) {
        V1PersistentVolume volume = volume("pv.kubernetes.io/provisioned-by: " + provisioner,
                "hostPath: {path: /a}, persistentVolumeReclaimPolicy: " + policy, "Available");
        volume.getMetadata().setFinalizers(before.isEmpty() ? null : List.of(before.split(", ")));
        Action.Write write = Migration.of(volume);
        List<String> finalizers = write == null
                ? volume.getMetadata().getFinalizers()
                : ((Action.Update) write).object().getMetadata().getFinalizers();

        assertThat(finalizers == null ? "" : String.join(", ", finalizers)).isEqualTo(after);
    }

    @ParameterizedTest(name = "before the resize {0}, the claim has {1}")
    @CsvSource({"500Mi, 500Mi", "nonsense, 1Gi"})
    void aClaimThatIsBoundDuringAResizeHasTheSizeBeforeIt(String before, String expected) {
        ClaimView view = view(claim(BOUND, "volumeName: disk", "Pending"),
                volume("volume.alpha.kubernetes.io/pre-resize-capacity: " + before, "for c1", "Bound"));

        assertThat(objects(ClaimDecisions.decide(view))).singleElement()
                .isInstanceOfSatisfying(V1PersistentVolumeClaim.class, claim -> assertThat(
                        claim.getStatus().getCapacity().get("storage").toSuffixedString()).isEqualTo(expected));
    }

    @Test
    void aClaimThatTheControllerBoundToAVolumeOfAnotherFails() {
        BindingStep step = ClaimDecisions.decide(view(
                claim("pv.kubernetes.io/bound-by-controller: 'yes'", "volumeName: disk", "Pending"),
                volume("", "for c9", "Bound")));

        assertThat(step.next()).isEqualTo(BindingStep.Next.RETRY);
        assertThat(step.actions()).singleElement().isInstanceOf(Action.Event.class);
    }
}
