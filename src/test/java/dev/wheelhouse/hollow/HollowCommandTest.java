package dev.wheelhouse.hollow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1EnvVarSource;

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

    @ParameterizedTest(name = "sh -c {0} prints {1}")
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
            "echo hello|0:hello\\n", "echo  a   'b  c' \"d\"|0:a b  c d\\n", "echo -n a; echo b|0:a 0:b\\n",
            "echo|0:\\n",
            "echo one; sleep 2; echo two|0:one\\n 2:two\\n", "false && echo no; true || echo no; echo yes|0:yes\\n",
            "printf '%s\\n' x y|0:x\\ny\\n", "printf 'n=%d %%\\n'|0:n=0 %\\n", "printf '%s=%s;' a 1 b|0:a=1;b=;",
            "printf a b|0:a", "printf '%5d' 7|", "echo -e 'a\\tb'|0:a\tb\\n", "echo 'a\\tb'|0:a\\tb\\n",
            "echo $NAME ${NAME}s '$NAME' \"$NAME!\"|0:blog blogs $NAME blog!\\n", "echo a$b; echo c|0:c\\n",
            "echo \"\\$NAME\" 5$|0:$NAME 5$\\n", "echo $SECRET; echo $?; echo ${NAME:-x}; echo \"$(date)\"|",
            "echo $(NAME) $(GREETING)|0:blog hello blog\\n", "echo a >&2; echo b > /dev/stderr; echo c >f; echo d 2>f|"
                    + "0:a\\n 0:b\\n 0:d\\n",
            "echo up; exec nginx; echo down|0:up\\n", "exit 1; echo no|",
    })
    void theOutputOfAScriptIsWhatItPlainlyPrints(String script, @Nullable String output) {
        V1Container container = new V1Container().name("a").command(List.of("sh", "-c", script)).env(List.of(
                new V1EnvVar().name("NAME").value("blog"), new V1EnvVar().name("GREETING").value("hello $(NAME)"),
                new V1EnvVar().name("SECRET").valueFrom(new V1EnvVarSource())));

        assertThat(HollowCommand.output(container).stream()
                .map(each -> each.after().toSeconds() + ":" + each.text().replace("\n", "\\n"))
                .collect(Collectors.joining(" "))).isEqualTo(output == null ? "" : output);
    }

    @Test
    void aCommandWithoutAShellPrintsItsWordsAsTheyAre() {
        V1Container container = new V1Container().name("a").command(List.of("/bin/echo")).args(List.of("$(X) $Y",
                "$$(Z)", "'")).env(List.of(new V1EnvVar().name("X").value("1"), new V1EnvVar().name("Y").value("2")));
        assertThat(HollowCommand.output(container)).extracting(HollowCommand.Printed::text)
                .containsExactly("1 $Y $(Z) '\n");
    }

    /** Values that name each other double their length with each of them. */
    @Test
    void outputIsBounded() {
        List<V1EnvVar> doubling = new ArrayList<>(List.of(new V1EnvVar().name("V0").value("x".repeat(1000))));
        for (int i = 1; i < 100; i++) {
            doubling.add(new V1EnvVar().name("V" + i).value("$(V%1$d)$(V%1$d)".formatted(i - 1)));
        }
        V1Container container = new V1Container().name("a").env(doubling)
                .command(List.of("sh", "-c", "echo $V99 $(V99)" + " $V9".repeat(200)));
        assertThat(HollowCommand.output(container).stream().mapToInt(each -> each.text().length()).sum())
                .isLessThan(20_000);
    }

    private static HollowCommand command(String... words) {
        return HollowCommand.of(new V1Container().name("a").command(Arrays.asList(words)));
    }
}
