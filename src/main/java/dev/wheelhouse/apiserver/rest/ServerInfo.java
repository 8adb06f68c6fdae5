package dev.wheelhouse.apiserver.rest;

import java.util.function.Supplier;

import dev.wheelhouse.apiserver.resources.RuntimeConfig;

/**
 * The process that serves the API, as far as answers mention it.
 *
 * @param url where clients reach it, {@code https://host:port}; empty without a transport
 * @param metrics the page of its metrics, in Prometheus' text format
 * @param apis which of its own APIs it serves
 */
public record ServerInfo(Supplier<String> url, Supplier<String> metrics, RuntimeConfig apis) {

    /** A server without a transport. */
    public static ServerInfo none() {
        return new ServerInfo(() -> "", () -> "", RuntimeConfig.standard());
    }
}
