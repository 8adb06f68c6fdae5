package dev.wheelhouse.client.http;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Pem;

/**
 * The file of the certificate authorities of an API server, which may change. Each later read is counted (upstream:
 * client-go {@code transport/ca_rotation.go}). Not thread safe.
 */
final class AuthorityFile {
    private final Path file;
    private final String what;
    private final HttpMetrics metrics;
    private @Nullable String last;

    /** @param what the file in words, for messages */
    AuthorityFile(Path file, String what, HttpMetrics metrics) {
        this.file = file;
        this.what = what;
        this.metrics = metrics;
    }

    /**
     * The content, which is read again unless the known one is enough.
     *
     * @throws KubeConfigException if the file cannot be read. After the first read also if it is empty or has no
     *     certificate
     */
    String pem(RotatingTls.Reread reread) {
        String known = last;
        if (known == null) {
            known = KubeConfigs.text(file, what);
            last = known;
            return known;
        }
        return reread == RotatingTls.Reread.KNOWN ? known : reread(known);
    }

    private String reread(String known) {
        String now;
        try {
            now = KubeConfigs.text(file, what);
        } catch (KubeConfigException e) {
            metrics.authorityRead("failure", "read_error");
            throw e;
        }
        if (now.isEmpty()) {
            throw refused("empty", "is empty");
        }
        if (!now.equals(known)) {
            requireCertificates(now);
            last = now;
        }
        metrics.authorityRead("success", now.equals(known) ? "unchanged" : "updated");
        return now;
    }

    private void requireCertificates(String pem) {
        try {
            if (Pem.certificates(pem).isEmpty()) {
                throw refused("ca_parse_error", "has no certificate");
            }
        } catch (IllegalArgumentException e) {
            throw refused("ca_parse_error", "has no certificate: " + e.getMessage());
        }
    }

    private KubeConfigException refused(String reason, String problem) {
        metrics.authorityRead("failure", reason);
        return new KubeConfigException(what + ", " + file + ", " + problem + "; write certificates as PEM");
    }
}
