package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.AnswerLimits;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.client.decode.Statuses;
import dev.wheelhouse.runtime.Clock;

import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Dispatcher;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/**
 * Sends requests by OkHttp, with the official client's TLS settings and credentials, and turns every failure into an
 * {@link KubeApiException}. Thread safe.
 */
final class HttpTransport implements Transport {
    /**
     * The most watches that platform threads read, which wake in a third of the time of virtual threads. Further ones
     * are read on virtual threads, which need less memory.
     */
    private static final int MOST_WATCH_THREADS = 64;
    /** The most repetitions of a call that a busy server refuses (upstream: {@code maxRetries} in client-go). */
    private static final int MOST_REPETITIONS = 10;
    /** The few content types of requests, each parsed once: OkHttp parses them by regular expressions. */
    private static final Map<String, MediaType> MEDIA_TYPES = new ConcurrentHashMap<>();

    private final ApiClient api;
    private final HttpUrl base;
    private final URI address;
    private final String userAgent;
    private final OkHttpClient calls;
    private final OkHttpClient streams;
    private final OkHttpClient watches;
    private final OkHttpClient aloneWatches;
    private final Duration answer;
    private final Duration busy;
    private final ExecutorService threads;
    private final ExecutorService watchThreads;
    private final Semaphore freeWatchThreads;
    private final ScheduledThreadPoolExecutor timers;
    private final OkHttpInternals internals;
    private final Clock clock;
    private final ServerOutage outage;
    /** Zero when this client is closed. */
    private final CountDownLatch open;
    private final RequestLimit limit;

    HttpTransport(ApiClient api, HttpDeadlines deadlines, String userAgent, Clock clock) {
        this.api = api;
        this.clock = clock;
        this.userAgent = userAgent;
        HttpUrl url = HttpUrl.parse(api.getBasePath());
        if (url == null) {
            throw new KubeConfigException("the API server's address \"" + api.getBasePath()
                    + "\" is no URL: write it as https://HOST:PORT");
        }
        this.base = url;
        this.address = url.uri();
        this.outage = new ServerOutage(url.toString(), clock);
        this.threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http ", 0).factory());
        this.watchThreads = Executors
                .newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("watch ", 0).factory());
        this.freeWatchThreads = new Semaphore(MOST_WATCH_THREADS);
        this.timers = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("http timers").factory());
        this.timers.setRemoveOnCancelPolicy(true);
        // One of these threads reads an HTTP/2 connection for all watches and requests, and is seldom idle.
        this.internals = new OkHttpInternals(Thread.ofPlatform().daemon().name("http housekeeping ", 0).factory());
        Dispatcher dispatcher = new Dispatcher(threads);
        dispatcher.setMaxRequests(Integer.MAX_VALUE);
        dispatcher.setMaxRequestsPerHost(Integer.MAX_VALUE);
        // An application may have chosen its own sockets.
        ReadAheadSocket.Factory sockets = api.getHttpClient().socketFactory().equals(SocketFactory.getDefault())
                ? new ReadAheadSocket.Factory()
                : null;
        this.open = new CountDownLatch(1);
        OkHttpClient.Builder builder = internals.install(api.getHttpClient().newBuilder())
                .addInterceptor(this::refuseIfClosed)
                .dispatcher(dispatcher)
                .socketFactory(sockets != null ? sockets : api.getHttpClient().socketFactory())
                // An API server does not redirect, and credentials must not go to another server.
                .followRedirects(false)
                .followSslRedirects(false)
                .connectTimeout(deadlines.connect())
                .readTimeout(deadlines.answer())
                .writeTimeout(deadlines.answer());
        this.streams = builder.callTimeout(Duration.ZERO).build();
        this.calls = streams.newBuilder().callTimeout(deadlines.call()).build();
        // OkHttp sets a read timeout on the socket, where it cannot be removed once the headers have come.
        this.watches = streams.newBuilder().readTimeout(Duration.ZERO)
                .addNetworkInterceptor(chain -> noteSocket(chain, sockets)).build();
        this.aloneWatches = watches.newBuilder().protocols(List.of(Protocol.HTTP_1_1)).build();
        this.answer = deadlines.answer();
        this.busy = deadlines.busy();
        this.limit = new RequestLimit(0, 0, clock);
    }

    /** @param credentials puts credentials on each request; null for those of the other transport */
    private HttpTransport(HttpTransport from, @Nullable Interceptor credentials, OkHttpClient streams,
            RequestLimit limit, Duration busy) {
        this.api = from.api;
        this.base = from.base;
        this.address = from.address;
        this.userAgent = from.userAgent;
        this.calls = with(from.calls, credentials);
        this.streams = with(streams, credentials);
        this.watches = with(from.watches, credentials);
        this.aloneWatches = with(from.aloneWatches, credentials);
        this.answer = from.answer;
        this.busy = busy;
        this.threads = from.threads;
        this.watchThreads = from.watchThreads;
        this.freeWatchThreads = from.freeWatchThreads;
        this.timers = from.timers;
        this.internals = from.internals;
        this.clock = from.clock;
        this.outage = from.outage;
        this.open = from.open;
        this.limit = limit;
    }

    private static OkHttpClient with(OkHttpClient client, @Nullable Interceptor credentials) {
        return credentials == null ? client : client.newBuilder().addInterceptor(credentials).build();
    }

    /**
     * A transport on the connections of this one, which closes both.
     *
     * @param credentials puts credentials on each request; null for those of this transport
     */
    HttpTransport with(@Nullable Interceptor credentials, RequestLimit requests) {
        return new HttpTransport(this, credentials, streams, requests, busy);
    }

    /** OkHttp asks for gzip, and reads it, if a request says nothing about encodings. */
    @Override
    public HttpTransport compressed() {
        return new HttpTransport(this, null, streams.newBuilder().addInterceptor(chain -> chain
                .proceed(chain.request().newBuilder().removeHeader("Accept-Encoding").build())).build(), limit, busy);
    }

    @Override
    public HttpTransport withoutRetries() {
        return new HttpTransport(this, null, streams, limit, Duration.ZERO);
    }

    /**
     * Refuses calls of a closed client. OkHttp already knows a call that gets here, so a later {@link #close} cancels
     * it.
     */
    private Response refuseIfClosed(Interceptor.Chain chain) throws IOException {
        if (isClosed()) {
            throw new IOException("the client is closed");
        }
        return chain.proceed(chain.request());
    }

    private static Response noteSocket(Interceptor.Chain chain, ReadAheadSocket.@Nullable Factory sockets)
            throws IOException {
        Connection connection = chain.connection();
        WatchSocket watch = chain.request().tag(WatchSocket.class);
        if (sockets != null && connection != null && watch != null) {
            watch.socket = sockets.of(connection);
        }
        return chain.proceed(chain.request());
    }

    /** The socket that a watch reads from: a tag of its request, set when OkHttp has chosen the connection. */
    private static final class WatchSocket {
        volatile @Nullable ReadAheadSocket socket;
    }

    @Override
    public String server() {
        return base.toString();
    }

    /**
     * Repeats a request that the server was too busy for, as it has asked (upstream: client-go
     * {@code rest/with_retry.go}).
     */
    @Override
    public byte[] send(Outgoing call) {
        long end = clock.deadline(busy);
        for (int repetitions = 0;; repetitions++) {
            try {
                return run(calls, call, repetitions > 0, (body, protobuf) -> AnswerLimits.readAll(body));
            } catch (KubeApiException e) {
                Duration wait = wantedPause(e);
                if (wait == null || repetitions == MOST_REPETITIONS || wait.compareTo(clock.until(end)) >= 0) {
                    throw e;
                }
                pause(call.tried(), wait);
            }
        }
    }

    /**
     * The time after which a server that has not executed the request asks the client to repeat it; null if the server
     * does not ask.
     */
    private static @Nullable Duration wantedPause(KubeApiException e) {
        return e.code() == 429 || e.code() == 503 ? e.retryAfter() : null;
    }

    private void pause(String tried, Duration wait) {
        try {
            if (open.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                throw closed(tried, null);
            }
        } catch (InterruptedException e) {
            throw interrupted(tried);
        }
    }

    @Override
    public <R> R stream(Outgoing call, BodyReader<R> reader) {
        return run(streams, call, false, (body, protobuf) -> reader.read(new SteadyStream(body, clock), protobuf));
    }

    @Override
    public <T extends KubernetesObject> WatchStream<T> watch(Outgoing request, ObjectDecoder<T> decoder,
            boolean unhurried) throws InterruptedException {
        return new HttpWatchStream<>(this, request, decoder, unhurried);
    }

    /** Whether an answer, or the events of a watch, are protobuf. */
    static boolean isProtobuf(Response response) {
        return response.header("Content-Type", "").startsWith(ContentType.PROTOBUF.mediaType());
    }

    /** Makes a call on the calling thread, so that no other thread has to be woken for it. */
    private <R> R run(OkHttpClient client, Outgoing what, boolean again, BodyReader<R> reader) {
        String tried = what.tried();
        try {
            limit.await();
        } catch (InterruptedException e) {
            throw interrupted(tried);
        }
        Call call = client.newCall(
                request(what).tag(CountedRequests.Again.class, again ? CountedRequests.Again.TAG : null).build());
        long sent = clock.nanoTime();
        try {
            return new InterruptibleCall(call).run(() -> {
                try (Response response = call.execute()) {
                    outage.answered(sent);
                    check(tried, response);
                    return reader.read(new BodyStream(response.body().source()), isProtobuf(response));
                }
            });
        } catch (ClosedByInterruptException e) {
            throw interrupted(tried);
        } catch (IOException e) {
            throw broken(tried, e);
        } catch (KubeApiException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new KubeApiException(tried, e);
        }
    }

    private static KubeApiException interrupted(String tried) {
        Thread.currentThread().interrupt();
        return new KubeApiException(tried, new InterruptedIOException("interrupted while waiting for the answer"));
    }

    /**
     * Opens a stream that has no deadline once its headers have come. The caller closes the response. Cancelling the
     * call from another thread ends a read.
     *
     * @param alone whether the stream has a connection of its own, which its reader reads itself
     */
    Opened open(Outgoing what, boolean alone) throws InterruptedException {
        limit.await();
        WatchSocket socket = new WatchSocket();
        Call call = (alone ? aloneWatches : watches).newCall(request(what).tag(WatchSocket.class, socket).build());
        long sent = clock.nanoTime();
        return await(call, what.tried(), answer.toNanos(), () -> {
            Response response = call.execute();
            try {
                outage.answered(sent);
                check(what.tried(), response);
                return new Opened(call, response, socket.socket);
            } catch (RuntimeException | IOException e) {
                response.close();
                throw e;
            }
        });
    }

    /**
     * Runs a call on a thread of its own, because the calling one has a deadline. Cancels the call when the calling
     * thread is interrupted or the time is over.
     */
    private <R> R await(Call call, String tried, long nanos, Callable<R> work) throws InterruptedException {
        try {
            return threads.submit(work).get(nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            throw closed(tried, e);
        } catch (InterruptedException e) {
            call.cancel();
            throw e;
        } catch (TimeoutException e) {
            call.cancel();
            throw broken(tried, new InterruptedIOException("no answer within " + answer.toSeconds() + " s"));
        } catch (CancellationException e) {
            throw new KubeApiException(tried, e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case KubeApiException error -> throw error;
                case Error error -> throw error;
                case IOException error -> throw broken(tried, error);
                case RuntimeException error -> throw new KubeApiException(tried, error);
                case null, default -> throw new KubeApiException(tried, e);
            }
        }
    }

    /**
     * An open stream.
     *
     * @param socket the socket that the response is read from, or null if it is not known
     */
    record Opened(Call call, Response response, @Nullable ReadAheadSocket socket) {}

    Clock clock() {
        return clock;
    }

    /** Runs an action after a time. @throws KubeApiException if this client is closed */
    Future<?> after(String tried, long nanos, Runnable action) {
        try {
            return timers.schedule(action, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            throw closed(tried, e);
        }
    }

    /** Runs the reader of an open watch on a thread of its own. @throws KubeApiException if this client is closed */
    void execute(String tried, Runnable reader) {
        try {
            if (!freeWatchThreads.tryAcquire()) {
                threads.execute(reader);
                return;
            }
            watchThreads.execute(() -> {
                try {
                    reader.run();
                } finally {
                    freeWatchThreads.release();
                }
            });
        } catch (RejectedExecutionException e) {
            throw closed(tried, e);
        }
    }

    /** The error of a connection that broke, perhaps as this client was closed. */
    KubeApiException broken(String tried, IOException e) {
        return isClosed() ? closed(tried, e) : outage.error(tried, e);
    }

    private boolean isClosed() {
        return open.getCount() == 0;
    }

    private static KubeApiException closed(String tried, @Nullable Exception e) {
        return new KubeApiException(tried, new IOException("the client is closed", e));
    }

    private Request.Builder request(Outgoing what) {
        HttpUrl.Builder url = base.newBuilder();
        for (String segment : what.path().substring(1).split("/", -1)) {
            url.addPathSegment(segment);
        }
        what.query().forEach(url::addQueryParameter);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", what.accept());
        // Most clients are near their API server, so that compression costs more than it saves.
        headers.put("Accept-Encoding", "identity");
        List<Pair> query = new ArrayList<>();
        String[] authentications = api.getAuthentications().keySet().toArray(new String[0]);
        HttpUrl built = url.build();
        try {
            api.updateParamsForAuth(authentications, query, headers, new LinkedHashMap<>(), "", what.method(),
                    address);
        } catch (ApiException e) {
            throw new KubeApiException(what.tried(), e);
        }
        Request.Builder request = new Request.Builder().url(built);
        api.processHeaderParams(headers, request);
        request.header("User-Agent", userAgent);
        byte[] bytes = what.body();
        String type = what.contentType() == null ? ContentType.JSON.mediaType() : what.contentType();
        RequestBody body = bytes == null
                ? null
                : new OneShotBody(bytes, MEDIA_TYPES.computeIfAbsent(type, MediaType::get));
        return request.method(what.method(), body);
    }

    /** A body that OkHttp sends once. It must not repeat a write whose outcome it does not know. */
    private static final class OneShotBody extends RequestBody {
        private final byte[] bytes;
        private final MediaType type;

        OneShotBody(byte[] bytes, MediaType type) {
            this.bytes = bytes;
            this.type = type;
        }

        @Override
        public MediaType contentType() {
            return type;
        }

        @Override
        public long contentLength() {
            return bytes.length;
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            sink.write(bytes);
        }
    }

    private static void check(String tried, Response response) throws IOException {
        if (!response.isSuccessful()) {
            throw Statuses.error(tried, response.code(),
                    RetryAfter.of(response.headers("Retry-After"), response.header("Date")),
                    response.body().byteStream().readNBytes(64 * 1024));
        }
    }

    /** Ends every call and every connection. */
    @Override
    public void close() {
        open.countDown();
        streams.dispatcher().cancelAll();
        threads.shutdownNow();
        watchThreads.shutdownNow();
        timers.shutdownNow();
        streams.connectionPool().evictAll();
        internals.close();
    }
}
