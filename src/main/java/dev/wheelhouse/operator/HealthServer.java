package dev.wheelhouse.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.wheelhouse.runtime.ExchangeThreads;

/** Answers a kubelet's probes: {@code /livez}, and {@code /readyz} with the reasons why a process is not ready. */
final class HealthServer implements AutoCloseable {
    private static final int MOST_EXCHANGES = 256;
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration EXCHANGE = Duration.ofSeconds(5);

    private final HttpServer server;
    private final ExchangeThreads threads;

    private HealthServer(HttpServer server, ExchangeThreads threads) {
        this.server = server;
        this.threads = threads;
    }

    /** @throws UncheckedIOException if the port is taken */
    static HealthServer start(int port, Wheelhouse wheelhouse) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
            server.createContext("/livez", exchange -> answer(exchange, true, List.of("ok")));
            server.createContext("/readyz", exchange -> {
                boolean ready = wheelhouse.isReady();
                answer(exchange, ready, ready ? List.of("ok") : wheelhouse.waitingFor());
            });
            ExchangeThreads threads = new ExchangeThreads("health", MOST_EXCHANGES, WAIT, EXCHANGE);
            server.setExecutor(threads);
            Thread.ofPlatform().daemon().name("wheelhouse/health").start(server::start).join();
            return new HealthServer(server, threads);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "port " + port + " for health cannot be opened: choose another, or 0 for any",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the health server starts", e);
        }
    }

    private static void answer(HttpExchange exchange, boolean good, List<String> lines) throws IOException {
        byte[] body = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(good ? 200 : 503, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
