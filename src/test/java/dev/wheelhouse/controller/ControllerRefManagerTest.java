package dev.wheelhouse.controller;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class ControllerRefManagerTest {
    private static final LabelSelector SELECTOR = LabelSelector.of(Map.of("app", "web"));

    private final V1ObjectMeta controller = new V1ObjectMeta().namespace("default").name("web").uid("uid-web");
    private final V1Pod owned = pod("owned", "web", "uid-web");
    private final V1Pod moved = pod("moved", "other", "uid-web");
    private final V1Pod orphan = pod("orphan", "web", null);
    private final V1Pod stranger = pod("stranger", "other", null);
    private final V1Pod foreign = pod("foreign", "web", "uid-foreign");

    private static V1Pod pod(String name, String app, @org.jspecify.annotations.Nullable String ownerUid) {
        V1ObjectMeta meta = new V1ObjectMeta().namespace("default").name(name).uid("uid-" + name)
                .labels(Map.of("app", app));
        if (ownerUid != null) {
            meta.addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet").name("web")
                    .uid(ownerUid).controller(true));
        }
        return new V1Pod().metadata(meta);
    }

    private ControllerRefManager.Claim<V1Pod> claim() {
        return ControllerRefManager.claim(controller, SELECTOR, List.of(owned, moved, orphan, stranger, foreign));
    }

    @Test
    void matchingOrphansAreAdoptedAndOwnedOnesThatNoLongerMatchAreReleased() {
        assertThat(claim()).isEqualTo(
                new ControllerRefManager.Claim<>(List.of(owned), List.of(orphan), List.of(moved)));
    }

    @Test
    void aControllerThatIsBeingDeletedKeepsWhatItHasAndChangesNothing() {
        controller.setDeletionTimestamp(OffsetDateTime.parse("2026-01-01T00:00:00Z"));
        assertThat(claim()).isEqualTo(new ControllerRefManager.Claim<>(List.of(owned), List.of(), List.of()));
    }

    @Test
    void anOrphanThatIsBeingDeletedIsLeftAlone() {
        orphan.getMetadata().setDeletionTimestamp(OffsetDateTime.parse("2026-01-01T00:00:00Z"));
        assertThat(claim().adopt()).isEmpty();
    }

    @Test
    void adoptionStandsBehindALiveCheckAndBothPatchesCarryTheUidsThatTheyMean() {
        List<Action> actions = ControllerRefManager.actions(claim(), ResourceType.PODS, ResourceType.REPLICA_SETS,
                controller);
        assertThat(actions).hasSize(2);
        assertThat(actions.get(0)).isEqualTo(new Action.RequireLive(ResourceType.REPLICA_SETS,
                ObjectKey.of("default", "web"), "uid-web", "to adopt 1 pods"));
        assertThat(patch(actions.get(1), 0).body()).isEqualTo("{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":"
                + "\"apps/v1\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"ReplicaSet\",\"name\":"
                + "\"web\",\"uid\":\"uid-web\"}],\"uid\":\"uid-orphan\"}}");
        assertThat(patch(actions.get(1), 0).harmless()).containsExactly(404);
        assertThat(patch(actions.get(1), 1).body()).isEqualTo(
                "{\"metadata\":{\"uid\":\"uid-moved\",\"ownerReferences\":[{\"$patch\":\"delete\","
                        + "\"uid\":\"uid-web\"}]}}");
        assertThat(patch(actions.get(1), 1).harmless()).containsExactlyInAnyOrder(404, 422);
    }

    private static Action.Patch patch(Action action, int index) {
        assertThat(action).isInstanceOf(Action.Batch.class);
        Action.Batch batch = (Action.Batch) action;
        assertThat(batch.slowStart()).as("one that cannot be adopted keeps no other from it").isFalse();
        return (Action.Patch) batch.writes().get(index);
    }

    @Test
    void aClaimWithNothingToChangeAsksForNothing() {
        assertThat(ControllerRefManager.actions(ControllerRefManager.claim(controller, SELECTOR, List.of(owned)),
                ResourceType.PODS, ResourceType.REPLICA_SETS, controller)).isEmpty();
    }
}
