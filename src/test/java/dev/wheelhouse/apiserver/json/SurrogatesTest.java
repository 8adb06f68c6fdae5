package dev.wheelhouse.apiserver.json;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class SurrogatesTest {
    /** The texts are bytes of Latin-1. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            \u00ff\u00fe, \ufffd\ufffd
            a\u00c3\u00a9b, a\u00e9b
            a\u00c3b, a\ufffdb
            \\ud800\u00c3\u00a9, \\ufffd\u00e9
            """)
    void bytesThatAreNotUtf8AreReplacedAsInGo(String sent, String read) {
        byte[] bytes = Surrogates.paired(sent.getBytes(StandardCharsets.ISO_8859_1));

        assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(read);
    }

    @Test
    void aTextOfAsciiIsNotCopied() {
        byte[] text = "{\"a\": \"\\u00e9\"}".getBytes(StandardCharsets.US_ASCII);

        assertThat(Surrogates.paired(text)).isSameAs(text);
    }
}
