package dev.wheelhouse.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
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
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    private final transient Function<ApiRequest, ApiResponse> handler;
    private final transient Clock clock;
    private final int maxBody;
    private final int maxWatches;
    private final int maxRequests;
    private final transient Duration bodyDeadline;
    private final transient Duration watchCheck;
    private final transient RequestMetrics metrics;
    private final transient WebPages pages;

    HttpFront(Function<ApiRequest, ApiResponse> handler, Clock clock, ApiServerLimits limits, RequestMetrics metrics,
            WebPages pages) {
        this.handler = handler;
        this.pages = pages;
        this.clock = clock;
        this.metrics = metrics;
        this.maxRequests = limits.requests();
        this.maxBody = limits.body();
        this.maxWatches = limits.watches();
        this.bodyDeadline = limits.io().multipliedBy(2);
        Duration half = limits.io().dividedBy(2);
        this.watchCheck = half.compareTo(LONGEST_WAIT) < 0 ? half : LONGEST_WAIT;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        WebPages.Refusal ofPages = pages.refusal(request);
        if (ofPages != null) {
            send(request, response, Refusals.status(ofPages.code(), ofPages.message()));
            return;
        }
        if (metrics.inFlight().incrementAndGet() > maxRequests) {
            metrics.inFlight().decrementAndGet();
            metrics.rejected();
            send(request, response, Refusals.status(429, "there are " + maxRequests
                    + " requests already, the most that this server answers at a time: try again later"));
            return;
        }
        ApiResponse.Stream stream;
        try {
            stream = answer(request, response);
        } finally {
            metrics.inFlight().decrementAndGet();
        }
        if (stream != null) {
            watch(request, response, stream);
        }
    }

    /** Answers a request; if by a watch, that is left to do. */
    private ApiResponse.@Nullable Stream answer(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        long began = clock.nanoTime();
        byte[] body = body(request);
        if (body == null) {
            response.setHeader("Connection", "close");
            send(request, response, RestServer.tooLarge(maxBody));
            return null;
        }
        ApiResponse answer;
        ApiRequest asked = null;
        try {
            asked = new ApiRequest(request.getMethod(), request.getRequestURI(), Query.parse(request.getQueryString()),
                    header(request, "Accept"), header(request, "Content-Type"), header(request, "User-Agent"), body,
                    credentials(request), User.ANONYMOUS);
            answer = handler.apply(asked);
        } catch (ApiException e) {
            answer = RestServer.answer(e);
        }
        count(request, asked, answer instanceof ApiResponse.Content content ? content.code() : 200,
                clock.nanoTime() - began);
        if (answer instanceof ApiResponse.Content content) {
            send(request, response, content);
            return null;
        }
        return (ApiResponse.Stream) answer;
    }

    /** @param asked null if the request could not be read */
    private void count(HttpServletRequest request, @Nullable ApiRequest asked, int code, long nanos) {
        RequestInfo about;
        try {
            about = asked == null ? RequestInfo.ofPath(request.getMethod(), "") : asked.about();
        } catch (ApiException e) {
            about = RequestInfo.ofPath(request.getMethod(), "");
        }
        metrics.answered(about, asked != null && asked.contentType().startsWith("application/apply-patch"),
                asked != null && asked.query().has("dryRun"), code, nanos);
    }

    private static Credentials credentials(HttpServletRequest request) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name, Collections.list(request.getHeaders(name)));
        }
        X509Certificate certificate = request
                .getAttribute("jakarta.servlet.request.X509Certificate") instanceof X509Certificate[] chain
                && chain.length > 0 ? chain[0] : null;
        return Credentials.of(headers, certificate);
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
        Runnable done = metrics.watches()::decrementAndGet;
        boolean leftToTheSocket = false;
        try {
            if (metrics.watches().incrementAndGet() > maxWatches) {
                stream.feed().close();
                metrics.rejected();
                send(request, response, Refusals.status(429,
                        "there are " + maxWatches
                                + " watches already, the most that this server serves: try again later"));
            } else if (WatchSocket.isAskedForBy(request)) {
                WatchSocket.accept(request, response, stream, watchCheck.toNanos(), done);
                leftToTheSocket = true;
            } else {
                stream(response, stream);
            }
        } finally {
            if (!leftToTheSocket) {
                done.run();
            }
        }
    }

    private void stream(HttpServletResponse response, ApiResponse.Stream stream) throws IOException {
        response.setStatus(200);
        response.setHeader("Content-Type", stream.contentType());
        response.setHeader("Cache-Control", "no-cache, private");
        try (WatchFeed feed = stream.feed()) {
            OutputStream out = response.getOutputStream();
            response.flushBuffer();
            ApiProtocol.Connection client = ApiProtocol.current();
            if (client != null) {
                client.keepAlive();
            }
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
                feed.await(watchCheck.toNanos());
                // Without events nothing is written, and only what is written shows that nobody reads it.
                if (!wrote && client != null && client.isGone()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
