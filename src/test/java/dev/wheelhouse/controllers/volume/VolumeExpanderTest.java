package dev.wheelhouse.controllers.volume;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims that request more than they have. */
class VolumeExpanderTest {
    private static final String FLEX = "flexVolume: {driver: example.com/disk}";

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

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

        assertThat(ExpansionDecisions.decide(new ExpansionView(claim, volume, false, NOW)).actions()
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
                .decide(new ExpansionView(claim, volume, false, NOW)).actions();

        String plan = actions.isEmpty()
                ? "nothing"
                : actions.size() > 1
                        ? actions.stream().map(Action.Write.class::cast).map(w -> w.verb() + " " + w.type().kind())
                                .collect(Collectors.joining(", "))
                        : ((Action.Write) actions.getFirst()).why().replace("it grows to ", "");
        assertThat(plan).isEqualTo(expected);
    }
}
