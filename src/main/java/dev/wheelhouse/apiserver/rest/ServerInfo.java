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
 * @param kubelets reads from kubelets
 */
public record ServerInfo(Supplier<String> url, Supplier<String> metrics, RuntimeConfig apis,
        KubeletCaller kubelets) {
    /** Reads from the kubelet of a node. */
    @FunctionalInterface
    public interface KubeletCaller {
        byte[] get(ApiResponse.Live.Forward what) throws IOException;
    }

    /** Information of a server that calls no kubelets. */
    public ServerInfo(Supplier<String> url, Supplier<String> metrics, RuntimeConfig apis) {
        this(url, metrics, apis, what -> {
            throw new IOException("this server calls no kubelets");
        });
    }

    /** A server without a transport. */
    public static ServerInfo none() {
        return new ServerInfo(() -> "", () -> "", RuntimeConfig.standard());
    }
}
