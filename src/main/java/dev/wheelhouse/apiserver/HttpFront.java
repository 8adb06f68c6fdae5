package dev.wheelhouse.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.rest.ApiException;
import dev.wheelhouse.apiserver.rest.ApiRequest;
import dev.wheelhouse.apiserver.rest.ApiResponse;
import dev.wheelhouse.apiserver.rest.Query;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.rest.WatchFeed;
import dev.wheelhouse.runtime.Clock;

/** Carries the REST logic over HTTP: one blocking virtual thread per request, a watch as a chunked stream of JSON lines. */
final class HttpFront extends HttpServlet {
    private static final long serialVersionUID = 1;
    /** Smaller answers are not worth compressing; upstream's limit. */
    private static final int GZIP_FROM = 128 * 1024;
    private static final long LONGEST_WAIT = Duration.ofSeconds(30).toNanos();

    private final transient Function<ApiRequest, ApiResponse> handler;
    private final transient Clock clock;
    private final int maxBody;
    private final int maxWatches;
    private final transient Duration bodyDeadline;
    private final transient AtomicInteger watches = new AtomicInteger();

    HttpFront(Function<ApiRequest, ApiResponse> handler, Clock clock, ApiServerLimits limits) {
        this.handler = handler;
        this.clock = clock;
        this.maxBody = limits.body();
        this.maxWatches = limits.watches();
        this.bodyDeadline = limits.io().multipliedBy(2);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = body(request);
        if (body == null) {
            response.setHeader("Connection", "close");
            send(request, response, RestServer.tooLarge(maxBody));
            return;
        }
        ApiResponse answer;
        try {
            answer = handler.apply(new ApiRequest(request.getMethod(), request.getRequestURI(),
                    Query.parse(request.getQueryString()), header(request, "Accept"), header(request, "Content-Type"),
                    header(request, "User-Agent"), body));
        } catch (ApiException e) {
            answer = RestServer.answer(e);
        }
        switch (answer) {
            case ApiResponse.Content content -> send(request, response, content);
            case ApiResponse.Stream stream -> watch(request, response, stream);
        }
    }

    private static String header(HttpServletRequest request, String name) {
        String value = request.getHeader(name);
        return value == null ? "" : value;
    }

    /** The body, or null if it is too large. */
    private byte @Nullable [] body(HttpServletRequest request) throws IOException {
        if (request.getContentLengthLong() > maxBody) {
            return null;
        }
        if (request.getContentLengthLong() == 0) {
            return new byte[0];
        }
        long deadline = clock.deadline(bodyDeadline);
        ByteArrayOutputStream body = new ByteArrayOutputStream((int) Math.max(64, request.getContentLengthLong()));
        byte[] buffer = new byte[8192];
        InputStream in = request.getInputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            body.write(buffer, 0, n);
            if (body.size() > maxBody) {
                return null;
            }
            if (clock.nanoTime() - deadline > 0) {
                throw new IOException("the request's body did not come within " + bodyDeadline);
            }
        }
        return body.toByteArray();
    }

    private static void send(HttpServletRequest request, HttpServletResponse response, ApiResponse.Content content)
            throws IOException {
        response.setStatus(content.code());
        response.setHeader("Content-Type", content.contentType());
        response.setHeader("Cache-Control", "no-cache, private");
        content.headers().forEach(response::setHeader);
        for (String warning : content.warnings()) {
            response.addHeader("Warning", "299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"")
                    .replaceAll("\\p{Cntrl}", " ") + "\"");
        }
        if (content.retryAfter() != null) {
            response.setHeader("Retry-After", String.valueOf(content.retryAfter()));
        }
        byte[] body = content.body();
        if (body.length >= GZIP_FROM && header(request, "Accept-Encoding").contains("gzip")) {
            response.setHeader("Content-Encoding", "gzip");
            response.setHeader("Vary", "Accept-Encoding");
            try (OutputStream out = new FastGzip(response.getOutputStream())) {
                out.write(body);
            }
            return;
        }
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 16 * 1024);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private void watch(HttpServletRequest request, HttpServletResponse response, ApiResponse.Stream stream)
            throws IOException {
        try {
            if (watches.incrementAndGet() > maxWatches) {
                stream.feed().close();
                send(request, response, Refusals.status(429,
                        "there are " + maxWatches
                                + " watches already, the most that this server serves: try again later"));
                return;
            }
            stream(response, stream);
        } finally {
            watches.decrementAndGet();
        }
    }

    private static void stream(HttpServletResponse response, ApiResponse.Stream stream) throws IOException {
        response.setStatus(200);
        response.setHeader("Content-Type", stream.contentType());
        response.setHeader("Cache-Control", "no-cache, private");
        try (WatchFeed feed = stream.feed()) {
            OutputStream out = response.getOutputStream();
            response.flushBuffer();
            while (true) {
                boolean ended = feed.isEnded();
                boolean wrote = false;
                for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                    out.write(stream.frame(event));
                    wrote = true;
                }
                if (wrote) {
                    out.flush();
                }
                if (ended) {
                    return;
                }
                feed.await(LONGEST_WAIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
