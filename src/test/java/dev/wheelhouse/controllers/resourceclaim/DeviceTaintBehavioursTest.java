package dev.wheelhouse.controllers.resourceclaim;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceSlice;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of evictions by taints of devices")
class DeviceTaintBehavioursTest {
    private static final ObjectKey POD = ObjectKey.of("default", "web");
    private static final String TAINT = "{key: broken, value: fan, effect: NoExecute}";

    private final Cluster cluster = new Cluster();
    private DeviceTaintEvictionController controller = new DeviceTaintEvictionController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void slice(String name, int generation, String device, String taints) {
        cluster.create(SLICES, V1ResourceSlice.class, """
                {metadata: {name: %s}, spec: {driver: d.example.com, allNodes: true, pool: {name: p, generation: %d,
                 resourceSliceCount: 1}, devices: [{name: %s, taints: [%s]}]}}""", name, generation, device, taints);
    }

    /** A pod on a node, and its claim, which has the device "one". */
    private void podWithDevice(String tolerations) {
        V1Pod pod = cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web}, spec: {nodeName: n, containers: [{name: app, image: app}],
                 resourceClaims: [{name: gpu, resourceClaimName: gpu}]}}""");
        claim(tolerations, String.valueOf(pod.getMetadata().getUid()));
    }

    private void claim(String tolerations, String pod) {
        cluster.create(ResourceClaimController.CLAIMS, ResourceV1ResourceClaim.class, """
                {metadata: {namespace: default, name: gpu}, spec: {devices: {requests: [{name: gpu, exactly:
                 {deviceClassName: gpu}}]}}, status: {reservedFor: [{resource: pods, name: web, uid: %s}], allocation:
                 {devices: {results: [{request: gpu, driver: d.example.com, pool: p, device: one,
                 tolerations: [%s]}]}}}}""", pod, tolerations);
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private boolean isDeleted() {
        return cluster.json(ResourceType.PODS, POD).at("/metadata/deletionTimestamp").isString();
    }

    @Test
    void aPodOfATaintedDeviceIsMarkedAndDeletedOnce() {
        podWithDevice("");
        slice("s", 1, "one", "");
        settle();
        assertThat(isDeleted()).isFalse();

        cluster.remove(SLICES, ObjectKey.cluster("s"));
        slice("s", 1, "one", TAINT);
        settle();
        assertThat(isDeleted()).isTrue();
        assertThat(cluster.json(ResourceType.PODS, POD).at("/status/conditions").toString())
                .contains("DeletionByDeviceTaintManager");
        assertThat(cluster.eventTexts()).containsExactly("Normal DeviceTaintManagerEviction Marking for deletion");
        assertThat(cluster.measures).containsEntry("device_taint_eviction_controller_pod_deletions_total{}", 1.0);

        cluster.requests.take();
        cluster.remove(SLICES, ObjectKey.cluster("s"));
        slice("s", 1, "one", TAINT + ", {key: more, effect: NoExecute}");
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"operator: Exists, effect: NoExecute | true",
            "key: broken, operator: Exists, effect: NoExecute | true", "operator: Exists | false",
            "key: broken, operator: Equal, value: fan, effect: NoExecute | true",
            "key: broken, operator: Equal, value: leak, effect: NoExecute | false",
            "key: hot, operator: Exists, effect: NoExecute | false",
            "operator: Exists, effect: NoExecute, tolerationSeconds: -5 | false"})
    void tolerationsOfTheClaimKeepThePod(String toleration, boolean stays) {
        podWithDevice("{" + toleration + "}");
        slice("s", 1, "one", TAINT);
        settle();

        assertThat(isDeleted()).isEqualTo(!stays);
    }

    @Test
    void theseTaintsHarmNobody() {
        podWithDevice("");
        slice("old", 1, "one", TAINT);
        slice("new", 2, "one", "{key: broken, effect: NoSchedule}");
        slice("other", 2, "two", TAINT);
        settle();
        assertThat(isDeleted()).isFalse();

        cluster.remove(ResourceClaimController.CLAIMS, ObjectKey.of("default", "gpu"));
        cluster.remove(SLICES, ObjectKey.cluster("new"));
        cluster.remove(SLICES, ObjectKey.cluster("other"));
        claim("", "another-pod");
        settle();
        assertThat(isDeleted()).isFalse();
    }

    @Test
    void aFailedDeletionIsTriedAgain() {
        podWithDevice("");
        cluster.requests.failNext("delete pods", 500, "InternalError", "try later");
        slice("s", 1, "one", TAINT);
        settle();
        assertThat(isDeleted()).isFalse();

        cluster.settle(controller.loops(), Duration.ofSeconds(1));
        assertThat(isDeleted()).isTrue();
    }

    @Test
    void aNewManagerAndAPlanFindWhatIsDue() {
        podWithDevice("");
        slice("s", 1, "one", TAINT);
        cluster.forgetCaches();
        controller = new DeviceTaintEvictionController(cluster.context());
        cluster.deliver();
        assertThat(controller.plan(POD)).hasSize(3);
        assertThat(controller.plan(ObjectKey.of("default", "none"))).isEmpty();

        settle();
        assertThat(isDeleted()).isTrue();
    }
}
