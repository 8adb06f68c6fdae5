package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodSecurityConfigTest {
    private static final String OWN = """
            apiVersion: pod-security.admission.config.k8s.io/v1
            kind: PodSecurityConfiguration
            defaults: {enforce: baseline, warn: restricted, warn-version: v1.30}
            exemptions: {usernames: [jane], namespaces: [kube-system], runtimeClasses: [kata]}
            """;

    @TempDir
    private Path directory;

    private PodSecurityConfig read(String config) throws IOException {
        return PodSecurityConfig.read(Files.writeString(directory.resolve("admission.yaml"), config));
    }

    @Test
    void aConfigurationIsReadAsByKubeApiserver() throws IOException {
        Files.writeString(directory.resolve("own.yaml"), OWN);
        PodSecurityConfig inOtherFile = read(
                "{kind: AdmissionConfiguration, plugins: [{name: PodSecurity, path: own.yaml}]}");
        assertThat(inOtherFile).isEqualTo(new PodSecurityConfig(
                Map.of("pod-security.kubernetes.io/enforce", "baseline", "pod-security.kubernetes.io/warn",
                        "restricted", "pod-security.kubernetes.io/warn-version", "v1.30"),
                Set.of("jane"), Set.of("kube-system"), Set.of("kata")));
        assertThat(read("kind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n  configuration:\n    "
                + OWN.replace("\n", "\n    "))).isEqualTo(inOtherFile);
        assertThat(read("kind: AdmissionConfiguration")).isEqualTo(PodSecurityConfig.NONE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"kind: Pod | kind is \"Pod\" instead of AdmissionConfiguration",
            "{kind: AdmissionConfiguration, plugins: [{name: Quota}]} | plugins[].name is \"Quota\": only PodSecurity",
            "{kind: AdmissionConfiguration, plugins: [{name: PodSecurity, path: none.yaml}]} | there is no such file",
            "{kind: AdmissionConfiguration, plugins: [{name: PodSecurity, configuration: {defaults: {enforce: hard}}}]}"
                    + " | defaults.enforce is \"hard\": enforce, audit and warn are privileged, baseline or restricted",
            "{kind: AdmissionConfiguration, plugins: [{name: PodSecurity, configuration: {defaults: "
                    + "{warn-version: x}}}]}"
                    + " | defaults.warn-version is \"x\"",
            "'{' | cannot be read"})
    void aFileThatSaysSomethingElseIsRefused(String config, String reason) {
        assertThatThrownBy(() -> read(config)).isInstanceOf(AuthConfigException.class).hasMessageContaining(reason)
                .hasMessageContaining("the configuration " + directory);
    }
}
