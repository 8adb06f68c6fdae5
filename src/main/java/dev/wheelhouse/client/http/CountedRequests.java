package dev.wheelhouse.client.http;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;

import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;

/** Counts the requests of a client. Thread safe. */
public final class CountedRequests implements Interceptor {
    /** A tag of a request that repeats one. */
    static final class Again {
        static final Again TAG = new Again();
    }

    private final HttpMeters meters;
    private final Clock clock;

    private CountedRequests(HttpMeters meters, Clock clock) {
        this.meters = meters;
        this.clock = clock;
    }

    /** Counts all requests of a client from now on, with those of every {@link HttpKubeClient} that is made from it. */
    public static void install(ApiClient api, MeterRegistry registry, Clock clock) {
        HttpMeters meters = new HttpMeters(registry, clock);
        meters.connected();
        api.setHttpClient(
                api.getHttpClient().newBuilder().addInterceptor(new CountedRequests(meters, clock)).build());
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        HttpUrl url = request.url();
        String host = url.host() + ":" + url.port();
        RequestBody body = request.body();
        long size = body == null ? 0 : body.contentLength();
        if (size > 0 || body == null) {
            meters.sent(request.method(), host, size);
        }
        boolean watch = "true".equals(url.queryParameter("watch"));
        boolean again = request.tag(Again.class) != null;
        long began = clock.nanoTime();
        Response response;
        try {
            response = chain.proceed(request);
        } catch (IOException e) {
            meters.attempted(request.method(), host, "<error>", again);
            if (!watch) {
                meters.ended(request.method(), host, clock.nanoTime() - began, -1);
            }
            throw e;
        }
        meters.attempted(request.method(), host, String.valueOf(response.code()), again);
        return watch
                ? response
                : response.newBuilder().body(new CountedBody(response.body(),
                        bytes -> meters.ended(request.method(), host, clock.nanoTime() - began, bytes))).build();
    }

    private interface End {
        void after(long bytes);
    }

    /** An answer's body. Its end is when it is closed. */
    private static final class CountedBody extends ResponseBody {
        private final ResponseBody body;
        private final BufferedSource source;

        CountedBody(ResponseBody body, End end) {
            this.body = body;
            this.source = Okio.buffer(new ForwardingSource(body.source()) {
                private final AtomicBoolean ended = new AtomicBoolean();
                private long bytes;

                @Override
                public long read(Buffer sink, long byteCount) throws IOException {
                    long count = super.read(sink, byteCount);
                    bytes += Math.max(0, count);
                    return count;
                }

                @Override
                public void close() throws IOException {
                    if (!ended.getAndSet(true)) {
                        end.after(bytes);
                    }
                    super.close();
                }
            });
        }

        @Override
        public @Nullable MediaType contentType() {
            return body.contentType();
        }

        @Override
        public long contentLength() {
            return body.contentLength();
        }

        @Override
        public BufferedSource source() {
            return source;
        }
    }
}
