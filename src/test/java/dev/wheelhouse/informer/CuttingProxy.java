package dev.wheelhouse.informer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy between a client and a server. It passes a limited number of bytes of a response body, then closes the
 * connection. It handles one request per connection, without a request body.
 */
final class CuttingProxy implements AutoCloseable {
    static final long ALL = Long.MAX_VALUE;

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private volatile long limit = ALL;
    private volatile int piece = 64 * 1024;
    /** The bytes of bodies that have passed since the limit was set, with all that the client has read. */
    final AtomicLong through = new AtomicLong();

    CuttingProxy(int target) throws IOException {
        this.target = target;
        Thread.ofVirtual().name("cutting proxy").start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    Thread.ofVirtual().name("cutting proxy connection").start(() -> relay(client));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    /** Sets how many bytes of the body of each further response pass. */
    void letThrough(long bytes) {
        through.set(0);
        limit = bytes;
    }

    /** Sets the maximum number of bytes that are sent at once. */
    void sendInPiecesOf(int bytes) {
        piece = bytes;
    }

    /** Closes all connections. */
    void cutAll() {
        connections.forEach(CuttingProxy::close);
        connections.clear();
    }

    private static void close(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // The proxy was closed.
        }
    }

    private void relay(Socket client) {
        long left = limit;
        try (client; Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            connections.add(client);
            connections.add(server);
            client.setTcpNoDelay(true);
            byte[] request = head(new BufferedInputStream(client.getInputStream()));
            if (request.length == 0) {
                return;
            }
            // Force one request per connection; otherwise the next request would reuse it.
            server.getOutputStream().write(new String(request, StandardCharsets.ISO_8859_1)
                    .replace("Connection: Keep-Alive", "Connection: close").getBytes(StandardCharsets.ISO_8859_1));
            InputStream answer = new BufferedInputStream(server.getInputStream());
            OutputStream out = client.getOutputStream();
            out.write(head(answer));
            out.flush();
            byte[] buffer = new byte[piece];
            while (left > 0) {
                int n = answer.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (n < 0) {
                    return;
                }
                // Counted first: the client may have read the bytes before this thread runs again.
                through.addAndGet(n);
                left -= n;
                out.write(buffer, 0, n);
                out.flush();
            }
        } catch (IOException e) {
            // Client or server closed the connection.
        }
    }

    private static byte[] head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int matched = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            matched = b == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : b == '\r' ? 1 : 0;
            if (matched == 4) {
                break;
            }
        }
        return head.toByteArray();
    }

    String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        cutAll();
    }
}
