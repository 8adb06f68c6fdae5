package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Clock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Servers under names that cannot be resolved, which only a proxy reaches. */
class ProxiesTest {
    @TempDir
    private Path dir;

    private final RawServer proxy = new RawServer(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"));
    private final Map<String, String> environment = new HashMap<>();

    ProxiesTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }

    private V1ConfigMap ask(String cluster) throws IOException {
        Path file = Files.writeString(dir.resolve("config"), """
                current-context: far
                contexts: [{name: far, context: {cluster: far}}]
                clusters: [{name: far, cluster: {%s}}]
                """.formatted(cluster));
        var api = new KubeConfigs(environment, dir, dir, Clock.system(), HttpMetrics.NONE).resolve(file, null).api();
        try (HttpKubeClient client = new HttpKubeClient(api, Clock.system())) {
            return client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(ObjectKey.of("default", "a"));
        }
    }

    @Test
    void theProxyOfTheKubeconfigIsUsedAndTakesPrecedenceOverTheEnvironment() throws IOException {
        environment.put("HTTP_PROXY", "http://127.0.0.1:1");
        environment.put("NO_PROXY", "*");
        assertThat(ask("server: \"http://far.invalid:8080\", proxy-url: \"" + proxy.url() + "\"").getMetadata()
                .getName()).isEqualTo("a");
        assertThat(proxy.requests.getLast().line()).startsWith("GET http://far.invalid:8080/api/v1/");
    }

    @Test
    void theProxyOfTheEnvironmentIsUsedByTheServersScheme() throws IOException {
        environment.put("http_proxy", proxy.url().replace("http://", ""));
        environment.put("HTTPS_PROXY", "http://127.0.0.1:1");
        assertThat(ask("server: \"http://far.invalid\"").getMetadata().getName()).isEqualTo("a");
        environment.put("NO_PROXY", "near.invalid,.invalid");
        assertThatThrownBy(() -> ask("server: \"http://far.invalid\"")).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("far.invalid");
    }

    @Test
    void aServerWithTlsIsReachedByATunnelWithTheCredentialsOfTheProxy() throws IOException {
        proxy.answerWith(RawServer.always(502, "no way"));
        environment.put("HTTPS_PROXY", proxy.url().replace("http://", "http://me:secret@"));
        assertThatThrownBy(() -> ask("server: \"https://far.invalid:6443\"")).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("502");
        assertThat(proxy.requests.getLast().line()).isEqualTo("CONNECT far.invalid:6443");
        assertThat(proxy.requests.getLast().headers()).containsEntry("proxy-authorization",
                "Basic " + Base64.getEncoder().encodeToString("me:secret".getBytes(UTF_8)));
    }

    @Test
    void aProxyThatCannotBeUsedIsRefusedWithTheNameOfTheField() {
        assertThatThrownBy(() -> ask("server: \"http://far.invalid\", proxy-url: \"ftp://p\""))
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("field proxy-url of the cluster \"far\" is no proxy");
    }

    @ParameterizedTest(name = "{0}:{1} by \"{2}\"")
    @CsvSource({"localhost, 80, '', true", "127.0.0.9, 80, '', true", "::1, 80, '', true", "far.example, 80, '', false",
            "far.example, 80, '*', true", "far.example, 80, 'near, example', true", "far.example, 80, .example, true",
            "example, 80, .example, false", "example, 80, example, true", "farexample, 80, example, false",
            "far.example, 80, '*.example', true", "far.example, 80, far.example:443, false",
            "far.example, 443, far.example:443, true", "10.1.2.3, 80, 10.1.0.0/16, true",
            "10.2.2.3, 80, 10.1.0.0/16, false", "10.1.2.3, 80, 10.1.2.3:80, true", "10.1.2.3, 80, 10.1.2.3:81, false",
            "fd00::1, 80, fd00::/8, true", "fd00::1, 80, '[fd00::1]:80', true", "fd00::1, 80, 10.0.0.0/8, false",
            "FAR.example, 80, Far.Example, true"})
    void exceptionsAreNamesDomainsAddressesAndNetworks(String host, int port, String list, boolean excepted) {
        assertThat(Proxies.isExcepted(host, port, list)).isEqualTo(excepted);
    }
}
