package dev.wheelhouse;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Passes connections on to a port of this machine, except while it is cut. */
public final class Relay implements AutoCloseable {
    private final ServerSocket socket = listen();
    private final int target;
    private final Consumer<String> requests;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    public Relay(int target) {
        this(target, line -> {});
    }

    /** @param requests gets the first line of everything that a client sends at once, before it is passed on */
    public Relay(int target, Consumer<String> requests) {
        this.target = target;
        this.requests = requests;
        Thread.ofVirtual().name("relay").start(this::accept);
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** Ends all connections, and further ones as soon as they are opened. */
    public void cut() {
        cut = true;
        open.forEach(Relay::close);
        open.clear();
    }

    /** Passes new connections on again. */
    public void mend() {
        cut = false;
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                open.addAll(List.of(client, server));
                if (cut) {
                    close(client);
                    close(server);
                }
                Thread.ofVirtual().start(() -> pass(client, server, requests));
                Thread.ofVirtual().start(() -> pass(server, client, line -> {}));
            } catch (IOException e) {
                // The relay was closed, or the connection broke.
            }
        }
    }

    private void pass(Socket from, Socket to, Consumer<String> lines) {
        byte[] buffer = new byte[1 << 14];
        try (from; to) {
            for (int read; (read = from.getInputStream().read(buffer)) >= 0;) {
                lines.accept(new String(buffer, 0, read, StandardCharsets.ISO_8859_1).lines().findFirst().orElse(""));
                to.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            // The connection was cut.
        } finally {
            open.removeAll(List.of(from, to));
        }
    }

    private static void close(Closeable of) {
        try {
            of.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        close(socket);
        cut();
    }
}
