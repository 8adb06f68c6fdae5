package dev.wheelhouse.world;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.function.Supplier;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

/** Requests of a client that take time, and some of which fail, before or after they have had their effect. */
public abstract class FaultyRequests implements Interceptor {
    /** Lets time pass and others act while the client waits for a response. */
    protected abstract void meanwhile();

    /** Whether a request or its answer is lost. */
    protected abstract boolean isLost();

    private <R> R request(String what, Supplier<R> call) {
        meanwhile();
        if (isLost()) {
            throw new KubeApiException(what, new IOException("no route to host"));
        }
        R answer = call.get();
        meanwhile();
        if (isLost()) {
            throw new KubeApiException(what, new SocketTimeoutException("no answer"));
        }
        return answer;
    }

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
        return request(request.toString(), call);
    }

    @Override
    public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        return request("get " + key, call);
    }

    @Override
    public <T> ListPage<T> list(ResourceType type, String what, ListOptions options, Supplier<ListPage<T>> call) {
        return request("list " + what, call);
    }
}
