package dev.wheelhouse.controllers.certificates;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The requests that each signer accepts (upstream: {@code signer_test.go}, {@code helpers_test.go}). */
class SignerTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        KUBELET_CLIENT|NODE||DS,key encipherment,client auth|-
        KUBELET_CLIENT|NODE||client auth,DS|-
        KUBELET_CLIENT|CN=system:node:a,O=nodes||DS,client auth|subject organization is not system:nodes
        KUBELET_CLIENT|NODE,O=x||DS,client auth|subject organization is not system:nodes
        KUBELET_CLIENT|CN=a,O=system:nodes||client auth|subject common name does not begin with system:node:
        KUBELET_CLIENT|NODE||client auth|usages did not match [client auth digital signature key encipherment]
        KUBELET_CLIENT|NODE|dns:a|DS,client auth|DNS subjectAltNames are not allowed
        KUBELET_CLIENT|NODE|email:a@b|DS,client auth|Email subjectAltNames are not allowed
        KUBELET_CLIENT|NODE|ip:10.0.0.1|DS,client auth|IP subjectAltNames are not allowed
        KUBELET_CLIENT|NODE|uri:http://a|DS,client auth|URI subjectAltNames are not allowed
        KUBELET_SERVING|NODE|dns:a,ip:10.0.0.1|DS,server auth|-
        KUBELET_SERVING|NODE|ip:10.0.0.1|DS,key encipherment,server auth|-
        KUBELET_SERVING|NODE||DS,server auth|DNS or IP subjectAltName is required
        KUBELET_SERVING|NODE|dns:a,email:a@b|DS,server auth|Email subjectAltNames are not allowed
        KUBELET_SERVING|NODE|dns:a,uri:http://a|DS,server auth|URI subjectAltNames are not allowed
        KUBELET_SERVING|NODE|dns:a|client auth|usages did not match [digital signature key encipherment server auth]
        KUBELET_SERVING|CN=a,O=system:nodes|dns:a|DS,server auth|subject common name does not begin with system:node:
        KUBELET_SERVING|CN=a|dns:a|DS,server auth|subject organization is not system:nodes
        API_SERVER_CLIENT|CN=eve|dns:a|client auth|-
        API_SERVER_CLIENT|CN=eve||client auth,DS,key encipherment|-
        API_SERVER_CLIENT|CN=eve||DS|missing required usage for client certificate: client auth
        API_SERVER_CLIENT|CN=eve||client auth,server auth|invalid usage for client certificate: server auth
        LEGACY_UNKNOWN|CN=eve|email:a@b|code signing|-
        """)
    void acceptsOrSaysWhyNot(Signer signer, String subject, String names, String usages, String problem) {
        List<String> given = List.of(usages.replace("DS", "digital signature").split(","));
        String full = subject.replace("NODE", "CN=system:node:a,O=system:nodes");
        String[] alternatives = names == null ? new String[0] : names.split(",");
        assertThat(signer.problem(SignedRequests.parsed(full, alternatives), given))
                .isEqualTo(problem);
    }

    @Test
    void hasTheNamesOfKubernetesAlone() {
        assertThat(Signer.of("kubernetes.io/kubelet-serving")).isEqualTo(Signer.KUBELET_SERVING);
        assertThat(Signer.of("example.com/signer")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"nonsense", "'-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n'"})
    void bytesThatAreNoRequestAreRefused(String pem) {
        assertThatThrownBy(() -> CertificateRequest.parse(pem.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
