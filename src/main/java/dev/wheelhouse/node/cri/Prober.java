package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1HTTPHeader;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.node.RestartBackoff;
import dev.wheelhouse.node.cri.proto.Cri.ExecSyncResponse;
import dev.wheelhouse.node.cri.proto.Cri.HealthCheckRequest;
import dev.wheelhouse.node.cri.proto.Cri.HealthCheckResponse;
import dev.wheelhouse.node.cri.proto.Cri.HealthCheckResponse.ServingStatus;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.runtime.OneLine;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Executes probes: commands, HTTP requests, TCP connections and gRPC calls (upstream: {@code pkg/probe}). Thread safe.
 */
final class Prober implements AutoCloseable {
    /** The result of a probe that says nothing about the container: the runtime did not answer. */
    static final String UNKNOWN = "the container runtime does not answer";
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int MOST_OF_BODY = 10 * 1024;
    private static final int MOST_REDIRECTS = 10;

    private final CriService cri;
    private final OkHttpClient http;

    Prober(CriService cri) {
        this.cri = cri;
        try {
            this.http = new OkHttpClient.Builder()
                    .sslSocketFactory(AnyPeer.context().getSocketFactory(), AnyPeer.INSTANCE)
                    .hostnameVerifier((name, session) -> true).retryOnConnectionFailure(false)
                    .addNetworkInterceptor(Prober::staysAtHost).build();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
    }

    /**
     * Probes once.
     * @param address the pod's address
     * @param warnings hears why a probe that succeeds is doubtful
     * @return null if it succeeds, else why not
     */
    @Nullable
    String probe(V1Probe probe, V1Container container, String containerId, String address,
            Consumer<String> warnings) {
        Duration timeout = Duration.ofSeconds(probe.getTimeoutSeconds() == null ? 1 : probe.getTimeoutSeconds());
        try {
            if (probe.getExec() != null) {
                List<String> command = probe.getExec().getCommand();
                return exec(containerId, command == null ? List.of() : command, timeout, call -> {});
            }
            if (probe.getHttpGet() != null) {
                Answer answer = get(probe.getHttpGet(), container, address, timeout, "kube-probe/1.36");
                if (answer.code >= 300 && answer.code < 400) {
                    warnings.accept(OneLine.of("Probe terminated redirects, Response body: " + answer.body,
                            LONGEST_MESSAGE));
                }
                return answer.code >= 200 && answer.code < 400
                        ? null
                        : "HTTP probe failed with statuscode: " + answer.code;
            }
            if (probe.getGrpc() != null) {
                String service = probe.getGrpc().getService();
                return health((address.contains(":") ? "[" + address + "]" : address) + ":" + probe.getGrpc().getPort(),
                        service == null ? "" : service, timeout);
            }
            if (probe.getTcpSocket() != null) {
                String host = probe.getTcpSocket().getHost();
                try (Socket socket = new Socket()) {
                    socket.connect(new InetSocketAddress(host == null || host.isEmpty() ? address : host,
                            port(probe.getTcpSocket().getPort(), container)), (int) timeout.toMillis());
                }
                return null;
            }
            return "it says neither exec nor httpGet nor tcpSocket nor grpc";
        } catch (IOException | IllegalArgumentException e) {
            return OneLine.of(String.valueOf(e.getMessage()), LONGEST_MESSAGE);
        }
    }

    /** Runs a command. @return null if it ends with 0, else its output, or why it did not run */
    @Nullable
    String exec(String containerId, List<String> command, Duration timeout, Consumer<Call> begun) {
        try {
            ExecSyncResponse answer = cri.exec(containerId, command, timeout, begun);
            String output = answer.getStdout().toStringUtf8() + answer.getStderr().toStringUtf8();
            return answer.getExitCode() == 0
                    ? null
                    : OneLine.of(output.isBlank() ? "exit code " + answer.getExitCode() : output, LONGEST_MESSAGE);
        } catch (CriException e) {
            return e.code == CriException.UNAVAILABLE ? UNKNOWN : e.reason;
        }
    }

    /** Asks a gRPC server for its health, with kubelet's words (upstream: {@code pkg/probe/grpc}). */
    static @Nullable String health(String address, String service, Duration timeout) {
        try (CriClient client = new CriClient(address)) {
            HealthCheckResponse answer = client.call("grpc.health.v1.Health/Check",
                    HealthCheckRequest.newBuilder().setService(service).build(), HealthCheckResponse.parser(), timeout);
            return answer.getStatus() == ServingStatus.SERVING
                    ? null
                    : "service unhealthy (responded with \"" + answer.getStatus() + "\")";
        } catch (CriException e) {
            String within = RestartBackoff.text(timeout);
            return switch (e.code) {
                case CriException.UNAVAILABLE -> "timeout: failed to connect service \"" + address + "\" within "
                        + within + ": context deadline exceeded";
                case CriException.UNIMPLEMENTED -> "error: this server does not implement the grpc health protocol"
                        + " (grpc.health.v1.Health): " + e.reason;
                case CriException.DEADLINE_EXCEEDED -> "timeout: health rpc did not complete within " + within;
                default -> "error: health rpc probe failed: " + e.reason;
            };
        }
    }

    /** Redirects are followed to the host that was asked, and not to others (upstream: {@code pkg/probe/http}). */
    private static Response staysAtHost(Interceptor.Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        String location = response.header("Location");
        if (!response.isRedirect() || location == null) {
            return response;
        }
        HttpUrl next = chain.request().url().resolve(location);
        if (response.code() == 300 || next == null || !next.host().equals(chain.call().request().url().host())) {
            return response.newBuilder().removeHeader("Location").build();
        }
        AtomicInteger redirects = chain.call().request().tag(AtomicInteger.class);
        if (redirects != null && redirects.incrementAndGet() >= MOST_REDIRECTS) {
            response.close();
            throw new IOException("Get \"" + location + "\": stopped after " + MOST_REDIRECTS + " redirects");
        }
        return response;
    }

    /** The answer to an HTTP request, with the beginning of its body. */
    record Answer(int code, String body) {}

    /** Sends an HTTP request. */
    Answer get(V1HTTPGetAction get, V1Container container, String address, Duration timeout, String agent)
            throws IOException {
        String host = get.getHost() == null || get.getHost().isEmpty() ? address : get.getHost();
        String path = get.getPath() == null ? "/" : get.getPath();
        HttpUrl url = HttpUrl.get(("HTTPS".equals(get.getScheme()) ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host) + ":" + port(get.getPort(), container)
                + (path.startsWith("/") ? path : "/" + path));
        Request.Builder request = new Request.Builder().url(url).header("User-Agent", agent)
                .header("Accept", "*/*").header("Connection", "close")
                .tag(AtomicInteger.class, new AtomicInteger());
        for (V1HTTPHeader header : get.getHttpHeaders() == null ? List.<V1HTTPHeader>of() : get.getHttpHeaders()) {
            request.header(header.getName(), header.getValue());
        }
        OkHttpClient client = http.newBuilder().callTimeout(timeout).build();
        try (Response response = client.newCall(request.build()).execute()) {
            return new Answer(response.code(), response.peekBody(MOST_OF_BODY).string());
        }
    }

    private static int port(IntOrString port, V1Container container) {
        if (port.isInteger()) {
            return port.getIntValue();
        }
        return container.getPorts() == null
                ? 0
                : container.getPorts().stream().filter(p -> port.getStrValue().equals(p.getName())).findFirst()
                        .map(V1ContainerPort::getContainerPort)
                        .orElseThrow(() -> new IllegalArgumentException("there is no port " + port.getStrValue()));
    }

    @Override
    public void close() {
        http.dispatcher().cancelAll();
        http.connectionPool().evictAll();
    }
}
