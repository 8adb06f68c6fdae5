package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Objects;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * Passes the bytes of a client and of a {@link Backend} on to each other, after both have switched protocols, until one
 * of them ends or neither sends anything for {@link Backend#IDLE}. The connection's thread copies to the client, a
 * second virtual thread copies from it. Public because Tomcat creates it.
 */
public final class Tunnel implements HttpUpgradeHandler {
    private static final int CHUNK = 16 * 1024;
    private static final Duration CHECK = Duration.ofSeconds(30);

    private @Nullable Backend backend;
    private ApiProtocol.@Nullable Connection client;
    private Duration writeTimeout = Duration.ZERO;
    private @Nullable Clock clock;
    private volatile long moved;

    /** @param writeTimeout how long the client may read nothing of what is sent */
    static void accept(HttpServletRequest request, HttpServletResponse response, Backend backend,
            Duration writeTimeout, Clock clock) throws IOException {
        backend.copyHead(response);
        try {
            Tunnel tunnel = request.upgrade(Tunnel.class);
            tunnel.backend = backend;
            tunnel.client = ApiProtocol.current();
            tunnel.writeTimeout = writeTimeout;
            tunnel.clock = clock;
        } catch (ServletException e) {
            throw new IOException("a connection could not be passed on", e);
        }
    }

    @Override
    public void init(WebConnection connection) {
        Backend server = Objects.requireNonNull(backend, "the connection was not accepted");
        if (client != null) {
            client.keepAlive();
            client.limitWrites(writeTimeout);
        }
        Clock time = Objects.requireNonNull(clock, "the connection was not accepted");
        moved = time.nanoTime();
        try (connection; server) {
            server.setReadTimeout(CHECK);
            InputStream in = connection.getInputStream();
            OutputStream out = connection.getOutputStream();
            Thread.ofVirtual().name("apiserver-tunnel").start(() -> {
                try (server) {
                    copy(in, server.out(), time);
                } catch (IOException | IllegalStateException e) {
                    // One side is gone, so the other one ends, too.
                }
            });
            copy(server.in(), out, time);
        } catch (IOException e) {
            // One side is gone.
        } catch (Exception e) {
            throw new IllegalStateException("a connection that was passed on could not be closed", e);
        }
    }

    private void copy(InputStream from, OutputStream to, Clock time) throws IOException {
        byte[] buffer = new byte[CHUNK];
        while (true) {
            int read;
            try {
                read = from.read(buffer);
            } catch (SocketTimeoutException e) {
                if (time.nanoTime() - moved > Backend.IDLE.toNanos()) {
                    return;
                }
                continue;
            }
            if (read < 0) {
                return;
            }
            moved = time.nanoTime();
            to.write(buffer, 0, read);
            to.flush();
            // A virtual thread keeps its carrier as long as there are bytes.
            Thread.yield();
        }
    }

    @Override
    public void destroy() {
        Backend server = backend;
        if (server != null) {
            server.close();
        }
    }
}
