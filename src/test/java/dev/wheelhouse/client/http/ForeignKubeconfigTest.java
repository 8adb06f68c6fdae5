package dev.wheelhouse.client.http;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Kubeconfigs of others, which must not reach for this machine. */
class ForeignKubeconfigTest {
    private static KubeConfigs.Connection connect(String cluster, String user) {
        String text = """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: a, user: b}}]
                clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'%s}}, {name: other, cluster: {}}]
                users: [{name: b, user: {%s}}]
                """.formatted(cluster, user);
        return new KubeConfigs(Clock.system()).fromOther(text.getBytes(StandardCharsets.UTF_8), "of edge");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            ", certificate-authority: /etc/ssl/ca.pem; token: t; certificate-authority of the cluster \"a\"",
            "''; client-certificate: a.pem, client-key: b.pem; client-certificate of the user \"b\"",
            "''; tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token; tokenFile of the user \"b\"",
            "''; auth-provider: {name: gcp}; auth-provider of the user \"b\""})
    void filesAndProvidersAreRefused(String cluster, String user, String field) {
        assertThatThrownBy(() -> connect(cluster, user)).isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("field " + field).hasMessageContaining("put the data itself into it");
    }

    @Test
    void aPluginIsRefusedAndDoesNotRun(@TempDir Path dir) {
        Path ran = dir.resolve("ran");
        assertThatThrownBy(() -> connect("", "exec: {command: touch, args: ['" + ran
                + "'], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}"))
                .hasMessageContaining("field exec of the user \"b\"");
        assertThat(Files.exists(ran)).isFalse();
    }

    @Test
    void oneThatHasEverythingInItselfConnects() {
        assertThat(connect("", "token: secret").api().getBasePath()).startsWith("https://127.0.0.1:1");
    }
}
