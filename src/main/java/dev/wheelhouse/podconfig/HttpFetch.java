package dev.wheelhouse.podconfig;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * Fetches a URL, with limits on size, time and redirects. The configured headers are sent to the URL's own origin only.
 * One thread fetches; any thread may close it.
 */
final class HttpFetch implements AutoCloseable {
    private static final int MAX_REDIRECTS = 10;

    private final HttpManifests options;
    private final Clock clock;
    private final HttpClient client;
    private volatile @Nullable CompletableFuture<?> inFlight;

    /**
     * A response.
     * @param etag the ETag header, or empty
     * @param lastModified the Last-Modified header, or empty
     */
    record Answer(int status, byte[] body, String etag, String lastModified) {}

    HttpFetch(HttpManifests options, Clock clock) {
        this.options = options;
        this.clock = clock;
        this.client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(options.timeout()).build();
    }

    /**
     * Fetches the URL.
     *
     * @param etag the value of If-None-Match; empty to omit it
     * @param lastModified the value of If-Modified-Since, sent if there is no ETag; empty to omit it
     * @throws IOException if there is no complete response in time, it is too large, or a redirect is not allowed
     */
    Answer get(String etag, String lastModified) throws IOException, InterruptedException {
        long deadline = clock.deadline(options.timeout());
        URI url = options.url();
        for (int i = 0; i <= MAX_REDIRECTS; i++) {
            HttpResponse<byte[]> response = send(request(url, etag, lastModified), deadline);
            int status = response.statusCode();
            String location = response.headers().firstValue("Location").orElse("");
            boolean redirect = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
            if (!redirect || location.isEmpty()) {
                return new Answer(status, response.body(), response.headers().firstValue("ETag").orElse(""),
                        response.headers().firstValue("Last-Modified").orElse(""));
            }
            url = redirected(url, location);
        }
        throw new IOException("more than " + MAX_REDIRECTS + " redirects");
    }

    private URI redirected(URI from, String location) throws IOException {
        URI to;
        try {
            to = from.resolve(location);
        } catch (IllegalArgumentException e) {
            throw new IOException("a redirect whose location is not a URL", e);
        }
        boolean web = "http".equals(to.getScheme()) || "https".equals(to.getScheme());
        if (!web || to.getHost() == null) {
            throw new IOException("a redirect to " + HttpManifests.shown(to) + ", which is not an http or https URL");
        }
        if (!options.otherOrigins() && !sameOrigin(to)) {
            throw new IOException("a redirect to another host is not followed: " + HttpManifests.shown(to)
                    + "; give that URL itself, or allow redirects to other hosts");
        }
        return to;
    }

    private boolean sameOrigin(URI url) {
        return url.getScheme().equals(options.url().getScheme())
                && url.getHost().equalsIgnoreCase(options.url().getHost()) && port(url) == port(options.url());
    }

    private static String host(URI url) {
        return url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort();
    }

    private static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : url.getScheme().equals("https") ? 443 : 80;
    }

    private HttpRequest request(URI url, String etag, String lastModified) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).GET().timeout(options.timeout());
        if (sameOrigin(url)) {
            options.headers().forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        }
        if (!etag.isEmpty()) {
            request.header("If-None-Match", etag);
        } else if (!lastModified.isEmpty()) {
            request.header("If-Modified-Since", lastModified);
        }
        return request.build();
    }

    private HttpResponse<byte[]> send(HttpRequest request, long deadline) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> sending = client.sendAsync(request, info -> new LimitedBody());
        inFlight = sending;
        try {
            return sending.get(Math.max(1, deadline - clock.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw late(e);
        } catch (ExecutionException e) {
            throw explained(request.uri(), e.getCause() == null ? e : e.getCause());
        } finally {
            sending.cancel(true);
            inFlight = null;
        }
    }

    private IOException late(Throwable cause) {
        return new IOException("no complete response within " + seconds(options.timeout()), cause);
    }

    /** Makes an exception with a message, because those of the HTTP client often have none. */
    private IOException explained(URI url, Throwable cause) {
        if (cause instanceof HttpConnectTimeoutException) {
            return new IOException(host(url) + " did not accept a connection within "
                    + seconds(options.timeout()), cause);
        }
        if (cause instanceof HttpTimeoutException) {
            return late(cause);
        }
        if (cause instanceof ConnectException) {
            for (Throwable t = cause; t != null; t = t.getCause()) {
                if (t instanceof UnresolvedAddressException || t instanceof UnknownHostException) {
                    return new IOException("the host " + url.getHost() + " cannot be resolved", cause);
                }
            }
            return new IOException("no connection to " + host(url)
                    + (cause.getMessage() == null ? ": refused" : ": " + cause.getMessage()), cause);
        }
        return new IOException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() / 1000.0 + " s";
    }

    @Override
    public void close() {
        CompletableFuture<?> sending = inFlight;
        if (sending != null) {
            sending.cancel(true);
        }
        client.shutdownNow();
    }

    /** Collects a body, up to the size limit. */
    private static final class LimitedBody implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private @Nullable Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return result;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                if (bytes.size() + buffer.remaining() > YamlDocuments.MAX_BYTES) {
                    result.completeExceptionally(new IOException("the response is larger than 10 MiB"));
                    if (subscription != null) {
                        subscription.cancel();
                    }
                    return;
                }
                byte[] chunk = new byte[buffer.remaining()];
                buffer.get(chunk);
                bytes.writeBytes(chunk);
            }
        }

        @Override
        public void onError(Throwable error) {
            result.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            result.complete(bytes.toByteArray());
        }
    }
}
