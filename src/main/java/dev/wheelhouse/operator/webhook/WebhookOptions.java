package dev.wheelhouse.operator.webhook;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where a webhook server listens, and how API servers reach it. Immutable.
 *
 * @param address to listen on
 * @param port 0 for any free port
 * @param namespace of the Service; empty if the API server runs on this machine and calls the address itself
 * @param service the name of the Service whose port 443 leads to this port; empty as the namespace is
 * @param files a directory with {@code tls.crt} and {@code tls.key}, and {@code ca.crt} if the configurations are to
 *     name the authority, such as a mounted Secret of cert-manager; they are read again when they change. Null if the
 *     server makes its own certificates, and keeps them in the Secret {@code SERVICE-tls} for all replicas
 */
public record WebhookOptions(String address, int port, String namespace, String service, @Nullable Path files) {
    private static final int USUAL_PORT = 9443;

    /** For an API server on this machine, such as one in a test: any free port of 127.0.0.1, certificates in memory. */
    public static WebhookOptions local() {
        return new WebhookOptions("127.0.0.1", 0, "", "", null);
    }

    /** For a cluster: port 9443 of all addresses, behind a Service. */
    public static WebhookOptions behind(String namespace, String service) {
        return new WebhookOptions("0.0.0.0", USUAL_PORT, namespace, service, null);
    }

    public WebhookOptions withPort(int other) {
        return new WebhookOptions(address, other, namespace, service, files);
    }

    public WebhookOptions withFiles(Path directory) {
        return new WebhookOptions(address, port, namespace, service, directory);
    }

    /** The name of the Secret with the certificates. */
    public String secret() {
        return service + "-tls";
    }

    boolean isLocal() {
        return service.isEmpty();
    }

    /** The names by which API servers call. The certificates are made for them. */
    List<String> hosts() {
        String host = service + "." + namespace + ".svc";
        return isLocal() ? List.of("localhost", address) : List.of(host, host + ".cluster.local");
    }
}
