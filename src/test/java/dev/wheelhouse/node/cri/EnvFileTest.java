package dev.wheelhouse.node.cri;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The value of {@code A} in a file of variables. In the tables {@code ~} is the end of a line, {@code @} a carriage
 * return.
 */
class EnvFileTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "A='b'                    | b",
            "B='1'~A='b'~C='2'        | b",
            " \t A='b' \t # a comment | b",
            "# A='c'~~  ~A='b'~       | b",
            "A='b~ c~'~               | b~ c~",
            "B='x~A=1'~A='b'          | b",
            "A='$B \\\" #'            | $B \\\" #",
            "A=''                     | \"\"",
            "A= 'b'                   | \"\"",
            "B='1'                    | \"\"",
            "export A='b'             | \"\"",
            "A='b'~nonsense           | b",
            "A='b'@~                  | b"})
    void theValueIsWhatStandsInQuotes(String text, String expected) {
        assertThat(EnvFile.value(text.replace('~', '\n').replace('@', '\r'), "A"))
                .isEqualTo(expected.replace('~', '\n'));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"nonsense", "='b'", "A ='b'", "A=b", "A=", "A=\"b\"",
            "A='b", "A='b'c", "B='1' x~A='b'"})
    void anotherFormIsRefused(String text) {
        assertThatThrownBy(() -> EnvFile.value(text.replace('~', '\n'), "A"))
                .isInstanceOf(IllegalArgumentException.class).hasMessage("couldn't parse env file");
    }
}
