package dev.wheelhouse.apiserver;

import java.time.Duration;

import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Checks once a minute whether the server's certificate or the trusted client authorities have changed, and uses them
 * for new connections. Open connections stay as they are. If the new ones cannot be read, the old ones stay in use
 * (upstream: {@code apiserver/pkg/server/dynamiccertificates}).
 */
final class TlsRenewal extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(TlsRenewal.class);
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final AbstractHttp11Protocol<?> protocol;
    private volatile ApiServerOptions.Tls current;
    private String lastWarning = "";

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
            if (!next.equals(before)) {
                protocol.addSslHostConfig(Connectors.sslHost(next), true);
                current = next;
                log.info("new connections use {}", next.certificate().equals(before.certificate())
                        ? "the same certificate and trust other client authorities"
                        : "a new certificate");
            }
            lastWarning = "";
        } catch (AuthConfigException | IllegalArgumentException e) {
            warnOnce(String.valueOf(e.getMessage()));
        }
        return PERIOD.toNanos();
    }

    private void warnOnce(String message) {
        if (!message.equals(lastWarning)) {
            lastWarning = message;
            log.warn("the server keeps its old certificate and client authorities: {}", message);
        }
    }
}
