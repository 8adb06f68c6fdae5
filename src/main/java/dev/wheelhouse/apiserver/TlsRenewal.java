package dev.wheelhouse.apiserver;

import java.time.Duration;

import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Looks once a minute whether the server is to be served by another certificate, or to trust other authorities, and serves new
 * connections by it; those that are open go on. A certificate that cannot be read leaves the old one in its place (upstream:
 * {@code apiserver/pkg/server/dynamiccertificates}).
 */
final class TlsRenewal extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(TlsRenewal.class);
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final AbstractHttp11Protocol<?> protocol;
    private volatile ApiServerOptions.Tls current;
    private String complaint = "";

    TlsRenewal(AbstractHttp11Protocol<?> protocol, ApiServerOptions.Tls first) {
        this.protocol = protocol;
        this.current = first;
    }

    /** The certificate and authorities of new connections. */
    ApiServerOptions.Tls current() {
        return current;
    }

    @Override
    public synchronized long step() {
        if (isClosed()) {
            return IDLE;
        }
        ApiServerOptions.Tls before = current;
        try {
            ApiServerOptions.Tls next = before.renewal().apply(before);
            if (next != before) {
                protocol.addSslHostConfig(Connectors.sslHost(next), true);
                current = next;
                log.info("new connections are served by {}", next.certificate() == before.certificate()
                        ? "the same certificate, and other client authorities are trusted"
                        : "a new certificate");
            }
            complaint = "";
        } catch (AuthConfigException | IllegalArgumentException e) {
            complain(String.valueOf(e.getMessage()));
        }
        return PERIOD.toNanos();
    }

    private void complain(String message) {
        if (!message.equals(complaint)) {
            complaint = message;
            log.warn("the server goes on with its old certificate and client authorities: {}", message);
        }
    }
}
