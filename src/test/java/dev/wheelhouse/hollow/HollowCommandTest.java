package dev.wheelhouse.hollow;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Container;

import static org.assertj.core.api.Assertions.assertThat;

class HollowCommandTest {
    @ParameterizedTest(name = "{0} ends after {1} with {2}")
    @CsvSource(delimiter = '|', value = {
            "true | PT0S | 0", "false | PT0S | 1", "/bin/false | PT0S | 1", "exit,3 | PT0S | 3", "exit,259 | PT0S | 3",
            "echo,hello,world | PT0S | 0",
            "sleep,5 | PT5S | 0", "sleep,0.5 | PT0.5S | 0", "sleep,.25s | PT0.25S | 0", "sleep,2m | PT2M | 0",
            "/usr/bin/sleep,1h | PT1H | 0", "sleep,1d | PT24H | 0",
    })
    void aPlainCommandEndsAsItSays(String words, Duration runFor, int code) {
        assertThat(command(words.split(","))).isEqualTo(new HollowCommand(runFor, code));
    }

    @ParameterizedTest(name = "sh -c {0} ends after {1} with {2}")
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
            "exit 4|PT0S|4", " sleep 1; exit 4 |PT1S|4", "sleep 1 && sleep 2;|PT3S|0", "false; true|PT0S|0",
            "true; false|PT0S|1", "false; exit|PT0S|1", "false && exit 7|PT0S|1", "false && sleep 9; sleep 1|PT1S|0",
            "echo \"a; b\" 'c && d'; exit 1|PT0S|1",
            "echo failed >&2; exit 5|PT0S|5", "echo x > /dev/termination-log && exit 6|PT0S|6",
            "echo $HOME && 'exit' \"8\"|PT0S|8", "exit 1; unknown|PT0S|1",
    })
    void aScriptOfPlainCommandsEndsAsItSays(String script, Duration runFor, int code) {
        for (String shell : List.of("sh", "/bin/sh", "bash", "/bin/bash")) {
            assertThat(command(shell, "-c", script)).isEqualTo(new HollowCommand(runFor, code));
        }
    }

    @Test
    void anAlternativeRunsOnlyAfterAFailure() {
        assertThat(command("sh", "-c", "false || exit 3")).isEqualTo(new HollowCommand(Duration.ZERO, 3));
        assertThat(command("sh", "-c", "true || exit 3; sleep 1"))
                .isEqualTo(new HollowCommand(Duration.ofSeconds(1), 0));
    }

    @Test
    void eachLineOfAScriptIsACommand() {
        assertThat(command("sh", "-c", "\n\nsleep 1\n  exit 2 \n"))
                .isEqualTo(new HollowCommand(Duration.ofSeconds(1), 2));
    }

    @Test
    void anEndlessSleepNeverEnds() {
        assertThat(command("sleep", "infinity")).isEqualTo(new HollowCommand(null, 0));
        assertThat(command("sh", "-c", "sleep 1; sleep infinity; exit 1")).isEqualTo(new HollowCommand(null, 0));
    }

    @Test
    void aPauseNeverEnds() {
        V1Container image = new V1Container().name("a").image("registry.k8s.io/pause:3.10");

        assertThat(command("pause")).isEqualTo(new HollowCommand(null, 0));
        assertThat(HollowCommand.of(image)).isEqualTo(new HollowCommand(null, 0));
        assertThat(HollowCommand.of(image.image("example.com/menopause"))).isNull();
    }

    @Test
    void argumentsFollowTheCommand() {
        V1Container both = new V1Container().name("a").command(List.of("/bin/sh", "-c")).args(List.of("exit 3"));
        V1Container alone = new V1Container().name("a").args(List.of("sleep", "7"));

        assertThat(HollowCommand.of(both)).isEqualTo(new HollowCommand(Duration.ZERO, 3));
        assertThat(HollowCommand.of(alone)).isEqualTo(new HollowCommand(Duration.ofSeconds(7), 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx -g daemon", "sleep 5 &", "sleep $N", "exit $CODE", "exit soon", "exit 1 2",
            "while true; do sleep 1; done", "true | false", "(exit 3)", "`exit 3`", "echo $(exit 3)", "true; ; true",
            "; true", "echo 'unclosed", "sleep 1s2", "sleep", "sleep -1", "date; exit 1", "cat < f; exit 1"})
    void anyOtherScriptIsNotPlain(String script) {
        assertThat(command("sh", "-c", script)).isNull();
    }

    @Test
    void anyOtherCommandIsNotPlain() {
        assertThat(HollowCommand.of(new V1Container().name("a"))).isNull();
        assertThat(command("nginx")).isNull();
        assertThat(command("sh", "-x", "-c", "exit 3")).isNull();
        assertThat(command("sh", "-c")).isNull();
        assertThat(command("sh", "-c", "true;".repeat(100_000))).isNull();
        assertThat(command("sh", "-c", "''".repeat(490) + "true")).isEqualTo(new HollowCommand(Duration.ZERO, 0));
    }

    private static HollowCommand command(String... words) {
        return HollowCommand.of(new V1Container().name("a").command(Arrays.asList(words)));
    }
}
