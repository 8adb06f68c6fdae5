package dev.wheelhouse.controllers.statefulset;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

class StatefulSetDecisionsTest {
    private static final Instant NOW = Instant.parse("2027-01-31T12:00:00Z");

    /** @param pods such as {@code 0r 1p}: ordinals with states, and a capital letter for the old revision */
    private static StatefulSetView view(String spec, String pods) {
        V1StatefulSet set = ModelJson.read("""
                {"metadata": {"namespace": "default", "name": "web", "uid": "u", "generation": 1}, "spec": {"selector":
                 {"matchLabels": {"app": "web"}}, "serviceName": "web", "template": {"metadata": {"labels":
                 {"app": "web"}}, "spec": {"containers": []}}, "updateStrategy": {"type": "RollingUpdate",
                 "rollingUpdate": {"partition": 0}}}}""", V1StatefulSet.class);
        for (String field : spec.split(" ")) {
            String value = field.substring(field.indexOf('=') + 1);
            switch (field.substring(0, field.indexOf('='))) {
                case "replicas" -> set.getSpec().setReplicas(Integer.valueOf(value));
                case "management" -> set.getSpec().setPodManagementPolicy(value);
                case "partition" -> set.getSpec().getUpdateStrategy().getRollingUpdate()
                        .setPartition(Integer.valueOf(value));
                case "type" -> set.getSpec().getUpdateStrategy().type(value).rollingUpdate(null);
                case "minReadySeconds" -> set.getSpec().setMinReadySeconds(Integer.valueOf(value));
                default -> throw new IllegalArgumentException(field);
            }
        }
        List<V1Pod> all = new ArrayList<>();
        for (String pod : pods.isEmpty() ? new String[0] : pods.split(" ")) {
            all.add(pod(pod.substring(0, pod.length() - 1), pod.charAt(pod.length() - 1)));
        }
        return new StatefulSetView(set, all, name -> null, NOW);
    }

    /** @param state pending, unready, ready (for 5 seconds), terminating, failed */
    private static V1Pod pod(String ordinal, char state) {
        V1Pod pod = Manifests.pod("web-" + ordinal, Map.of("app", "web", Identity.POD_NAME, "web-" + ordinal,
                Identity.REVISION, Character.isUpperCase(state) ? "old" : "new"));
        String phase = switch (Character.toLowerCase(state)) {
            case 'p' -> "Pending";
            case 'f' -> "Failed";
            default -> "Running";
        };
        boolean ready = state == 'r' || state == 'R' || state == 't' || state == 'T';
        pod.setStatus(new V1PodStatus().phase(phase).conditions(List.of(new V1PodCondition().type("Ready")
                .status(ready ? "True" : "False").lastTransitionTime(NOW.minusSeconds(5).atOffset(ZoneOffset.UTC)))));
        if (Character.toLowerCase(state) == 't') {
            pod.getMetadata().setDeletionTimestamp(NOW.atOffset(ZoneOffset.UTC));
        }
        return pod;
    }

    private static SetRevisions revisions() {
        return new SetRevisions(revision("old"), revision("new"), 0);
    }

    private static V1ControllerRevision revision(String name) {
        return ModelJson
                .read("""
                        {"data": {"spec": {"template": {"metadata": {"labels": {"app": "web"}},
                         "spec": {"containers": []}}}}}""",
                        V1ControllerRevision.class)
                .metadata(new V1ObjectMeta().name(name));
    }

    private static String text(PodTask task) {
        String suffix = task.verb() == PodTask.Verb.CREATE && Identity.revision(task.pod()).equals("old") ? " old" : "";
        return task.verb() + " " + Identity.ordinal(task.pod()) + suffix;
    }

    @ParameterizedTest(name = "{0}: {1} leads to {2}")
    @CsvSource(delimiter = '|', emptyValue = "", value = {
            "replicas=2                        | ''          | CREATE 0",
            "replicas=2                        | 0p          | ''",
            "replicas=2                        | 0u          | ''",
            "replicas=2                        | 0r          | CREATE 1",
            "replicas=2                        | 1r          | CREATE 0",
            "replicas=2                        | 0t          | ''",
            "replicas=2                        | 0f 1r       | DELETE 0",
            "replicas=2                        | 0r 1r       | ''",
            "replicas=2 minReadySeconds=5      | 0r          | CREATE 1",
            "replicas=2 minReadySeconds=6      | 0r          | ''",
            "replicas=3 management=Parallel    | 1u          | CREATE 0, CREATE 2",
            "replicas=3 management=Parallel    | 0t 1f 2p    | DELETE 1",
            "replicas=1                        | 0r 1r 2r    | DELETE 2",
            "replicas=1                        | 0u 1r 2r    | ''",
            "replicas=1                        | 0r 1r 2t    | ''",
            "replicas=1                        | 0r 1t 2r    | DELETE 2",
            "replicas=1                        | 0r 1r 2u    | DELETE 2",
            "replicas=1                        | 0r 1u 2u    | ''",
            "replicas=1                        | 0r 1u 2r    | DELETE 2",
            "replicas=1 management=Parallel    | 0u 1r 2t 3u | DELETE 3, DELETE 1",
            "replicas=3                        | 0R 1R 2R    | DELETE 2",
            "replicas=3                        | 0R 1R 2r    | DELETE 1",
            "replicas=3                        | 0R 1R 2u    | ''",
            "replicas=3 management=Parallel    | 0R 1R 2u    | ''",
            "replicas=3 management=Parallel    | 0R 1U 2r    | DELETE 1",
            "replicas=3 management=Parallel    | 0R 1T 2r    | ''",
            "replicas=3 management=Parallel    | 0R 2r       | CREATE 1",
            "replicas=2                        | 0R 1R 2r    | DELETE 2",
            "replicas=3 type=OnDelete          | 0R 1R 2R    | ''",
            "replicas=3 partition=2            | 0R 1R 2R    | DELETE 2",
            "replicas=3 partition=2            | 0R 1R 2r    | ''",
            "replicas=3 partition=3            | 0R 1R 2R    | ''",
            "replicas=3 partition=2            | 0R 2r       | CREATE 1 old",
            "replicas=3 partition=1            | 0R 2r       | CREATE 1",
            "replicas=3 type=OnDelete          | 0R 2r       | CREATE 1"})
    void decides(String spec, String pods, String expected) {
        StatefulSetDecisions.Decision decision = StatefulSetDecisions.decide(view(spec, pods), revisions());
        List<PodTask> tasks = decision.phases().stream().flatMap(List::stream).filter(task -> !task.isEmpty())
                .collect(Collectors.toCollection(ArrayList::new));
        if (decision.update() != null) {
            tasks.add(decision.update());
        }
        assertThat(tasks.stream().map(StatefulSetDecisionsTest::text).collect(Collectors.joining(", ")))
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}: {1} counts {2}")
    @CsvSource(delimiter = '|', value = {
            "replicas=3 | 0R 1r 2p | 3 2 2 1 2",
            "replicas=3 | 0R 1T 2u | 3 2 2 1 1",
            "replicas=1 minReadySeconds=6 | 0r 7r | 2 2 0 0 2"})
    void countsReplicasReadyAvailableCurrentAndUpdatedOnes(String spec, String pods, String counts) {
        var status = StatefulSetDecisions.decide(view(spec, pods), revisions()).status();
        assertThat(List.of(status.getReplicas(), status.getReadyReplicas(), status.getAvailableReplicas(),
                status.getCurrentReplicas(), status.getUpdatedReplicas()).stream().map(String::valueOf)
                .collect(Collectors.joining(" "))).isEqualTo(counts);
    }

    @ParameterizedTest
    @CsvSource({"web-0,0", "web-12,12", "web-007,7", "web,-1", "web-,-1", "web-x,-1", "web-0x,-1", "-3,3",
            "web-99999999999,-1"})
    void theOrdinalIsTheNumberAtTheEndOfTheName(String name, int ordinal) {
        assertThat(Identity.ordinal(Manifests.pod(name, Map.of()))).isEqualTo(ordinal);
    }

    @ParameterizedTest
    @CsvSource({"web-0,true", "web-12,true", "web,false", "web-x,false", "web-a-0,false", "we-0,false",
            "web-0-0,false"})
    void aMemberHasTheNameOfTheSetAndANumber(String name, boolean member) {
        assertThat(Identity.isMember("web", Manifests.pod(name, Map.of()))).isEqualTo(member);
    }

    @Test
    void aSetOfMoreReplicasThanFitInMemoryIsDecidedAboutInParts() {
        String most = "replicas=" + Integer.MAX_VALUE;
        assertThat(StatefulSetDecisions.decide(view(most, ""), revisions()).phases().getFirst()).hasSize(1);
        assertThat(StatefulSetDecisions.decide(view(most + " management=Parallel", "0r 900f"), revisions()).phases()
                .getFirst()).filteredOn(task -> !task.isEmpty()).hasSize(501).last()
                .extracting(StatefulSetDecisionsTest::text).asString().contains("900");
    }
}
