package dev.wheelhouse.apiserver.kinds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StatefulSetStrategyTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** @param fields of the specification of the set */
    private V1StatefulSet create(String fields, String pod) {
        return cluster.create(ResourceType.STATEFUL_SETS, V1StatefulSet.class, """
                {metadata: {namespace: default, name: web}, spec: {selector: {matchLabels: {app: web}}, %s,
                 template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}], %s}}}}""",
                fields, pod);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "serviceName: Web | spec.serviceName: Invalid value: \"Web\": a lowercase RFC 1123 label",
            "volumeClaimTemplates: [{metadata: {name: a}, spec: {resources: {requests: {storage: 1}}}}]"
                    + " | spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode",
            "volumeClaimTemplates: [{metadata: {name: a}, spec: {accessModes: [ReadWriteOnce]}}]"
                    + " | spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
            "podManagementPolicy: Random | must be 'OrderedReady' or 'Parallel'",
            "updateStrategy: {type: Recreate} | must be 'RollingUpdate' or 'OnDelete'",
            "updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}"
                    + " | only allowed for updateStrategy 'RollingUpdate'",
            "updateStrategy: {rollingUpdate: {partition: -1}}"
                    + " | spec.updateStrategy.rollingUpdate.partition: Invalid value: -1",
            "ordinals: {start: -1} | spec.ordinals.start: Invalid value: -1",
            "persistentVolumeClaimRetentionPolicy: {whenScaled: Keep}"
                    + " | spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: \"Keep\""})
    void refusesWithTheFieldAndUpstreamsWords(String fields, String words) {
        assertThatThrownBy(() -> create(fields, "")).isInstanceOf(KubeApiException.class).hasMessageContaining(words);
    }

    @Test
    void theHostnameAndTheSubdomainOfTheTemplateAreNotCheckedAsEachPodGetsItsOwn() {
        assertThat(create("replicas: 1", "hostname: Not_A_Name, subdomain: Neither_").getSpec().getReplicas())
                .isEqualTo(1);
    }

    @Test
    void fillsInUpstreamsDefaults() {
        V1StatefulSet set = create("""
                volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
                 resources: {requests: {storage: 1Gi}}}}]""", "");

        assertThat(set.getSpec().getPodManagementPolicy()).isEqualTo("OrderedReady");
        assertThat(set.getSpec().getUpdateStrategy().getRollingUpdate().getPartition()).isZero();
        assertThat(set.getSpec().getRevisionHistoryLimit()).isEqualTo(10);
        assertThat(set.getSpec().getVolumeClaimTemplates().getFirst().getSpec().getVolumeMode())
                .isEqualTo("Filesystem");
        assertThat(set.getSpec().getVolumeClaimTemplates().getFirst().getStatus().getPhase()).isEqualTo("Pending");
    }

    @Test
    void aStatusHasNoMoreAvailableReplicasThanReadyOnes() {
        create("replicas: 2", "");
        assertThatThrownBy(() -> cluster.user().resource(ResourceType.STATEFUL_SETS, V1StatefulSet.class).patch(KEY,
                "status", PatchType.MERGE, "{\"status\": {\"replicas\": 2, \"availableReplicas\": 2}}"))
                .hasMessageContaining(
                        "status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas");
    }
}
