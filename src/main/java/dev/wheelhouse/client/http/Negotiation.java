package dev.wheelhouse.client.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.decode.ObjectDecoder;

/**
 * Chooses the encoding of requests and answers, one for each resource type (upstream: {@code client-go/rest}). A server
 * that refuses protobuf for a type by 406 or 415 is asked in JSON at once and from then on. Belongs to one connection.
 * Thread safe.
 */
final class Negotiation {
    private final ContentType preferred;
    private final Set<ResourceType> refused = ConcurrentHashMap.newKeySet();

    Negotiation(ContentType preferred) {
        this.preferred = preferred;
    }

    /** One request, which is sent again in JSON if the server does not know protobuf. */
    interface Request<R, E extends Exception> {
        R send(ContentType type) throws E;
    }

    /** Sends a request of a decoder's type. */
    <R, E extends Exception> R send(ResourceType type, ObjectDecoder<?> decoder, Request<R, E> request) throws E {
        if (preferred == ContentType.JSON || !decoder.readsProtobuf() || refused.contains(type)) {
            return request.send(ContentType.JSON);
        }
        try {
            return request.send(ContentType.PROTOBUF);
        } catch (KubeApiException e) {
            if (e.code() != 406 && e.code() != 415) {
                throw e;
            }
        }
        // A refused request was not executed, so a write may be repeated.
        R answer = request.send(ContentType.JSON);
        refused.add(type);
        return answer;
    }
}
