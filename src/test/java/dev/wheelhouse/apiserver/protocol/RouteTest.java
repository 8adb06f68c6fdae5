package dev.wheelhouse.apiserver.protocol;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.apiserver.auth.RequestInfo;

import static org.assertj.core.api.Assertions.assertThat;

/** The facts of upstream's {@code requestinfo_test.go}, and cases of this server. */
class RouteTest {
    private static RequestInfo of(String method, String path, String query) {
        return Route.of(method, path, QueryParameters.parse(query)).about();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvFileSource(resources = "/tables/routes.txt", delimiter = '|', nullValues = "-", quoteCharacter = '\'')
    void aResourcePathTellsVerbNamespaceResourceAndName(String method, String path, String verb, String group,
            String namespace, String resource, String subresource, String name) {
        RequestInfo info = of(method, path, "");

        assertThat(info.isResource()).isTrue();
        assertThat(List.of(info.verb(), info.group(), info.namespace(), info.resource(), info.subresource(),
                info.name())).containsExactly(verb, text(group), text(namespace), resource, text(subresource),
                        text(name));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"GET,/", "GET,/api", "GET,/api/v1", "GET,/apis", "GET,/apis/apps", "GET,/apis/apps/v1", "GET,/version/",
            "POST,/healthz", "GET,/apix/v1/pods", "OPTIONS,/openapi/v2"})
    void anyOtherPathIsItsOwnAndItsVerbIsTheMethod(String method, String path) {
        RequestInfo info = of(method, path, "");

        assertThat(info.isResource()).isFalse();
        assertThat(info.path()).isEqualTo(path);
        assertThat(info.verb()).isEqualTo(method.toLowerCase(Locale.ROOT));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"metadata.name=one,one", "metadata.name==one,one", "'status.phase=Running,metadata.name=one',one",
            "metadata.name!=one,''", "'',''", "'type!=x\\,metadata.name=one',''", "metadata.name=a%2Fb,''",
            "metadata.name=one\\x,''", "'metadata.name=one,type=a=b',''", "metadata.name=..,''", "metadata.name,''"})
    void aListOfOneNameIsAboutThatName(String fieldSelector, String name) {
        String query = "fieldSelector=" + URLEncoder.encode(fieldSelector, StandardCharsets.UTF_8);

        assertThat(of("GET", "/api/v1/namespaces/n/secrets", query).name()).isEqualTo(name);
        assertThat(of("GET", "/api/v1/namespaces/n/secrets", query + "&watch=1").verb()).isEqualTo("watch");
    }
}
