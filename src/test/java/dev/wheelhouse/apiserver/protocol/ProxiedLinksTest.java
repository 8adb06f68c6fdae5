package dev.wheelhouse.apiserver.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ProxiedLinksTest {
    private static final ProxiedLinks LINKS = new ProxiedLinks("/p/proxy", "10.0.0.1:80", "here:6443");

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"/there?x=1#f | /p/proxy/there?x=1#f", "http://10.0.0.1:80/abs/ | /p/proxy/abs/",
                    "http://elsewhere/abs/ | http://elsewhere/abs/", "//elsewhere/x | //elsewhere/x", "rel/x | rel/x",
                    "/p/proxy/z | /p/proxy/z", "https://here:6443/mine | https://here:6443/p/proxy/mine",
                    "/a/../c//d?q | /p/proxy/c/d?q", "http://10.0.0.1:80 | http://10.0.0.1:80", "?q | ?q",
                    "mailto:a@b | mailto:a@b"})
    void aLinkToTheServerLeadsThroughTheProxy(String link, String led) {
        assertThat(LINKS.led(link)).isEqualTo(led);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
            "<A HREF='/x?y&amp;z' class=c> | <A HREF='/p/proxy/x?y&amp;z' class=c>",
            "<img alt=\"a>b\" src=/i.png/> | <img alt=\"a>b\" src=/p/proxy/i.png/>",
            "<a title='href=' href=\"/x\"> | <a title='href=' href=\"/p/proxy/x\">",
            "<p href=\"/x\">5 < 6</p> | <p href=\"/x\">5 < 6</p>", "<!-- <a href='/x'> --> | <!-- <a href='/x'> -->",
            "<script>'<a href=\"/x\">'</script><a href='/y'> | <script>'<a href=\"/x\">'</script><a href='/p/proxy/y'>",
            "<a href=\"/x | <a href=\"/x"})
    void theLinksOfAPageAreLed(String page, String led) {
        assertThat(LINKS.page(page)).isEqualTo(led);
    }

    @Test
    void aLongPageIsWrittenInPieces() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        byte[] link = "<a href='/é'>".getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = LINKS.inPages(written)) {
            for (int i = 0; i < 20_000; i++) {
                out.write(link, 0, 5);
                out.write(link, 5, link.length - 5);
            }
            assertThat(written.size()).isGreaterThan(200_000);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("<a href='/p/proxy/é'>".repeat(20_000));
    }
}
