package dev.wheelhouse.node.cri;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.HttpHead;

/**
 * One request to the node's server over TLS, and the connection on which it came, which ends with its answer. The
 * server closes the connection when its time is over: {@link #HEAD} for the head, then {@link #IDLE} after the last
 * byte in either direction.
 */
final class Exchange implements Closeable {
    static final int CHUNK = 32 * 1024;
    /** The time for the handshake and the head of the request. */
    private static final Duration HEAD = Duration.ofSeconds(30);
    /** Upstream: {@code streamingConnectionIdleTimeout} of kubelets. */
    private static final Duration IDLE = Duration.ofHours(4);

    private final Socket socket;
    private final Clock clock;
    private final List<Closeable> behind = new ArrayList<>();
    private InputStream in = InputStream.nullInputStream();
    private OutputStream out = OutputStream.nullOutputStream();
    private HttpHead head = new HttpHead(List.of());
    private List<String> path = List.of();
    private Map<String, List<String>> query = Map.of();
    private volatile long deadline;
    private boolean closed;

    /** @param socket under the TLS: to close it waits for nothing */
    Exchange(Socket socket, Clock clock) {
        this.socket = socket;
        this.clock = clock;
        this.deadline = clock.deadline(HEAD);
    }

    /**
     * Reads the head.
     *
     * @param tls over the socket
     * @throws IOException if it does not come
     * @throws IllegalArgumentException if it is no request
     */
    void read(Socket tls) throws IOException {
        in = new BufferedInputStream(tls.getInputStream(), CHUNK);
        out = moving(tls.getOutputStream());
        head = HttpHead.read(in);
        String target = head.word(1);
        if (!target.startsWith("/") || !head.word(2).startsWith("HTTP/1.")) {
            throw new IllegalArgumentException("this is no request of HTTP/1.1");
        }
        int mark = target.indexOf('?');
        path = Stream.of((mark < 0 ? target : target.substring(0, mark)).substring(1).split("/"))
                .map(part -> decoded(part.replace("+", "%2B"))).toList();
        Map<String, List<String>> found = new LinkedHashMap<>();
        for (String pair : mark < 0 ? new String[0] : target.substring(mark + 1).split("&")) {
            int equals = pair.indexOf('=');
            found.computeIfAbsent(decoded(equals < 0 ? pair : pair.substring(0, equals)), name -> new ArrayList<>())
                    .add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        query = found;
        moved();
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    HttpHead head() {
        return head;
    }

    String method() {
        return head.word(0);
    }

    /** The decoded segments of the path. */
    List<String> path() {
        return path;
    }

    /** A segment of the path; empty if there is none. */
    String segment(int index) {
        return index < path.size() ? path.get(index) : "";
    }

    /** The first value of a parameter; empty if there is none. */
    String parameter(String name) {
        return parameters(name).isEmpty() ? "" : parameters(name).getFirst();
    }

    List<String> parameters(String name) {
        return query.getOrDefault(name, List.of());
    }

    boolean flag(String name) {
        return List.of("1", "true").contains(parameter(name));
    }

    Socket socket() {
        return socket;
    }

    InputStream in() {
        return in;
    }

    /** Where the bytes of the answer go. Each write puts off the end of the connection. */
    OutputStream out() {
        return out;
    }

    private OutputStream moving(OutputStream to) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[]{(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                to.write(bytes, offset, length);
                moved();
            }
        };
    }

    /** Sends the head of an answer whose end is the end of the connection. */
    void begin(int code, String type) throws IOException {
        out.write(("HTTP/1.1 " + code + " " + (code < 300 ? "OK" : "Refused") + "\r\nContent-Type: " + type
                + "\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
    }

    void answer(int code, String text) throws IOException {
        answer(code, "text/plain; charset=utf-8", text);
    }

    void answer(int code, String type, String text) throws IOException {
        begin(code, type);
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes have come or gone. A virtual thread would keep its carrier as long as there are bytes. */
    void moved() {
        deadline = clock.deadline(IDLE);
        Thread.yield();
    }

    /** Copies until one side ends. */
    void copy(InputStream from, OutputStream to) throws IOException {
        byte[] buffer = new byte[CHUNK];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            moved();
            to.write(buffer, 0, read);
            to.flush();
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    boolean isOverdue() {
        return clock.nanoTime() - deadline > 0;
    }

    /** Adds a connection that ends with this one. */
    <T extends Closeable> T with(T other) throws IOException {
        synchronized (this) {
            if (!closed) {
                behind.add(other);
                return other;
            }
        }
        other.close();
        throw new IOException("the connection was closed");
    }

    @Override
    public void close() {
        List<Closeable> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(behind);
            behind.clear();
        }
        all.add(socket);
        for (Closeable each : all) {
            try {
                each.close();
            } catch (IOException e) {
                // It is broken already.
            }
        }
    }
}
