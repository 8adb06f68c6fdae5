package dev.wheelhouse.apiserver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.client.decode.Statuses;
import dev.wheelhouse.client.http.HttpMeters;
import dev.wheelhouse.client.http.Transport;
import dev.wheelhouse.runtime.Clock;

/**
 * Calls an API server in this process. A request takes the same steps as over HTTP, without sockets, frames and copies,
 * with the rights of a user. A watch never waits, so one thread can step a whole system.
 */
record InProcessTransport(ApiServer api, String userAgent, Credentials user, HttpMeters meters,
        Clock clock) implements Transport {
    /** The host in metrics. */
    private static final String HOST = "in-process";

    @Override
    public byte[] send(Outgoing request) {
        ApiResponse answer = call(request);
        return isElsewhere(answer) ? api.loopback(userAgent).send(request) : content(request, answer).body();
    }

    /** Whether another server answers, to which only a connection can lead. */
    private boolean isElsewhere(ApiResponse answer) {
        return answer instanceof ApiResponse.Content content && content.live() instanceof ApiResponse.Live.Forward to
                && to.server() instanceof ApiResponse.Live.Server.Extension && User.ADMIN.equals(user.trusted())
                && api.port() != 0;
    }

    @Override
    public <R> R stream(Outgoing request, BodyReader<R> reader) {
        ApiResponse answer = call(request);
        if (isElsewhere(answer)) {
            return api.loopback(userAgent).stream(request, reader);
        }
        ApiResponse.Content content = content(request, answer);
        try {
            return reader.read(new ByteArrayInputStream(content.body()), false);
        } catch (IOException e) {
            throw new KubeApiException(request.tried(), e);
        }
    }

    private ApiResponse.Content content(Outgoing request, ApiResponse answer) {
        return switch (answer) {
            case ApiResponse.Content content when content.code() < 300 -> content;
            case ApiResponse.Content refusal -> throw error(request, refusal);
            case ApiResponse.Stream stream -> {
                stream.feed().close();
                api.endWatch();
                throw new IllegalStateException(request.tried() + ": the answer is a watch");
            }
        };
    }

    @Override
    public <T extends KubernetesObject> WatchStream<T> watch(Outgoing request, ObjectDecoder<T> decoder,
            boolean unhurried) throws InterruptedException {
        ApiResponse answer = call(request);
        if (isElsewhere(answer)) {
            return api.loopback(userAgent).watch(request, decoder, unhurried);
        }
        return switch (answer) {
            case ApiResponse.Content refusal -> throw error(request, refusal);
            case ApiResponse.Stream stream -> new InProcessWatch<>(stream.feed(), decoder.events(request.tried()),
                    api::endWatch);
        };
    }

    private ApiResponse call(Outgoing request) {
        byte[] body = request.body();
        int size = body == null ? 0 : body.length;
        meters.sent(request.method(), HOST, size);
        long began = clock.nanoTime();
        ApiResponse answer = null;
        try {
            answer = api.handle(head(request), body == null ? new byte[0] : body);
            return answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KubeApiException(request.tried(),
                    new InterruptedIOException("interrupted while waiting for the answer"));
        } catch (RejectedExecutionException e) {
            throw new KubeApiException(request.tried(), new IOException("the API server is closed", e));
        } catch (IOException e) {
            throw new KubeApiException(request.tried(), e);
        } finally {
            count(request, answer, clock.nanoTime() - began);
        }
    }

    private void count(Outgoing request, @Nullable ApiResponse answer, long nanos) {
        String code = switch (answer) {
            case null -> "<error>";
            case ApiResponse.Content content -> String.valueOf(content.code());
            case ApiResponse.Stream stream -> "200";
        };
        meters.attempted(request.method(), HOST, code, false);
        if (!"true".equals(request.query().get("watch"))) {
            meters.ended(request.method(), HOST, nanos,
                    answer instanceof ApiResponse.Content content ? content.length() : -1);
        }
    }

    private ApiRequest head(Outgoing request) {
        String contentType = request.contentType();
        return ApiRequest.ofHead(request.method(), encoded(request.path()), QueryParameters.of(request.query()),
                request.accept(), contentType == null ? "" : contentType, userAgent, user);
    }

    /** A path as a route reads it. Names seldom have a character that has a meaning there. */
    private static String encoded(String path) {
        return path.indexOf('%') < 0 ? path : path.replace("%", "%25");
    }

    private static KubeApiException error(Outgoing request, ApiResponse.Content refusal) {
        Integer seconds = refusal.retryAfter();
        return Statuses.error(request.tried(), refusal.code(), seconds == null ? null : Duration.ofSeconds(seconds),
                refusal.body());
    }

    /** An open server tells senders apart by their user agents. */
    @Override
    public Transport asNode(String name) {
        User node = User.ofNode(name);
        return new InProcessTransport(api, userAgent + "/" + node.name(), Credentials.of(node), meters, clock);
    }

    @Override
    public String server() {
        return api.port() == 0 ? HOST : api.url();
    }

    /** Does nothing. The owner of the server closes it. */
    @Override
    public void close() {
        // There is no connection to close.
    }
}
