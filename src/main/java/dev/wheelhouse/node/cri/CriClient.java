package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;

import dev.wheelhouse.runtime.OneLine;

import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * Calls of gRPC over HTTP/2. All calls share one connection, which is opened again when it is
 * lost. Thread safe. An interrupt of the calling thread ends its call.
 */
final class CriClient implements AutoCloseable {
    /** The deadline of calls that only read. */
    static final Duration QUICK = Duration.ofSeconds(10);
    /** The deadline of calls that start or end processes. */
    static final Duration SLOW = Duration.ofMinutes(2);
    private static final MediaType GRPC = MediaType.get("application/grpc");
    private static final int PREFIX = 5;
    /** The default limit of kubelet's client. */
    private static final int MOST_BYTES = 16 << 20;
    private static final int LONGEST_REASON = 4_000;

    private final String server;
    private final String prefix;
    private final OkHttpClient http;

    /** A client of the container runtime at a socket. */
    CriClient(Path socket) {
        this(socket.toString(), "http://localhost/runtime.v1.", new OkHttpClient.Builder()
                .socketFactory(new UnixSockets(socket)).dns(host -> List.of(InetAddress.getLoopbackAddress()))
                .connectionPool(new ConnectionPool(1, 5, TimeUnit.MINUTES)));
    }

    /** A client of any server. @param address a host and a port, as in a URL */
    CriClient(String address) {
        this(address, "http://" + address + "/", new OkHttpClient.Builder());
    }

    private CriClient(String server, String prefix, OkHttpClient.Builder http) {
        this.server = server;
        this.prefix = prefix;
        this.http = http.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).readTimeout(Duration.ZERO)
                .writeTimeout(Duration.ZERO).followRedirects(false).build();
    }

    /** @param method the service and the method, such as {@code RuntimeService/Version} */
    <T> T call(String method, MessageLite request, Parser<T> answer, Duration deadline) {
        return call(method, request, answer, deadline, call -> {});
    }

    /** @param begun is given the call before it is sent, to cancel it from another thread */
    <T> T call(String method, MessageLite request, Parser<T> answer, Duration deadline, Consumer<Call> begun) {
        List<T> answers = new ArrayList<>();
        exchange(method, request, answer, deadline, begun, each -> {
            if (!answers.isEmpty()) {
                throw new CriException(method, CriException.RESOURCE_EXHAUSTED, "there is more than one answer");
            }
            answers.add(each);
        });
        if (answers.isEmpty()) {
            throw new CriException(method, CriException.UNAVAILABLE, "there is no answer");
        }
        return answers.get(0);
    }

    /** Receives answers until the server ends the call, or {@link #close} does. */
    <T> void stream(String method, MessageLite request, Parser<T> answer, Consumer<T> each) {
        exchange(method, request, answer, Duration.ZERO, call -> {}, each);
    }

    /** @param deadline zero for none */
    private <T> void exchange(String method, MessageLite request, Parser<T> answer, Duration deadline,
            Consumer<Call> begun, Consumer<T> each) {
        byte[] message = request.toByteArray();
        byte[] body = ByteBuffer.allocate(PREFIX + message.length).put((byte) 0).putInt(message.length).put(message)
                .array();
        Call call = http.newCall(new Request.Builder().url(prefix + method).header("te", "trailers")
                .post(RequestBody.create(body, GRPC)).build());
        call.timeout().timeout(deadline.toNanos(), TimeUnit.NANOSECONDS);
        begun.accept(call);
        try (Response response = call.execute()) {
            if (response.code() != 200) {
                throw new CriException(method, CriException.UNAVAILABLE, "HTTP status " + response.code());
            }
            BufferedSource source = response.body().source();
            while (!source.exhausted()) {
                each.accept(answer.parseFrom(read(method, source)));
            }
            check(method, response.headers().get("grpc-status") == null ? response.trailers() : response.headers());
        } catch (InterruptedIOException e) {
            boolean stopped = Thread.currentThread().isInterrupted();
            throw new CriException(method, CriException.DEADLINE_EXCEEDED,
                    stopped ? "it was interrupted" : "no answer within " + deadline.toSeconds() + " s");
        } catch (ConnectException e) {
            throw new CriException(method, CriException.UNAVAILABLE, "no connection to " + server);
        } catch (IOException e) {
            throw new CriException(method, CriException.UNAVAILABLE,
                    call.isCanceled() ? "it was cancelled" : String.valueOf(e.getMessage()));
        }
    }

    /** The bytes of the next message. */
    private static byte[] read(String method, BufferedSource source) throws IOException {
        boolean compressed = source.readByte() != 0;
        int length = source.readInt();
        if (compressed || length < 0 || length > MOST_BYTES) {
            throw new CriException(method, CriException.RESOURCE_EXHAUSTED, compressed
                    ? "the answer is compressed"
                    : "the answer has " + Integer.toUnsignedString(length) + " bytes, more than " + MOST_BYTES);
        }
        return source.readByteArray(length);
    }

    private static void check(String method, Headers trailers) {
        String status = trailers.get("grpc-status");
        if (!"0".equals(status)) {
            String text = trailers.get("grpc-message");
            int code = status != null && status.matches("\\d{1,3}") ? Integer.parseInt(status) : 2;
            throw new CriException(method, code, OneLine.of(decoded(text == null ? "no message" : text),
                    LONGEST_REASON));
        }
    }

    private static String decoded(String percentEncoded) {
        try {
            return URLDecoder.decode(percentEncoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return percentEncoded;
        }
    }

    @Override
    public void close() {
        http.dispatcher().cancelAll();
        http.connectionPool().evictAll();
    }
}
