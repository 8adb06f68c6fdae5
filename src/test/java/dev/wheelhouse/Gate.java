package dev.wheelhouse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A network between clients and a server on this machine: it cuts all connections and refuses new ones while it is
 * shut.
 */
public final class Gate implements AutoCloseable {
    private final int target;
    private final int port;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile ServerSocket entrance;

    /** An open one. @param target the server's port */
    public Gate(int target) {
        this.target = target;
        this.entrance = listen(0);
        this.port = entrance.getLocalPort();
    }

    private ServerSocket listen(int at) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), at));
            Thread.ofVirtual().name("gate").start(() -> accept(socket));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port that clients go to. */
    public int port() {
        return port;
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                if (socket.isClosed()) {
                    cut();
                }
                relay(client, server);
                relay(server, client);
            } catch (IOException shut) {
                // Accept the next connection.
            }
        }
    }

    private static void relay(Socket from, Socket to) {
        Thread.ofVirtual().name("gate relay").start(() -> {
            try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
                in.transferTo(out);
            } catch (IOException cut) {
                // Both ends are closed.
            }
        });
    }

    /** Cuts every connection, and refuses others. */
    public void shut() {
        close(entrance);
        cut();
    }

    private void cut() {
        sockets.forEach(Gate::close);
        sockets.clear();
    }

    /** Lets connections through again, at the same port. */
    public void open() {
        entrance = listen(port);
    }

    private static void close(java.io.Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        shut();
    }
}
