package dev.wheelhouse.operator;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.wheelhouse.runtime.ExchangeThreads;

/**
 * Answers a kubelet's probes: {@code /livez}, and {@code /readyz} with the reasons why a process is not ready. Each
 * connection serves one request, and has a deadline. Too many connections close the oldest ones, so clients that
 * connect and say nothing neither use up the process' file descriptors nor keep a probe out. The JDK's own HTTP server
 * is not used, because its only bound on connections is shared by all servers of the process.
 */
final class HealthServer implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 256;
    private static final int MOST_HEAD_BYTES = 16 * 1024;
    private static final String END_OF_HEAD = "\r\n\r\n";
    /** An answer of this size fits into a socket's buffer, so that no write waits for its client. */
    private static final int MOST_ANSWER_CHARACTERS = 4 * 1024;
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration EXCHANGE = Duration.ofSeconds(5);
    private static final long AFTER_A_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerSocket server;
    private final Wheelhouse wheelhouse;
    private final ExchangeThreads threads = new ExchangeThreads("health", MOST_CONNECTIONS, WAIT, EXCHANGE);
    /** The open connections, the oldest first. */
    private final Set<Socket> open = new LinkedHashSet<>();
    private final Thread acceptor = Thread.ofPlatform().daemon().name("wheelhouse/health").unstarted(this::accept);

    private HealthServer(ServerSocket server, Wheelhouse wheelhouse) {
        this.server = server;
        this.wheelhouse = wheelhouse;
    }

    /** @throws UncheckedIOException if the port is taken */
    static HealthServer start(int port, Wheelhouse wheelhouse) {
        try {
            HealthServer health = new HealthServer(new ServerSocket(port, MOST_CONNECTIONS), wheelhouse);
            health.acceptor.start();
            return health;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "port " + port + " for health cannot be opened: choose another, or 0 for any",
                    e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                admit(client);
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    // The process may have no file descriptor left.
                    LockSupport.parkNanos(AFTER_A_FAILURE);
                }
            }
        }
    }

    private void admit(Socket client) throws IOException {
        Socket oldest = null;
        synchronized (open) {
            if (open.size() >= MOST_CONNECTIONS) {
                oldest = open.iterator().next();
                open.remove(oldest);
            }
            open.add(client);
        }
        if (oldest != null) {
            oldest.close();
        }
    }

    private void serve(Socket client) {
        try (client) {
            byte[] answer = answer(head(client)).getBytes(StandardCharsets.UTF_8);
            OutputStream out = client.getOutputStream();
            out.write(answer);
            out.flush();
            client.shutdownOutput();
        } catch (IOException e) {
            // The client has gone, was too slow, or made room for another one.
        } finally {
            synchronized (open) {
                open.remove(client);
            }
        }
    }

    /** The request line and the headers, as far as they come and fit. */
    private static String head(Socket client) throws IOException {
        byte[] bytes = new byte[MOST_HEAD_BYTES];
        int length = 0;
        while (length < bytes.length) {
            int read = client.getInputStream().read(bytes, length, bytes.length - length);
            if (read < 0) {
                break;
            }
            int from = Math.max(0, length - END_OF_HEAD.length() + 1);
            length += read;
            if (new String(bytes, from, length - from, StandardCharsets.ISO_8859_1).contains(END_OF_HEAD)) {
                return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
            }
        }
        throw new IOException("the request is incomplete or too long");
    }

    private String answer(String head) {
        String[] line = head.substring(0, head.indexOf('\r')).split(" ", -1);
        String path = line.length == 3 ? line[1].replaceFirst("\\?.*", "") : "";
        boolean withBody = line[0].equals("GET");
        if (!withBody && !line[0].equals("HEAD")) {
            return answer("405 Method Not Allowed", true, List.of("use GET"));
        }
        return switch (path) {
            case "/livez" -> answer("200 OK", withBody, List.of("ok"));
            case "/readyz" -> wheelhouse.isReady()
                    ? answer("200 OK", withBody, List.of("ok"))
                    : answer("503 Service Unavailable", withBody, wheelhouse.waitingFor());
            default -> answer("404 Not Found", withBody, List.of("there are /livez and /readyz"));
        };
    }

    private static String answer(String status, boolean withBody, List<String> lines) {
        String text = String.join("\n", lines);
        String body = (text.length() > MOST_ANSWER_CHARACTERS
                ? text.substring(0, MOST_ANSWER_CHARACTERS) + "…"
                : text) + "\n";
        return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\nConnection: close\r\n\r\n"
                + (withBody ? body : "");
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.close();
            acceptor.join();
            List<Socket> left;
            synchronized (open) {
                left = List.copyOf(open);
            }
            for (Socket client : left) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            threads.close();
        }
    }
}
