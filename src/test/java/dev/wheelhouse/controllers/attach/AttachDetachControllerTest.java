package dev.wheelhouse.controllers.attach;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1AttachedVolume;
import io.kubernetes.client.openapi.models.V1CSIDriver;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;
import io.kubernetes.client.openapi.models.V1VolumeAttachmentStatus;
import io.kubernetes.client.openapi.models.V1VolumeError;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/** Volumes that are attached to nodes, step by step. */
class AttachDetachControllerTest {
    private static final String DISK = "kubernetes.io/csi/csi.example.com^handle-disk";

    private final Cluster cluster = new Cluster();
    private AttachDetachController controller = new AttachDetachController(cluster.context());

    @BeforeEach
    void prepare() {
        node("n1", "Ready");
        node("n2", "Ready");
        disk("disk", "ReadWriteOnce");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(controller.loops(), Duration.ofMillis(300));
    }

    private void pass(Duration time) {
        cluster.clock.advance(time);
        settle();
    }

    private void node(String name, String condition) {
        cluster.create(ResourceType.NODES, V1Node.class, """
                {metadata: {name: %s, annotations: {volumes.kubernetes.io/controller-managed-attach-detach: 'true'}},
                 status: {conditions: [{type: %s, status: 'True'}]}}""", name, condition);
    }

    /** Creates a claim that is bound to a volume of a CSI driver. */
    private void disk(String name, String mode) {
        V1PersistentVolumeClaim claim = cluster.create(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                V1PersistentVolumeClaim.class, """
                        {metadata: {name: %1$s, namespace: default}, spec: {accessModes: [%2$s], volumeName: %1$s,
                         resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}""", name, mode);
        cluster.create(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: %1$s}, spec: {capacity: {storage: 1Gi}, accessModes: [%2$s],
                 claimRef: {namespace: default, name: %1$s, uid: %3$s},
                 csi: {driver: csi.example.com, volumeHandle: handle-%1$s}}}""", name, mode,
                claim.getMetadata().getUid());
    }

    private void pod(String name, String node, String volume) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {name: %s, namespace: default}, spec: {nodeName: %s, containers: [{name: a, image: a}],
                 volumes: [{name: data, %s}]}}""", name, node, volume);
        settle();
    }

    private void pod(String name, String node) {
        pod(name, node, "persistentVolumeClaim: {claimName: disk}");
    }

    private void gone(String pod) {
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", pod));
        settle();
    }

    private List<V1VolumeAttachment> attachments() {
        return cluster.all(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class);
    }

    private void driverAnswers(boolean attached, @Nullable String error) {
        attachments().forEach(attachment -> cluster.edit(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class,
                ObjectKey.of(attachment), a -> a.setStatus(new V1VolumeAttachmentStatus().attached(attached)
                        .attachError(error == null ? null : new V1VolumeError().message(error)))));
        settle();
    }

    private void driverAttaches() {
        driverAnswers(true, null);
    }

    private void editNode(String name, Consumer<V1Node> change) {
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster(name), change);
        settle();
    }

    private void uses(String node, List<String> volumes) {
        editNode(node, n -> n.getStatus().setVolumesInUse(volumes));
    }

    private List<String> reported(String node) {
        List<V1AttachedVolume> volumes = cluster.read(ResourceType.NODES, ObjectKey.cluster(node), V1Node.class)
                .getStatus().getVolumesAttached();
        return volumes == null ? List.of() : volumes.stream().map(V1AttachedVolume::getName).toList();
    }

    private void attached() {
        pod("web", "n1");
        driverAttaches();
        assertThat(reported("n1")).containsExactly(DISK);
    }

    @Test
    void aVolumeIsAttachedToTheNodeOfItsPodAndReportedWhenItsDriverIsDone() {
        pod("web", "n1");
        assertThat(attachments()).singleElement().satisfies(attachment -> {
            assertThat(attachment.getMetadata().getName())
                    .isEqualTo("csi-0a8d58e195755e6e54f6b6dbce143d5e8e32fbf4f86a773f700032bebb57a732");
            assertThat(attachment.getSpec().getAttacher()).isEqualTo("csi.example.com");
            assertThat(attachment.getSpec().getNodeName()).isEqualTo("n1");
            assertThat(attachment.getSpec().getSource().getPersistentVolumeName()).isEqualTo("disk");
        });
        assertThat(reported("n1")).isEmpty();

        driverAttaches();
        assertThat(reported("n1")).containsExactly(DISK);
        assertThat(cluster.eventTexts()).containsExactly(
                "Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume \"disk\" ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSuccessIsToldToThePodsThatItWasAskedForAlsoIfTheWriteOfTheNodesStatusFails(boolean happens) {
        pod("web", "n1");
        pod("api", "n1");
        List<KubeApiException> errors = new ArrayList<>(
                List.of(new KubeApiException("patch nodes/status", new IOException("lost"))));
        Requests.Fault fault = Requests.Fault.on("patch", ResourceType.NODES,
                () -> errors.isEmpty() ? null : errors.removeFirst());
        cluster.requests.fault(happens ? Requests.Fault.afterwards(fault) : fault);
        driverAttaches();
        pass(Duration.ofSeconds(1));
        assertThat(reported("n1")).containsExactly(DISK);
        assertThat(cluster.eventTexts()).containsExactly(
                "Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume \"disk\" ");
    }

    @Test
    void aPodIsToldThatAnotherNodeHasItsVolumeAlsoAfterAFailedWrite() {
        attached();
        disk("more", "ReadWriteOnce");
        pod("cache", "n2", "persistentVolumeClaim: {claimName: more}");
        cluster.requests.failNext("patch nodes/status", 403, "Forbidden", "no");
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {name: api, namespace: default}, spec: {nodeName: n2, containers: [{name: a, image: a}],
                 volumes: [{name: data, persistentVolumeClaim: {claimName: disk}}]}}""");
        driverAttaches();
        pass(Duration.ofSeconds(1));
        assertThat(cluster.eventTexts()).filteredOn(text -> text.contains("Multi-Attach")).hasSize(1);
    }

    @Test
    void aVolumeIsDetachedWhenTheKubeletUsesItNoMoreAndTheNodesStatusGoesFirst() {
        attached();
        uses("n1", List.of(DISK));
        gone("web");
        assertThat(reported("n1")).containsExactly(DISK);
        cluster.requests.take();

        uses("n1", List.of());
        assertThat(attachments()).isEmpty();
        assertThat(reported("n1")).isEmpty();
        assertThat(cluster.requests.take()).filteredOn(request -> !request.startsWith("list"))
                .extracting(request -> request.split(" ")[0] + " " + request.split(" ")[1])
                .containsSubsequence("patch nodes/status", "get nodes", "delete volumeattachments.storage.k8s.io");
    }

    @Test
    void aVolumeThatTheKubeletBeganToUseStaysAlthoughTheCacheDoesNotShowIt() {
        pod("web", "n1");
        cluster.withhold(ResourceType.NODES);
        uses("n1", List.of(DISK));
        gone("web");

        assertThat(attachments()).hasSize(1);
    }

    @Test
    void aVolumeThatTheKubeletBeganToUseAfterItsRemovalFromTheStatusIsReportedAgain() {
        attached();
        cluster.withhold(ResourceType.NODES);
        uses("n1", List.of(DISK));
        gone("web");
        assertThat(reported("n1")).isEmpty();
        cluster.release(ResourceType.NODES);
        settle();
        assertThat(reported("n1")).containsExactly(DISK);
        assertThat(attachments()).hasSize(1);
    }

    @Test
    void aVolumeOfADriverWithinKubernetesStaysIfTheKubeletUsesItAlthoughTheCacheDoesNotShowIt() {
        pod("web", "n1", "fc: {wwids: [c]}");
        cluster.withhold(ResourceType.NODES);
        uses("n1", List.of("kubernetes.io/fc/[c]"));
        gone("web");
        assertThat(reported("n1")).hasSize(1);
    }

    @ParameterizedTest(name = "a node with {0}, out of service {1}, option {2}, after {3}: detached {4}")
    @CsvSource({"NotReady, false, false, PT5M, false", "NotReady, false, false, PT7M, true",
            "Ready, false, false, PT7M, false", "NotReady, false, true, PT7M, false",
            "NotReady, true, true, PT1S, true", "Ready, true, false, PT1S, true"})
    void aVolumeThatTheKubeletStillUses(String condition, boolean outOfService, boolean disabled, Duration time,
            boolean detached) {
        controller = new AttachDetachController(cluster.context(ControllerOptions.DEFAULTS
                .with(new ControllerOptions.AttachDetach(Duration.ofMinutes(1), false, disabled))));
        attached();
        uses("n1", List.of(DISK));
        editNode("n1", n -> {
            n.getStatus().getConditions().getFirst().setType(condition);
            if (outOfService) {
                n.getSpec().addTaintsItem(new V1Taint().key("node.kubernetes.io/out-of-service").effect("NoExecute"));
            }
        });
        gone("web");
        pass(time);

        assertThat(attachments().isEmpty()).isEqualTo(detached);
        assertThat(cluster.measures.keySet().stream().filter(name -> name.contains("forced_detaches")).toList())
                .hasSize(detached ? 1 : 0);
    }

    @Test
    void theVolumesOfARemovedNodeAreDetachedAtOnceIfItsKubeletUsedNoneAndElseAfterAWhile() {
        attached();
        cluster.remove(ResourceType.NODES, ObjectKey.cluster("n1"));
        gone("web");
        assertThat(attachments()).isEmpty();

        pod("api", "n2");
        driverAttaches();
        uses("n2", List.of(DISK));
        cluster.remove(ResourceType.NODES, ObjectKey.cluster("n2"));
        gone("api");
        assertThat(attachments()).hasSize(1);
        pass(Duration.ofMinutes(7));
        assertThat(attachments()).isEmpty();
    }

    @Test
    void aVolumeForOneNodeIsNotAttachedToASecondOneAndThePodIsToldOnce() {
        attached();
        pod("api", "n2");
        pass(Duration.ofMinutes(3));
        assertThat(attachments()).hasSize(1);
        assertThat(cluster.eventTexts()).filteredOn(text -> text.contains("Multi-Attach")).containsExactly(
                "Warning FailedAttachVolume Multi-Attach error for volume \"disk\" Volume is already used by pod(s) "
                        + "web");

        gone("web");
        assertThat(attachments()).singleElement()
                .satisfies(attachment -> assertThat(attachment.getSpec().getNodeName()).isEqualTo("n2"));
    }

    @Test
    void aVolumeForManyNodesIsAttachedToEach() {
        disk("shared", "ReadWriteMany");
        pod("a", "n1", "persistentVolumeClaim: {claimName: shared}");
        pod("b", "n2", "persistentVolumeClaim: {claimName: shared}");

        assertThat(attachments()).hasSize(2);
    }

    @Test
    void aFailureIsToldAndTriedAgainAfterAGrowingWait() {
        pod("web", "n1");
        driverAnswers(false, "no path");
        String text = "Warning FailedAttachVolume AttachVolume.Attach failed for volume \"disk\" : no path";
        assertThat(cluster.eventTexts()).containsExactly(text);
        uses("n1", List.of("other"));
        assertThat(cluster.eventTexts()).hasSize(1);
        pass(Duration.ofMillis(1100));
        assertThat(cluster.eventTexts()).hasSize(2);
        pass(Duration.ofMillis(900));
        uses("n1", List.of(DISK));
        assertThat(cluster.eventTexts()).hasSize(2);

        driverAttaches();
        pass(Duration.ofSeconds(2));
        assertThat(reported("n1")).containsExactly(DISK);
    }

    @Test
    void aDriverThatDoesNotAnswerIsToldAfterTwoMinutes() {
        pod("web", "n1");
        pass(Duration.ofSeconds(119));
        assertThat(cluster.eventTexts()).isEmpty();
        pass(Duration.ofSeconds(2));
        assertThat(cluster.eventTexts()).containsExactly("Warning FailedAttachVolume AttachVolume.Attach failed for "
                + "volume \"disk\" : timed out waiting for external-attacher of csi.example.com CSI driver to attach "
                + "volume handle-disk");
    }

    @Test
    void aRefusedRequestIsTold() {
        cluster.requests.failNext("create volumeattachments.storage.k8s.io", 403, "Forbidden", "no");
        pod("web", "n1");

        assertThat(cluster.eventTexts()).contains("Warning FailedAttachVolume AttachVolume.Attach failed for volume "
                + "\"disk\" : kubernetes.io/csi: attacher.Attach failed: no");
        assertThat(attachments()).hasSize(1);
    }

    @Test
    void aRequestThatSomebodyDeletesIsMadeAgainAtTheNextComparison() {
        attached();
        cluster.remove(AttachDetachController.ATTACHMENTS, ObjectKey.of(attachments().getFirst()));
        settle();
        assertThat(attachments()).isEmpty();
        pass(Duration.ofMinutes(2));
        assertThat(attachments()).hasSize(1);
        assertThat(reported("n1")).isEmpty();
    }

    @ParameterizedTest(name = "{0} needs no request, reported as {1}")
    @CsvSource(delimiter = '|', value = {
            "fc: {targetWWNs: [a, b], lun: 1} | kubernetes.io/fc/[a b]:1", "fc: {wwids: [c]} | kubernetes.io/fc/[c]",
            "'iscsi: {targetPortal: \"10.0.0.1:3260\", iqn: \"iqn.2001-04.com.example:disk\", lun: 2}' | "
                    + "kubernetes.io/iscsi/10.0.0.1:3260:iqn.2001-04.com.example:disk:2"})
    void aVolumeOfADriverWithinKubernetes(String source, String name) {
        pod("web", "n1", source);
        assertThat(attachments()).isEmpty();
        assertThat(reported("n1")).containsExactly(name);
        gone("web");
        assertThat(reported("n1")).isEmpty();
    }

    @Test
    void aVolumeOfADriverWithinKubernetesIsTakenFromANodeThatIsOutOfServiceAndCounted() {
        pod("web", "n1", "fc: {wwids: [c]}");
        uses("n1", List.of("kubernetes.io/fc/[c]"));
        gone("web");
        assertThat(reported("n1")).hasSize(1);
        editNode("n1", n -> n.getSpec().addTaintsItem(
                new V1Taint().key("node.kubernetes.io/out-of-service").effect("NoExecute")));
        settle();

        assertThat(reported("n1")).isEmpty();
        assertThat(cluster.measures).containsEntry(
                "attach_detach_controller_attachdetach_controller_forced_detaches_total{out-of-service}", 1.0);
    }

    @Test
    void nothingIsAttachedForADriverThatNeedsItNotForANodeThatDoesItAndForAPodThatHasEnded() {
        cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: n3}}");
        pod("own", "n3");
        pod("ended", "n1");
        cluster.remove(AttachDetachController.ATTACHMENTS, ObjectKey.of(attachments().getFirst()));
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "ended"),
                pod -> pod.getStatus().setPhase("Succeeded"));
        settle();
        assertThat(attachments()).isEmpty();

        cluster.create(AttachDetachController.DRIVERS, V1CSIDriver.class,
                "{metadata: {name: csi.example.com}, spec: {attachRequired: false}}");
        settle();
        pod("web", "n2");
        assertThat(attachments()).isEmpty();
    }

    @Test
    void theNextProcessGoesOnAndDetachesWhatNoPodWants() {
        attached();
        disk("other", "ReadWriteOnce");
        pod("api", "n2", "persistentVolumeClaim: {claimName: other}");
        cluster.forgetCaches();
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "api"));
        controller = new AttachDetachController(cluster.context());
        cluster.events.clear();
        settle();
        pass(Duration.ofMinutes(7));

        assertThat(attachments()).singleElement()
                .satisfies(attachment -> assertThat(attachment.getSpec().getNodeName()).isEqualTo("n1"));
        assertThat(cluster.eventTexts()).isEmpty();
    }

    @Test
    void aRequestOfSomebodyElseIsLeftAlone() {
        settle();
        cluster.create(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class, """
                {metadata: {name: foreign}, spec: {attacher: csi.example.com, nodeName: n1,
                 source: {persistentVolumeName: disk}}}""");
        settle();
        pass(Duration.ofMinutes(7));

        assertThat(attachments()).hasSize(1);
    }

    @Test
    void nothingIsWrittenWhileNothingChanges() {
        attached();
        cluster.requests.take();
        pass(Duration.ofMinutes(5));

        assertThat(cluster.requests.writes()).isEmpty();
    }
}
