package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.runtime.Clock;

/**
 * Sends requests to one API server: over HTTP, or by calls if the server is in this process. Every failure is an
 * {@link KubeApiException}. Thread safe.
 */
public interface Transport extends AutoCloseable {
    /**
     * A request.
     *
     * @param tried the request in words, for messages: {@code "get pods default/web-1"}
     * @param path decoded; no segment contains a slash
     * @param accept the Accept header
     * @param contentType the media type of the body; null without a body
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Outgoing(String tried, String method, String path, Map<String, String> query, String accept,
            @Nullable String contentType, byte @Nullable [] body) {
        static Outgoing get(String tried, String path) {
            return new Outgoing(tried, "GET", path, Map.of(), ContentType.JSON.mediaType(), null, null);
        }
    }

    /** Reads an answer's body, which is protobuf or JSON. */
    interface BodyReader<R> {
        R read(InputStream body, boolean protobuf) throws IOException;
    }

    /** A transport over HTTP with the default deadlines. @param api has the address, the credentials and TLS */
    static Transport over(ApiClient api, String userAgent, Clock clock) {
        return new HttpTransport(api, HttpDeadlines.defaults(), userAgent, clock);
    }

    /** Sends a request. @return the whole body of the answer */
    byte[] send(Outgoing request);

    /** Sends a request and reads the answer as it arrives. */
    <R> R stream(Outgoing request, BodyReader<R> reader);

    /**
     * Opens a watch, which the caller closes.
     *
     * @param unhurried whether an event may wait up to 200 ms for others, which are then read together
     */
    <T extends KubernetesObject> WatchStream<T> watch(Outgoing request, ObjectDecoder<T> decoder, boolean unhurried)
            throws InterruptedException;

    /** This transport as {@link dev.wheelhouse.client.KubeClient#asNode a node}. */
    default Transport asNode(String name) {
        return this;
    }

    /** This transport {@link dev.wheelhouse.client.KubeClient#withoutRetries without repetitions of calls}. */
    default Transport withoutRetries() {
        return this;
    }

    /** This transport, which asks for compressed lists if the server is in another process. */
    default Transport compressed() {
        return this;
    }

    /** The server's address, for messages. */
    String server();

    /** Ends every request, watch and thread of this transport. */
    @Override
    void close();
}
