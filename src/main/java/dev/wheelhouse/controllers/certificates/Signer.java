package dev.wheelhouse.controllers.certificates;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.CertificateRequest;

/**
 * The signers of Kubernetes and the requests that each of them accepts (upstream: {@code signer/signer.go} and
 * {@code pkg/apis/certificates/helpers.go}). Pure functions.
 */
enum Signer {
    KUBELET_SERVING("kubernetes.io/kubelet-serving"), KUBELET_CLIENT("kubernetes.io/kube-apiserver-client-kubelet"),
    API_SERVER_CLIENT("kubernetes.io/kube-apiserver-client"), LEGACY_UNKNOWN("kubernetes.io/legacy-unknown");

    private static final Set<String> OF_CLIENTS = Set.of("digital signature", "key encipherment", "client auth");
    private static final List<String> NODES = List.of("system:nodes");
    private static final String NOT_NODES = "subject organization is not system:nodes";
    private static final String NOT_A_NODE = "subject common name does not begin with system:node:";

    final String name;

    Signer(String name) {
        this.name = name;
    }

    /** The signer of a name; null for a name that Kubernetes does not define. */
    static @Nullable Signer of(String name) {
        return Stream.of(values()).filter(signer -> signer.name.equals(name)).findFirst().orElse(null);
    }

    /** Why the signer refuses an approved request; null if it accepts the request. */
    @Nullable
    String problem(CertificateRequest request, List<String> usages) {
        return switch (this) {
            case KUBELET_SERVING -> problemOfServing(request, usages);
            case KUBELET_CLIENT -> problemOfKubelet(request, usages);
            case API_SERVER_CLIENT -> problemOfClient(usages);
            case LEGACY_UNKNOWN -> null;
        };
    }

    private static @Nullable String problemOfServing(CertificateRequest request, List<String> usages) {
        if (!request.organizations().equals(NODES)) {
            return NOT_NODES;
        }
        if (!request.has(GeneralName.dNSName) && !request.has(GeneralName.iPAddress)) {
            return "DNS or IP subjectAltName is required";
        }
        String names = unwanted(request, GeneralName.rfc822Name, GeneralName.uniformResourceIdentifier);
        String wrong = names != null ? names : otherUsages(usages, "server auth");
        return wrong != null || isNode(request) ? wrong : NOT_A_NODE;
    }

    private static @Nullable String problemOfKubelet(CertificateRequest request, List<String> usages) {
        if (!request.organizations().equals(NODES)) {
            return NOT_NODES;
        }
        String names = unwanted(request, GeneralName.dNSName, GeneralName.rfc822Name, GeneralName.iPAddress,
                GeneralName.uniformResourceIdentifier);
        return names != null ? names : isNode(request) ? otherUsages(usages, "client auth") : NOT_A_NODE;
    }

    private static @Nullable String problemOfClient(List<String> usages) {
        return usages.stream().filter(usage -> !OF_CLIENTS.contains(usage)).findFirst()
                .map(usage -> "invalid usage for client certificate: " + usage)
                .orElse(usages.contains("client auth")
                        ? null
                        : "missing required usage for client certificate: client auth");
    }

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
