package dev.wheelhouse.controllers.resourceclaim;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1AllocationResult;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;
import io.kubernetes.client.openapi.models.V1ResourceClaimTemplate;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.controllers.resourceclaim.ResourceClaimController.CLAIMS;
import static dev.wheelhouse.controllers.resourceclaim.ResourceClaimController.TEMPLATES;
import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of ResourceClaims")
class ResourceClaimBehavioursTest {
    private static final ObjectKey POD = ObjectKey.of("default", "web");
    private static final ObjectKey CLAIM = ObjectKey.of("default", "shared");
    private static final String SPEC = "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu%s}}]}}";
    private static final String ALLOCATION = """
            allocation: {devices: {results: [{request: gpu, driver: d.example.com, pool: p, device: one}]}}""";

    private final Cluster cluster = new Cluster();
    private ResourceClaimController controller = new ResourceClaimController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void template(String more) {
        cluster.create(TEMPLATES, V1ResourceClaimTemplate.class, """
                {metadata: {namespace: default, name: gpu}, spec: {metadata: {labels: {a: b}, annotations: {c: d}},
                 %s}}""", SPEC.formatted(more));
    }

    /** @param more fields of the pod's spec, each with a comma after it */
    private V1Pod pod(String name, String more, String claim) {
        return cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s}, spec: {%s containers: [{name: app, image: app}],
                 resourceClaims: [{name: gpu, %s}]}}""", name, more, claim);
    }

    private V1Pod podWithTemplate(String more) {
        return pod("web", more, "resourceClaimTemplateName: gpu");
    }

    /** An allocated claim, which the scheduler protects. */
    private void allocated(String consumers) {
        cluster.create(CLAIMS, ResourceV1ResourceClaim.class, """
                {metadata: {namespace: default, name: shared, finalizers: [%s]}, %s,
                 status: {%s, reservedFor: [%s]}}""",
                ResourceClaimDecisions.FINALIZER, SPEC.formatted(""), ALLOCATION, consumers);
    }

    private static String consumer(V1Pod pod) {
        return "{resource: pods, name: %s, uid: %s}".formatted(pod.getMetadata().getName(),
                pod.getMetadata().getUid());
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private List<ResourceV1ResourceClaim> claims() {
        return cluster.all(CLAIMS, ResourceV1ResourceClaim.class);
    }

    private List<String> consumers() {
        return PodClaims.consumers(cluster.read(CLAIMS, CLAIM, ResourceV1ResourceClaim.class)).stream()
                .map(V1ResourceClaimConsumerReference::getName).toList();
    }

    private void phase(String name, String phase) {
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", name),
                pod -> pod.getStatus().setPhase(phase));
    }

    @Test
    void aPodGetsAClaimFromItsTemplate() {
        template("");
        podWithTemplate("");
        settle();

        ResourceV1ResourceClaim claim = claims().getFirst();
        assertThat(claims()).hasSize(1);
        assertThat(claim.getMetadata().getName()).startsWith("web-gpu-");
        assertThat(claim.getMetadata().getLabels()).containsEntry("a", "b");
        assertThat(claim.getMetadata().getAnnotations()).containsEntry("c", "d").containsEntry(PodView.NAME_IN_POD,
                "gpu");
        assertThat(claim.getMetadata().getOwnerReferences()).singleElement()
                .satisfies(owner -> assertThat(owner.getBlockOwnerDeletion()).isNull());
        JsonNode status = cluster.json(ResourceType.PODS, POD).at("/status/resourceClaimStatuses");
        assertThat(status).hasSize(1);
        assertThat(status.at("/0/resourceClaimName").asString()).isEqualTo(claim.getMetadata().getName());
        assertThat(cluster.measures).containsEntry("resourceclaim_controller_creates_total{success,false}", 1.0);
    }

    @Test
    void aClaimThatAUserDeletesIsMadeAgain() {
        template("");
        podWithTemplate("");
        settle();
        String first = String.valueOf(claims().getFirst().getMetadata().getName());
        cluster.delete(CLAIMS, ObjectKey.of("default", first));
        settle();

        assertThat(claims()).singleElement().satisfies(c -> assertThat(c.getMetadata().getName()).isNotEqualTo(first));
        assertThat(cluster.json(ResourceType.PODS, POD).at("/status/resourceClaimStatuses/0/resourceClaimName")
                .asString()).isEqualTo(claims().getFirst().getMetadata().getName());
    }

    @Test
    void aClaimThatIsNotInThePodsStatusYetIsFoundAgain() {
        template("");
        podWithTemplate("");
        cluster.requests.failNext("apply pods/status", 500, "InternalError", "try later");
        settle();
        cluster.settle(controller.loops(), Duration.ofSeconds(1));

        assertThat(claims()).hasSize(1);
        assertThat(cluster.json(ResourceType.PODS, POD).at("/status/resourceClaimStatuses")).hasSize(1);
    }

    @Test
    void aPodWithoutItsTemplateIsReportedAndGoesOnWithIt() {
        podWithTemplate("");
        settle();
        assertThat(cluster.eventTexts()).contains("Warning FailedResourceClaimCreation PodResourceClaim gpu: resource"
                + " claim template \"gpu\": resourceclaimtemplate.resource.k8s.io \"gpu\" not found");

        template("");
        settle();
        assertThat(claims()).hasSize(1);
    }

    @Test
    void aFailedCreationIsReportedCountedAndTriedAgain() {
        template(", adminAccess: true");
        cluster.requests.failNext("create resourceclaims", 500, "InternalError", "no");
        podWithTemplate("");
        settle();
        assertThat(cluster.eventTexts())
                .contains("Warning FailedResourceClaimCreation PodResourceClaim gpu: create ResourceClaim : no");

        cluster.settle(controller.loops(), Duration.ofSeconds(1));
        assertThat(cluster.measures).containsEntry("resourceclaim_controller_creates_total{failure,true}", 1.0)
                .containsEntry("resourceclaim_controller_creates_total{success,true}", 1.0);
    }

    @ParameterizedTest
    @CsvSource({"web, gpu, web-gpu-",
            "a-pod-with-quite-a-long-name-that-leaves-little-room-for, a-claim-with-a-long-name-too-that-is-shortened, "
                    + "a-pod-with-quite-a-long-name-t-a-claim-with-a-long-name-"})
    void longNamesAreShortenedInProportion(String pod, String claim, String prefix) {
        assertThat(PodDecisions.prefix(pod, claim)).isEqualTo(prefix);
    }

    @ParameterizedTest
    @CsvSource({"Succeeded", "Failed"})
    void theClaimOfAPodThatHasEndedIsReleasedAndDeleted(String phase) {
        template("");
        V1Pod pod = podWithTemplate("nodeName: n,");
        settle();
        cluster.edit(CLAIMS, ResourceV1ResourceClaim.class, ObjectKey.of(claims().getFirst()), claim -> {
            claim.getMetadata().addFinalizersItem(ResourceClaimDecisions.FINALIZER);
            claim.getStatus().allocation(new V1AllocationResult())
                    .addReservedForItem(new V1ResourceClaimConsumerReference().resource("pods").name("web")
                            .uid(pod.getMetadata().getUid()));
        });
        settle();
        assertThat(claims()).hasSize(1);

        phase("web", phase);
        settle();
        assertThat(claims()).isEmpty();
    }

    @Test
    void aClaimThatIsNotInTheStatusOfItsPodIsDeletedAfterThePodToo() {
        template("");
        podWithTemplate("");
        cluster.requests.failNext("apply pods/status", 500, "InternalError", "try later");
        settle();
        assertThat(claims()).hasSize(1);

        phase("web", "Failed");
        settle();
        assertThat(claims()).isEmpty();
    }

    @Test
    void aClaimLosesItsConsumersOneByOneAndIsThenDeallocated() {
        V1Pod a = pod("a", "nodeName: n,", "resourceClaimName: shared");
        V1Pod b = pod("b", "nodeName: n,", "resourceClaimName: shared");
        allocated(consumer(a) + ", " + consumer(b));
        settle();
        assertThat(consumers()).containsExactly("a", "b");

        phase("a", "Failed");
        settle();
        assertThat(consumers()).containsExactly("b");
        assertThat(cluster.json(CLAIMS, CLAIM).at("/status/allocation").isObject()).isTrue();

        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "b"));
        settle();
        JsonNode claim = cluster.json(CLAIMS, CLAIM);
        assertThat(consumers()).isEmpty();
        assertThat(claim.at("/status/allocation").isMissingNode()).isTrue();
        assertThat(claim.at("/metadata/finalizers").isMissingNode()).isTrue();
    }

    @Test
    void aPodThatWasBoundByHandGetsItsAllocatedClaim() {
        allocated("");
        pod("web", "", "resourceClaimName: shared");
        settle();
        assertThat(consumers()).isEmpty();

        cluster.bind(POD, "n");
        settle();
        assertThat(consumers()).containsExactly("web");
    }

    @Test
    void aDeletedClaimStaysWhileAPodUsesIt() {
        V1Pod pod = pod("web", "nodeName: n,", "resourceClaimName: shared");
        allocated(consumer(pod));
        cluster.delete(CLAIMS, CLAIM);
        settle();
        assertThat(cluster.exists(CLAIMS, CLAIM)).isTrue();

        phase("web", "Succeeded");
        settle();
        assertThat(cluster.exists(CLAIMS, CLAIM)).isFalse();
    }

    @Test
    void aDeletedClaimThatNobodyUsesGoes() {
        allocated("");
        cluster.delete(CLAIMS, CLAIM);
        settle();

        assertThat(cluster.exists(CLAIMS, CLAIM)).isFalse();
    }

    @Test
    void onlyConsumersThatArePodsAndDoNotExistAreRemoved() {
        pod("web", "", "resourceClaimName: shared");
        allocated("{resource: pods, name: none, uid: u1}, {resource: pods, name: web, uid: u2},"
                + " {apiGroup: example.com, resource: lamps, name: lamp, uid: u3}");
        settle();

        assertThat(consumers()).containsExactly("lamp");
        assertThat(cluster.requests.take()).contains("get pods default/none");
    }

    @Test
    void aPodThatIsDeletedBeforeItHasANodeNeedsNoClaims() {
        V1Pod pod = cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web, finalizers: [example.com/hold]}, spec: {resourceClaims:
                 [{name: gpu, resourceClaimName: shared}], containers: [{name: app, image: app}]}}""");
        allocated(consumer(pod));
        cluster.delete(ResourceType.PODS, POD);
        settle();

        assertThat(consumers()).isEmpty();
    }

    @Test
    void claimsAreCountedByAllocationAndOrigin() {
        template("");
        podWithTemplate("");
        allocated("");
        settle();
        assertThat(cluster.measures)
                .containsEntry("resourceclaim_controller_resource_claims{false,false,resource_claim_template}", 1.0)
                .containsEntry("resourceclaim_controller_resource_claims{true,false,}", 1.0);

        cluster.remove(CLAIMS, CLAIM);
        settle();
        assertThat(cluster.measures).doesNotContainKey("resourceclaim_controller_resource_claims{true,false,}");
    }

    @Test
    void aNewManagerAndAPlanFindWhatIsDue() {
        template("");
        podWithTemplate("");
        cluster.forgetCaches();
        controller = new ResourceClaimController(cluster.context());
        cluster.deliver();
        assertThat(controller.plan("pods", POD).orElseThrow()).singleElement().isInstanceOf(Action.Create.class);
        assertThat(controller.plan("pods", ObjectKey.of("default", "none"))).isEmpty();

        settle();
        assertThat(claims()).hasSize(1);
    }
}
