package dev.wheelhouse.apiserver.rest;

import java.util.function.Supplier;

/**
 * What the REST logic tells of the process that serves it.
 *
 * @param address where clients find it, {@code host:port}; empty while it is served nowhere
 * @param rootCertificates the certificates that its clients trust, as PEM; empty without TLS
 * @param metrics what it counted, in the text format of Prometheus
 */
public record ServerInfo(Supplier<String> address, String rootCertificates, Supplier<String> metrics) {

    /** Of a server without a transport. */
    public static ServerInfo none() {
        return new ServerInfo(() -> "", "", () -> "");
    }
}
