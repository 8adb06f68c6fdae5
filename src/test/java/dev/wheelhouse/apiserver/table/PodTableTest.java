package dev.wheelhouse.apiserver.table;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;

import static dev.wheelhouse.apiserver.table.TableTesting.cells;
import static dev.wheelhouse.apiserver.table.TableTesting.columns;
import static dev.wheelhouse.apiserver.table.TableTesting.object;
import static dev.wheelhouse.apiserver.table.TableTesting.table;
import static org.assertj.core.api.Assertions.assertThat;

class PodTableTest {
    private static final String TWO = "spec: {containers: [{name: 'a'}, {name: 'b'}]}";
    private static final String DELETED = "metadata: {name: 'x', creationTimestamp: '2026-03-01T11:57:00Z', "
            + "deletionTimestamp: '2026-03-01T11:59:00Z'}, ";

    static Stream<Arguments> states() {
        return Stream.of(
                pod("is pending with no status yet", TWO + ", status: {phase: 'Pending'}", "0/2", "Pending", "0"),
                pod("waits for an image",
                        TWO + ", status: {phase: 'Pending', containerStatuses: [{state: {waiting: {reason: "
                                + "'ErrImagePull'}}}]}",
                        "0/2", "ErrImagePull", "0"),
                pod("runs with one of two ready",
                        TWO + ", status: {phase: 'Running', containerStatuses: [{ready: true, state: {running: {}}}, "
                                + "{state: {running: {}}}]}",
                        "1/2", "Running", "0"),
                pod("crash-loops",
                        TWO + ", status: {phase: 'Running', containerStatuses: [{restartCount: 4, state: {waiting: "
                                + "{reason: 'CrashLoopBackOff'}}, lastState: {terminated: {exitCode: 1, finishedAt: "
                                + "'2026-03-01T11:55:00Z'}}}, {ready: true, state: {running: {}}}]}",
                        "1/2", "CrashLoopBackOff", "4 (5m ago)"),
                pod("restarted at an unknown time",
                        TWO + ", status: {phase: 'Running', containerStatuses: [{restartCount: 2, ready: true, state: "
                                + "{running: {}}}]}",
                        "1/2", "Running", "2"),
                pod("has completed",
                        TWO + ", status: {phase: 'Succeeded', containerStatuses: [{state: {terminated: {reason: "
                                + "'Completed', exitCode: 0}}}]}",
                        "0/2", "Completed", "0"),
                pod("has one container done and one ready, and counts as running",
                        TWO + ", status: {phase: 'Running', conditions: [{type: 'Ready', status: 'True'}], "
                                + "containerStatuses: [{state: {terminated: {reason: 'Completed', exitCode: 0}}}, "
                                + "{ready: true, state: {running: {}}}]}",
                        "1/2", "Running", "0"),
                pod("has one container done and one running in a pod that is not ready",
                        TWO + ", status: {phase: 'Running', containerStatuses: [{state: {terminated: {reason: "
                                + "'Completed', exitCode: 0}}}, {ready: true, state: {running: {}}}]}",
                        "1/2", "NotReady", "0"),
                pod("shows the error of a later container before the first one's completion",
                        TWO + ", status: {phase: 'Failed', containerStatuses: [{state: {terminated: {reason: "
                                + "'Completed', exitCode: 0}}}, {state: {terminated: {reason: 'Error', exitCode: "
                                + "2}}}]}",
                        "0/2", "Error", "0"),
                pod("was ended by a signal",
                        TWO + ", status: {phase: 'Failed', containerStatuses: [{state: {terminated: {signal: 9, "
                                + "exitCode: 137}}}]}",
                        "0/2", "Signal:9", "0"),
                pod("ended with an exit code and no reason",
                        TWO + ", status: {phase: 'Failed', containerStatuses: [{state: {terminated: {exitCode: 3}}}]}",
                        "0/2", "ExitCode:3", "0"),
                pod("was evicted", TWO + ", status: {phase: 'Failed', reason: 'Evicted'}", "0/2", "Evicted", "0"),
                pod("may not be scheduled yet",
                        TWO + ", status: {phase: 'Pending', conditions: [{type: 'PodScheduled', status: 'False', "
                                + "reason: 'SchedulingGated'}]}",
                        "0/2", "SchedulingGated", "0"),
                pod("runs the second of three init containers",
                        "spec: {containers: [{}], initContainers: [{name: 'i'}, {name: 'j'}, {name: 'k'}]}, status: "
                                + "{phase: 'Pending', initContainerStatuses: [{name: 'i', state: {terminated: "
                                + "{exitCode: 0}}}, "
                                + "{name: 'j', restartCount: 1, state: {running: {}}}]}",
                        "0/1", "Init:1/3", "1"),
                pod("has an init container that failed",
                        "spec: {containers: [{}], initContainers: [{name: 'i'}]}, status: {phase: 'Pending', "
                                + "initContainerStatuses: [{name: 'i', state: {terminated: {exitCode: 7}}}]}",
                        "0/1", "Init:ExitCode:7", "0"),
                pod("has an init container that cannot get its image",
                        "spec: {containers: [{}], initContainers: [{name: 'i'}]}, status: {phase: 'Pending', "
                                + "initContainerStatuses: [{name: 'i', state: {waiting: {reason: "
                                + "'ImagePullBackOff'}}}]}",
                        "0/1", "Init:ImagePullBackOff", "0"),
                pod("counts a started sidecar as a container",
                        "spec: {containers: [{}], initContainers: [{name: 'i', restartPolicy: 'Always'}]}, status: "
                                + "{phase: 'Running', initContainerStatuses: [{name: 'i', started: true, ready: true, "
                                + "restartCount: 2, state: {running: {}}, lastState: {terminated: {finishedAt: "
                                + "'2026-03-01T11:59:30Z'}}}], containerStatuses: [{ready: true, state: {running: "
                                + "{}}}]}",
                        "2/2", "Running", "2 (30s ago)"),
                pod("is being deleted", DELETED + TWO + ", status: {phase: 'Running'}", "0/2", "Terminating", "0"),
                pod("is being deleted when it is already done", DELETED + TWO + ", status: {phase: 'Succeeded'}", "0/2",
                        "Succeeded", "0"),
                pod("is being deleted on a lost node",
                        DELETED + TWO + ", status: {phase: 'Running', reason: 'NodeLost'}", "0/2", "Unknown", "0"));
    }

    private static Arguments pod(String what, String json, String ready, String status, String restarts) {
        return Arguments.of(what, json, ready, status, restarts);
    }

    @ParameterizedTest(name = "a pod that {0}")
    @MethodSource("states")
    void aPodsStateIsCondensedToOneWord(String what, String json, String ready, String status, String restarts) {
        assertThat(cells("v1/pods", json)).as(what).startsWith("x", ready, status, restarts, "3m");
    }

    @Test
    void theWideColumnsSayWhereAPodIs() {
        assertThat(columns("v1/pods")).containsExactly("Name", "Ready", "Status", "Restarts", "Age", "(IP)", "(Node)",
                "(Nominated Node)", "(Readiness Gates)");
        assertThat(cells("v1/pods",
                "spec: {nodeName: 'n1', readinessGates: [{conditionType: 'g'}, {conditionType: 'h'}]}, "
                        + "status: {podIPs: [{ip: '10.0.0.7'}, {ip: 'fd00::7'}], conditions: [{type: 'g', status: "
                        + "'True'}]}"))
                .endsWith("10.0.0.7", "n1", "<none>", "1/2");
        assertThat(cells("v1/pods", "spec: {}")).endsWith("<none>", "<none>", "<none>", "<none>");
    }

    @Test
    void theRowsOfFinishedPodsAreMarkedAsCompleted() {
        var table = table("v1/pods", IncludeObject.NONE, object("status: {phase: 'Running'}"),
                object("status: {phase: 'Succeeded'}"), object("status: {phase: 'Failed'}"));

        assertThat(table.at("/rows/0").has("conditions")).isFalse();
        assertThat(table.at("/rows/1/conditions/0/type").asString()).isEqualTo("Completed");
        assertThat(table.at("/rows/1/conditions/0/status").asString()).isEqualTo("True");
        assertThat(table.at("/rows/1/conditions/0/reason").asString()).isEqualTo("Succeeded");
        assertThat(table.at("/rows/2/conditions/0/reason").asString()).isEqualTo("Failed");
    }
}
