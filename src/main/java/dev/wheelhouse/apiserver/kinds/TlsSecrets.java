package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;

/** Warns of Secrets whose certificate and key do not belong together, in the words of Go's {@code crypto/tls}. */
final class TlsSecrets {
    private static final Pattern BLOCK = Pattern.compile("(?m)^-----BEGIN ([^-\\n]*)-----\\s*$");

    private TlsSecrets() {}

    static void keyPair(Subject data) {
        String problem;
        try {
            problem = problem(decoded(data.value(), "tls.crt"), decoded(data.value(), "tls.key"));
        } catch (IllegalArgumentException e) {
            problem = "tls: failed to parse private key";
        }
        if (!problem.isEmpty()) {
            data.problems().warn("", problem);
        }
    }

    private static String decoded(JsonNode data, String key) {
        return new String(Base64.getDecoder().decode(Json.text(data, key)), StandardCharsets.UTF_8);
    }

    private static String problem(String certificate, String key) {
        List<String> blocks = blocks(certificate);
        if (!blocks.contains("CERTIFICATE")) {
            return blocks.isEmpty()
                    ? "tls: failed to find any PEM data in certificate input"
                    : blocks.size() == 1 && blocks.getFirst().endsWith("PRIVATE KEY")
                            ? "tls: failed to find certificate PEM data in certificate input, but did find a private "
                                    + "key; PEM inputs may have been switched"
                            : "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
                                    + "blocks of the following types: " + shown(blocks);
        }
        blocks = blocks(key);
        if (blocks.stream().noneMatch(type -> type.equals("PRIVATE KEY") || type.endsWith(" PRIVATE KEY"))) {
            return blocks.isEmpty()
                    ? "tls: failed to find any PEM data in key input"
                    : blocks.size() == 1 && blocks.getFirst().equals("CERTIFICATE")
                            ? "tls: found a certificate rather than a key in the PEM for the private key"
                            : "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
                                    + "skipping PEM blocks of the following types: " + shown(blocks);
        }
        List<X509Certificate> certificates;
        try {
            certificates = Pem.certificates(certificate);
        } catch (IllegalArgumentException e) {
            return "x509: malformed certificate";
        }
        if (certificates.isEmpty()) {
            return "x509: malformed certificate";
        }
        PrivateKey secret = Pem.first(key, PrivateKey.class);
        if (secret == null) {
            return "tls: failed to parse private key";
        }
        String type = certificates.getFirst().getPublicKey().getAlgorithm();
        return !type.equals(secret.getAlgorithm())
                ? "tls: private key type does not match public key type"
                : Keys.isPair(secret, certificates.getFirst().getPublicKey())
                        ? ""
                        : "tls: private key does not match public key";
    }

    private static List<String> blocks(String pem) {
        return BLOCK.matcher(pem).results().map(found -> found.group(1)).toList();
    }

    private static String shown(List<String> blocks) {
        return "[" + String.join(" ", blocks) + "]";
    }
}
