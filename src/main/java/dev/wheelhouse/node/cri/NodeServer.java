package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import jdk.net.ExtendedSocketOptions;

/**
 * The server of a node, which API servers ask for logs, streams and usage (upstream:
 * {@code pkg/kubelet/server/server.go}). Its certificate is signed by itself, as a kubelet's is by default. Each
 * connection has a virtual thread and serves one request. Thread safe.
 */
final class NodeServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NodeServer.class);
    private static final int MOST_CONNECTIONS = 1_000;
    private static final int SWEEP_MILLIS = 5_000;
    /** As Go's servers have it: a client whose machine is gone is noticed after some two minutes. */
    private static final int KEEP_ALIVE_SECONDS = 15;
    private static final Duration LIFE = Duration.ofDays(365);

    /** Answers a request. */
    interface Handler {
        /** @param peer the certificate that the client showed, whoever signed it; null if it showed none */
        void serve(Exchange exchange, @Nullable X509Certificate peer) throws IOException;
    }

    private final String node;
    private final Handler handler;
    private final Clock clock;
    private final SSLSocketFactory tls;
    private final ServerSocket socket = new ServerSocket();
    private final Set<Exchange> open = ConcurrentHashMap.newKeySet();

    /**
     * Listens on all addresses.
     *
     * @param port null for kubelet's port, or any free one if that is taken; 0 for any free one
     * @throws IOException if the port is taken; the message names the remedy
     */
    NodeServer(String node, String address, @Nullable Integer port, Handler handler, Clock clock) throws IOException {
        this.node = node;
        this.handler = handler;
        this.clock = clock;
        try {
            this.tls = tls(node, address, clock).getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate could be made: " + e.getMessage(), e);
        }
        bind(port);
        socket.setSoTimeout(SWEEP_MILLIS);
    }

    private void bind(@Nullable Integer port) throws IOException {
        try {
            socket.bind(new InetSocketAddress(port == null ? CriNode.DEFAULT_PORT : port));
        } catch (BindException e) {
            if (port != null) {
                socket.close();
                throw new IOException("the port " + port + " is taken: choose another one with "
                        + "--wheelhouse.node.port, or 0 for any free one", e);
            }
            socket.bind(new InetSocketAddress(0));
            log.info("the server of the node {} listens on port {}, because port {} is taken", node,
                    socket.getLocalPort(), CriNode.DEFAULT_PORT);
        }
    }

    private static SSLContext tls(String node, String address, Clock clock) throws GeneralSecurityException {
        KeyPair keys = Keys.newPair();
        SigningAuthority own = SigningAuthority.create(node + "-ca", Keys.newPair(), clock.now());
        return AnyPeer.context(keys.getPrivate(),
                own.serving(node, keys.getPublic(), List.of(node, address), LIFE, clock.now()), own.certificate());
    }

    int port() {
        return socket.getLocalPort();
    }

    void start(LoopRunner threads) {
        threads.run(node + "/server", () -> {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    client.setTcpNoDelay(true);
                    client.setKeepAlive(true);
                    client.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
                    client.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
                    Exchange exchange = new Exchange(client, clock);
                    if (open.size() >= MOST_CONNECTIONS) {
                        exchange.close();
                        continue;
                    }
                    open.add(exchange);
                    threads.run(node + "/server-connection", () -> serve(exchange));
                } catch (SocketTimeoutException e) {
                    // It is time to look after the open connections.
                } catch (IOException e) {
                    if (!socket.isClosed()) {
                        log.debug("a connection to the node {} was not accepted", node, e);
                    }
                }
                open.stream().filter(Exchange::isOverdue).forEach(Exchange::close);
            }
        });
    }

    private void serve(Exchange exchange) {
        try (exchange; SSLSocket client = (SSLSocket) tls.createSocket(exchange.socket(), null, true)) {
            client.setWantClientAuth(true);
            try {
                exchange.read(client);
                handler.serve(exchange, peer(client));
            } catch (IllegalArgumentException e) {
                exchange.answer(400, String.valueOf(e.getMessage()));
            } catch (CriException e) {
                exchange.answer(500, String.valueOf(e.getMessage()));
            }
        } catch (IOException e) {
            // The client is gone, or sent no request.
            log.debug("a request to the node {} ended early", node, e);
        } finally {
            open.remove(exchange);
        }
    }

    private static @Nullable X509Certificate peer(SSLSocket tls) {
        try {
            return tls.getSession().getPeerCertificates()[0] instanceof X509Certificate first ? first : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            log.debug("the server of the node {} did not close", node, e);
        }
        open.forEach(Exchange::close);
    }
}
