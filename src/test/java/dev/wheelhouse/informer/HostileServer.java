package dev.wheelhouse.informer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy before an API server with one or two of the {@link Sickness}es. One request a connection. Health ends every
 * connection that a sickness had to do with.
 */
final class HostileServer implements AutoCloseable {
    private final ServerSocket entrance = listen();
    private final ServerSocket elsewhere = listen();
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile State state = new State(List.of());
    /** Requests that came to where redirects pointed. */
    final AtomicInteger ledAstray = new AtomicInteger();
    final AtomicInteger requests = new AtomicInteger();

    /** The sicknesses until the latch opens. */
    private record State(List<Sickness> sicknesses, CountDownLatch healthy, AtomicInteger turn) {
        State(List<Sickness> sicknesses) {
            this(sicknesses, new CountDownLatch(1), new AtomicInteger());
        }
    }

    /** A request. @param head with the line's end before the empty line */
    record Request(String method, String path, String query, String head, byte[] body) {
        boolean isWatch() {
            return query.contains("watch=true") || query.contains("watch=1");
        }

        boolean isWrite() {
            return !method.equals("GET");
        }

        boolean isDiscovery() {
            return path.equals("/api") || path.equals("/apis") || path.equals("/version")
                    || path.matches("/api/[^/]+|/apis/[^/]+(/[^/]+)?");
        }

        /** Lists come with parameters, or of a path that ends with a type. */
        boolean isList() {
            return method.equals("GET") && !isWatch() && !isDiscovery()
                    && path.replaceFirst("^/(api|apis/[^/]+)/[^/]+", "").replaceFirst("^/namespaces/[^/]+/", "/")
                            .chars().filter(c -> c == '/').count() == 1;
        }
    }

    /** One connection of a client, with its request. */
    final class Exchange {
        final Request request;
        final Socket client;
        private final State sick;

        private Exchange(Request request, Socket client, State sick) {
            this.request = request;
            this.client = client;
            this.sick = sick;
        }

        OutputStream out() throws IOException {
            return client.getOutputStream();
        }

        void answer(String status, String headers, byte[] body) throws IOException {
            out().write(("HTTP/1.1 " + status + "\r\n" + headers + "Connection: close\r\nContent-Length: " + body.length
                    + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            out().write(body);
            out().flush();
        }

        void json(String status, String body) throws IOException {
            answer(status, "Content-Type: application/json\r\n", body.getBytes(StandardCharsets.UTF_8));
        }

        void headOfStream() throws IOException {
            out().write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.ISO_8859_1));
            out().flush();
        }

        /** Sends the request on. The answer's body ends with the connection. */
        Answer forward() throws IOException {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(server);
            try {
                String head = request.head.replaceFirst(" HTTP/1.1\r\n", " HTTP/1.0\r\n")
                        .replaceAll("(?i)\r\nConnection:[^\r]*", "");
                server.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
                server.getOutputStream().write(request.body);
                server.getOutputStream().flush();
                InputStream in = new BufferedInputStream(server.getInputStream());
                return new Answer(server, readHead(in), in);
            } catch (IOException e) {
                end(server);
                throw e;
            }
        }

        void relay(Answer answer) throws IOException {
            out().write((answer.head.replaceAll("(?i)\r\nConnection:[^\r]*", "") + "Connection: close\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            out().flush();
            answer.body.transferTo(out());
            out().flush();
        }

        /** Waits until it is healthy, then cuts. */
        void untilHealthy() {
            try {
                sick.healthy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        boolean isHealthy() {
            return sick.healthy.getCount() == 0;
        }

        void reset() throws IOException {
            client.setSoLinger(true, 0);
            client.close();
        }

        int elsewhere() {
            return elsewhere.getLocalPort();
        }
    }

    /** An answer of the server, whose body is still to be read. */
    final class Answer implements AutoCloseable {
        private final Socket server;
        final String head;
        final InputStream body;

        private Answer(Socket server, String head, InputStream body) {
            this.server = server;
            this.head = head;
            this.body = body;
        }

        boolean isGood() {
            return head.matches("(?s)HTTP/1.. 2\\d\\d.*");
        }

        @Override
        public void close() {
            end(server);
        }
    }

    /** @param url of the server */
    HostileServer(String url) {
        this.target = URI.create(url).getPort();
        accept(entrance, this::serve);
        accept(elsewhere, client -> {
            ledAstray.incrementAndGet();
            client.close();
        });
    }

    String url() {
        return "http://127.0.0.1:" + entrance.getLocalPort();
    }

    void fallSick(List<Sickness> sicknesses) {
        State before = state;
        state = new State(sicknesses);
        before.healthy.countDown();
        cut();
    }

    void recover() {
        fallSick(List.of());
    }

    private void cut() {
        sockets.forEach(HostileServer::end);
        sockets.clear();
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    interface Service {
        void to(Socket client) throws IOException;
    }

    private void accept(ServerSocket socket, Service service) {
        Thread.ofVirtual().name("hostile server").start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    sockets.add(client);
                    Thread.ofVirtual().name("hostile server's connection").start(() -> {
                        try (client) {
                            service.to(client);
                        } catch (IOException e) {
                            // One of the two went away.
                        } finally {
                            sockets.remove(client);
                        }
                    });
                } catch (IOException e) {
                    // It was closed.
                }
            }
        });
    }

    private void serve(Socket client) throws IOException {
        State now = state;
        InputStream in = new BufferedInputStream(client.getInputStream());
        String head = readHead(in);
        if (head.isEmpty()) {
            return;
        }
        requests.incrementAndGet();
        String[] line = head.substring(0, head.indexOf('\r')).split(" ");
        String[] target = line[1].split("\\?", 2);
        Request request = new Request(line[0], target[0], target.length > 1 ? target[1] : "", head,
                in.readNBytes(length(head)));
        Exchange exchange = new Exchange(request, client, now);
        for (Sickness sickness : inTurn(now)) {
            if (sickness.befalls(exchange)) {
                return;
            }
        }
        try (Answer answer = exchange.forward()) {
            exchange.relay(answer);
        }
    }

    /** Of two, now the one and now the other comes first. */
    private static List<Sickness> inTurn(State now) {
        return now.sicknesses.size() > 1 && ThreadLocalRandom.current().nextBoolean()
                ? now.sicknesses.reversed()
                : now.sicknesses;
    }

    private static int length(String head) {
        for (String line : head.split("\r\n")) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                return Integer.parseInt(line.substring(15).strip());
            }
        }
        return 0;
    }

    /** Up to the empty line, which is left out. */
    private static String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int newlines = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            newlines = b == '\n' ? newlines + 1 : b == '\r' ? newlines : 0;
            if (newlines == 2) {
                return head.toString(StandardCharsets.ISO_8859_1).substring(0, head.size() - 2);
            }
        }
        return "";
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It has ended.
        }
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        elsewhere.close();
        state.healthy.countDown();
        cut();
    }
}
