package dev.wheelhouse.controllers.certificates;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.CertificateRequest;

/**
 * The signers of Kubernetes and the requests that each of them accepts (upstream: {@code signer/signer.go} and
 * {@code pkg/apis/certificates/helpers.go}). Pure functions.
 */
enum Signer {
    KUBELET_SERVING("kubernetes.io/kubelet-serving") {
        @Override
        @Nullable
        String problem(CertificateRequest request, List<String> usages) {
            if (!request.organizations().equals(NODES)) {
                return NOT_NODES;
            }
            if (!request.has(GeneralName.dNSName) && !request.has(GeneralName.iPAddress)) {
                return "DNS or IP subjectAltName is required";
            }
            String names = unwanted(request, GeneralName.rfc822Name, GeneralName.uniformResourceIdentifier);
            if (names != null) {
                return names;
            }
            String wrong = otherUsages(usages, "server auth");
            return wrong != null ? wrong : isNode(request) ? null : NOT_A_NODE;
        }
    },
    KUBELET_CLIENT("kubernetes.io/kube-apiserver-client-kubelet") {
        @Override
        @Nullable
        String problem(CertificateRequest request, List<String> usages) {
            if (!request.organizations().equals(NODES)) {
                return NOT_NODES;
            }
            String names = unwanted(request, GeneralName.dNSName, GeneralName.rfc822Name, GeneralName.iPAddress,
                    GeneralName.uniformResourceIdentifier);
            if (names != null) {
                return names;
            }
            return isNode(request) ? otherUsages(usages, "client auth") : NOT_A_NODE;
        }
    },
    API_SERVER_CLIENT("kubernetes.io/kube-apiserver-client") {
        @Override
        @Nullable
        String problem(CertificateRequest request, List<String> usages) {
            for (String usage : usages) {
                if (!Set.of("digital signature", "key encipherment", "client auth").contains(usage)) {
                    return "invalid usage for client certificate: " + usage;
                }
            }
            return usages.contains("client auth")
                    ? null
                    : "missing required usage for client certificate: client auth";
        }
    },
    LEGACY_UNKNOWN("kubernetes.io/legacy-unknown") {
        @Override
        @Nullable
        String problem(CertificateRequest request, List<String> usages) {
            return null;
        }
    };

    private static final List<String> NODES = List.of("system:nodes");
    private static final String NOT_NODES = "subject organization is not system:nodes";
    private static final String NOT_A_NODE = "subject common name does not begin with system:node:";

    final String name;

    Signer(String name) {
        this.name = name;
    }

    /** The signer of a name; null for a name that Kubernetes does not define. */
    static @Nullable Signer of(String name) {
        for (Signer signer : values()) {
            if (signer.name.equals(name)) {
                return signer;
            }
        }
        return null;
    }

    /** Why the signer refuses an approved request; null if it accepts the request. */
    abstract @Nullable String problem(CertificateRequest request, List<String> usages);

    private static boolean isNode(CertificateRequest request) {
        return request.commonName().startsWith("system:node:");
    }

    private static @Nullable String unwanted(CertificateRequest request, int... types) {
        for (int type : types) {
            if (request.has(type)) {
                return switch (type) {
                    case GeneralName.dNSName -> "DNS";
                    case GeneralName.rfc822Name -> "Email";
                    case GeneralName.iPAddress -> "IP";
                    default -> "URI";
                } + " subjectAltNames are not allowed";
            }
        }
        return null;
    }

    /** A request for a key that is not RSA leaves out the encipherment of keys. */
    private static @Nullable String otherUsages(List<String> usages, String purpose) {
        Set<String> wanted = new TreeSet<>(Set.of("digital signature", "key encipherment", purpose));
        Set<String> given = new TreeSet<>(usages);
        return given.equals(wanted) || given.equals(Set.of("digital signature", purpose))
                ? null
                : "usages did not match " + wanted.toString().replace(",", "");
    }
}
