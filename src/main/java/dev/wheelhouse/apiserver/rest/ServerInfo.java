package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.util.function.Supplier;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;

/**
 * The process that serves the API, as far as answers mention it.
 *
 * @param url where clients reach it, {@code https://host:port}; empty without a transport
 * @param metrics the page of its metrics, in Prometheus' text format
 * @param apis which of its own APIs it serves
 * @param caller reads from kubelets, and from servers that extend this one
 */
public record ServerInfo(Supplier<String> url, Supplier<String> metrics, RuntimeConfig apis,
        ApiResponse.Live.Caller caller) {
    /** Information of a server that calls no other ones. */
    public ServerInfo(Supplier<String> url, Supplier<String> metrics, RuntimeConfig apis) {
        this(url, metrics, apis, (what, within) -> {
            throw new IOException("this server calls no others");
        });
    }

    /** A server without a transport. */
    public static ServerInfo none() {
        return new ServerInfo(() -> "", () -> "", RuntimeConfig.standard());
    }
}
