package dev.wheelhouse.operator.webhook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ExchangeThreads;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * The HTTPS side of a webhook server: the JDK's own server, with bounds on time, on the number of exchanges, and on the
 * memory of their bodies. Thread safe.
 */
final class WebhookEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookEndpoint.class);
    private static final int MOST_EXCHANGES = 256;
    private static final int CHUNK = 64 * 1024;
    /** The memory for bodies, in chunks: 128 MiB, of which one body may have half. */
    private static final int MOST_CHUNKS = 2048;
    private static final int MOST_CHUNKS_OF_ONE = MOST_CHUNKS / 2;
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final Webhooks webhooks;
    private final HttpsServer server;
    private final ExchangeThreads threads;
    private final Semaphore chunks = new Semaphore(MOST_CHUNKS);
    /** Guarded by itself. */
    private final LogBudget failures;

    /**
     * Listens, and serves from now on.
     *
     * @param deadline after which an exchange is interrupted, and its connection closed
     * @throws UncheckedIOException if the port is taken
     */
    WebhookEndpoint(Webhooks webhooks, RotatingKeys keys, WebhookOptions options, Duration deadline, Clock clock) {
        this.webhooks = webhooks;
        this.failures = new LogBudget(clock);
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(new KeyManager[]{keys}, null, null);
            server = HttpsServer.create(
                    new InetSocketAddress(InetAddress.getByName(options.address()), options.port()), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(tls));
        } catch (IOException e) {
            throw new UncheckedIOException("the webhook server cannot listen on " + options.address() + ":"
                    + options.port() + ": " + e.getMessage() + "; choose another port", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        threads = new ExchangeThreads("webhook", MOST_EXCHANGES, WAIT, deadline);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        int taken = 0;
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Hook hook = webhooks.admission(path);
            List<Hook> conversions = webhooks.conversions(path);
            if (hook == null && conversions == null) {
                send(exchange, 404, "no webhook has this path");
                return;
            }
            if (!exchange.getRequestMethod().equals("POST")) {
                send(exchange, 405, "a review is sent by POST");
                return;
            }
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            InputStream in = exchange.getRequestBody();
            while (true) {
                if (taken == MOST_CHUNKS_OF_ONE || !chunks.tryAcquire(WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                    send(exchange, 413, "the review is too large for the memory of this server");
                    return;
                }
                taken++;
                byte[] read = in.readNBytes(CHUNK);
                body.writeBytes(read);
                if (read.length < CHUNK) {
                    break;
                }
            }
            answer(exchange, hook, conversions, body.toByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            chunks.release(taken);
        }
    }

    private void answer(HttpExchange exchange, @Nullable Hook hook,
            @Nullable List<Hook> conversions, byte[] body) throws IOException {
        byte[] answer;
        try {
            answer = hook != null
                    ? AdmissionReviews.admit(hook, body)
                    : AdmissionReviews.convert(List.copyOf(conversions), body);
        } catch (AdmissionReviews.UnreadableException e) {
            send(exchange, 400, String.valueOf(e.getMessage()));
            return;
        } catch (Throwable e) {
            OutOfMemory.check(e);
            String what = exchange.getRequestURI().getPath() + " failed: " + e;
            failures.error(log, "the webhook " + what, e);
            send(exchange, 500, what);
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
    }

    private static void send(HttpExchange exchange, int code, String why) throws IOException {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(code, text.length);
        exchange.getResponseBody().write(text);
    }

    /** Ends connections and exchanges. */
    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
