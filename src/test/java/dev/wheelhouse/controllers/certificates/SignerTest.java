package dev.wheelhouse.controllers.certificates;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.pki.CertificateRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The requests that each signer accepts (upstream: {@code signer_test.go}, {@code helpers_test.go}). */
class SignerTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-",
            textBlock = """
                    KUBELET|N||DS,key encipherment,client auth|-
                    KUBELET|N||client auth,DS|-
                    KUBELET|CN=system:node:a,O=nodes||DS,client auth|subject organization is not system:nodes
                    KUBELET|N,O=x||DS,client auth|subject organization is not system:nodes
                    KUBELET|CN=a,O=system:nodes||client auth|subject common name does not begin with system:node:
                    KUBELET|N||client auth|usages did not match [client auth digital signature key encipherment]
                    KUBELET|N|dns:a|DS,client auth|DNS subjectAltNames are not allowed
                    KUBELET|N|email:a@b|DS,client auth|Email subjectAltNames are not allowed
                    KUBELET|N|ip:10.0.0.1|DS,client auth|IP subjectAltNames are not allowed
                    KUBELET|N|uri:http://a|DS,client auth|URI subjectAltNames are not allowed
                    SERVING|N|dns:a,ip:10.0.0.1|DS,server auth|-
                    SERVING|N|ip:10.0.0.1|DS,key encipherment,server auth|-
                    SERVING|N||DS,server auth|DNS or IP subjectAltName is required
                    SERVING|N|dns:a,email:a@b|DS,server auth|Email subjectAltNames are not allowed
                    SERVING|N|dns:a,uri:http://a|DS,server auth|URI subjectAltNames are not allowed
                    SERVING|N|dns:a|client auth|usages did not match [digital signature key encipherment server auth]
                    SERVING|CN=a,O=sn|dns:a|DS,server auth|subject common name does not begin with system:node:
                    SERVING|CN=a|dns:a|DS,server auth|subject organization is not system:nodes
                    CLIENT|CN=eve|dns:a|client auth|-
                    CLIENT|CN=eve||client auth,DS,key encipherment|-
                    CLIENT|CN=eve||DS|missing required usage for client certificate: client auth
                    CLIENT|CN=eve||client auth,server auth|invalid usage for client certificate: server auth
                    LEGACY|CN=eve|email:a@b|code signing|-
                    """)
    void acceptsOrSaysWhyNot(String called, String subject, String names, String usages, String problem) {
        Signer signer = switch (called) {
            case "KUBELET" -> Signer.KUBELET_CLIENT;
            case "SERVING" -> Signer.KUBELET_SERVING;
            case "CLIENT" -> Signer.API_SERVER_CLIENT;
            default -> Signer.LEGACY_UNKNOWN;
        };
        List<String> given = List.of(usages.replace("DS", "digital signature").split(","));
        String full = subject.replaceFirst("^N", "CN=system:node:a,O=system:nodes").replace("O=sn", "O=system:nodes");
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
