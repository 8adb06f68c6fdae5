package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import dev.wheelhouse.Terminal.Shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A page whose lines do not work as they are written is found, by each shell in which they do not work. */
@Tag("processes")
@Timeout(300)
class TypedPageTest {
    @TempDir
    private Path directory;

    private String page(String... lines) {
        return "Type:\n\n```sh\n" + String.join("\n", lines) + "\n```\n";
    }

    private int type(Shell shell, String page) throws Exception {
        try (TypedPage typed = new TypedPage(shell, directory)) {
            return typed.type(page, block -> true);
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
            // shells that refuse it | the page | a part of the failure
            "BASH DASH | a command that blocks               | tail -f /dev/null¶echo on            | blocks",
            "BASH DASH | a command that reads the terminal   | cat¶echo on                          | blocks",
            "BASH DASH | blanks behind a continuation        | ls \\ ¶    docs                      | ended with",
            "BASH DASH | a continuation within quotes        | printf 'a\\¶b\\n'   # ab             | ab",
            "BASH DASH | a variable that nothing sets        | echo \"$NOBODY_SET_IT\"              | ended with",
            "BASH      | a pattern that fits no file         | echo --controllers=-*                | ended with",
            "BASH      | an event of the history             | echo \"all!done\"                    | event not found",
            "DASH      | a test that only bash has           | [[ a == a ]]                         | ended with",
            "DASH      | a word that only bash has           | echo A=1 > a; source ./a             | ended with",
            "DASH      | a list that only bash has           | list=(a b)                           | Syntax error",
            "BASH DASH | a quotation without an end          | echo 'a                              | no whole command",
            "BASH DASH | a document without an end           | cat <<END¶a                          | no whole command",
            "BASH DASH | a document that is filled in        | cat <<END¶{$ref: 1}¶END              | ended with",
            "BASH DASH | a program that nothing makes        | java -jar target/wheelhouse-exec.jar | no such program",
            "BASH DASH | a failure without a comment         | kubectl-nobody get pods              | ended with",
            "BASH DASH | a comment that is not what it says  | echo no-pods   # Running             | Running",
    })
    void aBrokenPageIsFound(String shells, String name, String lines, String failure) throws Exception {
        for (Shell shell : Shell.values()) {
            Path own = Files.createDirectories(directory.resolve(shell.name()));
            Duration patience = failure.startsWith("blocks") ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
            try (TypedPage typed = new TypedPage(shell, own, patience)) {
                String page = page(lines.split("¶"));
                Throwable found = catchThrowable(() -> typed.type(page, block -> true));
                if (shells.contains(shell.name())) {
                    assertThat(found).as("%s in %s", name, shell).isInstanceOf(AssertionError.class)
                            .hasMessageContaining(failure);
                } else {
                    assertThat(found).as("%s in %s", name, shell).isNull();
                }
            }
        }
    }

    /** In a terminal in which the service runs, and on the port of one that runs. */
    @Test
    void aPageThatBlocksItsOwnTerminalIsFound() throws Exception {
        String start = page("mvn spring-boot:run");
        try (TypedPage typed = new TypedPage(Shell.DASH, directory)) {
            assertThat(typed.type(start, block -> true)).isEqualTo(1);
            assertThatThrownBy(() -> typed.type(page("echo on"), block -> true))
                    .hasMessageContaining("a program runs in the first terminal, where the page types: echo on");
            assertThatThrownBy(() -> typed.type("In a second terminal:\n\n" + start, block -> true))
                    .hasMessageContaining("a program uses the port 8080");
            assertThat(typed.type("After Ctrl+C in the first terminal:\n\n" + start, block -> true)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatOneBlockLeavesTheNextOneHas(Shell shell) throws Exception {
        assertThat(type(shell, page("cd docs; NAME='two words'", "export NAME") + page("pwd   # /docs",
                "echo \"$NAME\"   # two words", "cat <<END   # two words", "# $NAME", "END", "# by itself",
                "for i in a \\", "    b; do echo $i; done   # a", "sh -c 'echo error; exit 3'   # error")))
                .isEqualTo(11);
    }
}
