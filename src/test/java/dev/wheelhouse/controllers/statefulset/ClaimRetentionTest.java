package dev.wheelhouse.controllers.statefulset;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetPersistentVolumeClaimRetentionPolicy;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;

import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimRetentionTest {
    private static ClaimRetention retention(String whenDeleted, String whenScaled, int ordinal) {
        V1StatefulSet set = new V1StatefulSet().metadata(new V1ObjectMeta().name("web").uid("set-uid"))
                .spec(new V1StatefulSetSpec().replicas(1).persistentVolumeClaimRetentionPolicy(
                        new V1StatefulSetPersistentVolumeClaimRetentionPolicy().whenDeleted(whenDeleted)
                                .whenScaled(whenScaled)));
        V1Pod pod = Manifests.pod("web-" + ordinal, Map.of());
        pod.getMetadata().setUid("pod-uid");
        return new ClaimRetention(new StatefulSetView(set, List.of(), name -> null, Instant.EPOCH), pod);
    }

    /** @param owners {@code set}, {@code pod}, {@code oldset}, {@code oldpod}, {@code other}; a star: no controller */
    private static V1PersistentVolumeClaim claim(String owners, int ordinal) {
        V1ObjectMeta meta = new V1ObjectMeta().name("data-web-" + ordinal);
        meta.setOwnerReferences(Arrays.stream(owners.split(" ")).filter(owner -> !owner.isEmpty()).map(owner -> {
            String bare = owner.replace("*", "");
            boolean isSet = bare.endsWith("set");
            boolean isPod = bare.endsWith("pod");
            return new V1OwnerReference().apiVersion(isSet ? "apps/v1" : "v1")
                    .kind(isSet ? "StatefulSet" : isPod ? "Pod" : "ConfigMap")
                    .name(isSet ? "web" : isPod ? "web-" + ordinal : "other").uid(bare + "-uid")
                    .controller(owner.endsWith("*") ? null : true);
        }).collect(Collectors.toList()));
        return new V1PersistentVolumeClaim().metadata(meta);
    }

    private static String owners(V1PersistentVolumeClaim claim) {
        return claim.getMetadata().getOwnerReferences().stream().map(
                reference -> reference.getUid().replace("-uid", "")
                        + (Boolean.TRUE.equals(reference.getController()) ? "" : "*"))
                .collect(Collectors.joining(" "));
    }

    /** The set has one replica, so ordinal 1 is beyond its scale. */
    @ParameterizedTest(name = "deleted {0}, scaled {1}, ordinal {2}: [{3}] becomes [{4}]")
    @CsvSource(emptyValue = "", value = {
            "Retain, Retain, 0, '', ''", "Retain, Retain, 0, set, ''", "Retain, Retain, 1, pod, ''",
            "Delete, Retain, 0, '', set", "Delete, Retain, 0, set, set", "Delete, Retain, 1, pod, set",
            "Delete, Retain, 0, set*, set",
            "Retain, Delete, 0, set, ''", "Retain, Delete, 0, pod, ''", "Retain, Delete, 1, '', pod",
            "Retain, Delete, 1, pod, pod", "Retain, Delete, 1, pod*, pod",
            "Delete, Delete, 0, '', set", "Delete, Delete, 0, pod, set", "Delete, Delete, 1, set, pod",
            "Delete, Retain, 0, other*, other* set", "Retain, Retain, 0, other, other",
            "Delete, Delete, 0, other, other", "Delete, Delete, 0, other set, other"})
    void theOwnersOfAClaimFollowThePolicy(String whenDeleted, String whenScaled, int ordinal, String before,
            String after) {
        ClaimRetention retention = retention(whenDeleted, whenScaled, ordinal);
        V1PersistentVolumeClaim claim = claim(before, ordinal);

        assertThat(retention.matches(claim)).isEqualTo(before.equals(after));
        assertThat(owners(retention.repaired(claim))).isEqualTo(after);
        assertThat(retention.matches(retention.repaired(claim))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"oldset", "oldpod", "other oldset"})
    void aClaimOfAnEarlierSetOrPodIsLeftAlone(String owners) {
        assertThat(retention("Delete", "Delete", 1).matches(claim(owners, 1))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"Delete, oldpod, true", "Delete, pod, false", "Delete, oldset, false", "Retain, oldpod, false"})
    void aNewPodMustNotUseAClaimThatIsDeletedWithAnEarlierPod(String whenScaled, String owners, boolean stale) {
        assertThat(retention("Retain", whenScaled, 0).isStale(claim(owners, 0))).isEqualTo(stale);
    }
}
