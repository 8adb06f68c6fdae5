package dev.wheelhouse.apiserver.rest;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The lines of one run of a hollow container. */
class HollowLogTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String RUNNING = "state: {running: {startedAt: '2026-01-01T00:00:00Z'}}";

    private static ObjectNode pod(String script, String status) {
        return (ObjectNode) ModelJson.tree(requireNonNull(SafeYaml.load("""
                {metadata: {namespace: default, name: hi},
                 spec: {containers: [{name: other}, {name: main, command: [sh, -c, "%s"]}]},
                 status: {phase: Running, containerStatuses: [{name: main, %s}]}}""".formatted(script, status)
                .getBytes(UTF_8))));
    }

    private static HollowLog at(long seconds, String script, String status) {
        return HollowLog.of(pod(script, status), "main", false, START.plusSeconds(seconds));
    }

    @Test
    void aLineIsThereWhenItsTimeHasCome() {
        String script = "echo one; sleep 10; echo two";
        assertThat(at(9, script, RUNNING).text(0, false)).isEqualTo("one\n");
        assertThat(at(10, script, RUNNING).text(0, false)).isEqualTo("one\ntwo\n");
        assertThat(at(10, script, RUNNING).text(1, true)).isEqualTo("2026-01-01T00:00:10.000000000Z two\n");
        assertThat(at(10, script, RUNNING).over()).isFalse();
    }

    @Test
    void theEndOfTheRunIsTheEndOfTheLog() {
        HollowLog ended = at(60, "printf one; sleep 10; printf two", "state: {terminated: {startedAt:"
                + " '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:10Z'}}");
        assertThat(ended.text(0, false)).isEqualTo("onetwo");
        assertThat(ended.over()).isTrue();
    }

    @Test
    void aContainerThatWasStoppedPrintedNothingAfterwards() {
        assertThat(at(60, "echo one; sleep 10; echo two", "state: {terminated: {startedAt: '2026-01-01T00:00:00Z',"
                + " finishedAt: '2026-01-01T00:00:03Z'}}").text(0, false)).isEqualTo("one\n");
    }

    @Test
    void aContainerThatWaitsShowsItsLastRunAndOneThatHasNotBegunNothing() {
        String script = "echo one";
        assertThat(at(60, script, "state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated:"
                + " {startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:03Z'}}").text(0, false))
                .isEqualTo("one\n");
        assertThat(at(60, script, "state: {waiting: {reason: ContainerCreating}}").text(0, false)).isEmpty();
    }

    @Test
    void thePreviousRunIsAnotherOneIfThereWasOne() {
        String script = "echo one; sleep 10; echo two";
        ObjectNode restarted = pod(script, RUNNING + ", lastState: {terminated: {startedAt: '2025-12-31T00:00:00Z',"
                + " finishedAt: '2025-12-31T00:01:00Z'}}");
        assertThat(HollowLog.of(restarted, "main", false, START).text(0, false)).isEqualTo("one\n");
        assertThat(HollowLog.of(restarted, "main", true, START).text(0, false)).isEqualTo("one\ntwo\n");
        assertThatThrownBy(() -> HollowLog.of(pod(script, RUNNING), "main", true, START))
                .isInstanceOf(StatusException.class)
                .hasMessageContaining("previous terminated container \"main\" in pod \"hi\" not found");
    }

    @Test
    void aCommandThatIsNotPlainHasASentenceInstead() {
        assertThat(at(0, "nginx", RUNNING).text(0, false)).isEqualTo(
                "The pod default/hi runs on a hollow node: no process runs, so there is no output.\n");
    }
}
