package dev.wheelhouse.apiserver;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.runtime.HttpHead;

/**
 * The connection to a server that answers a request in this server's place, such as the kubelet of a node (upstream:
 * {@code apimachinery/pkg/util/proxy/upgradeaware.go}). Certificates are not verified, as upstream does not without an
 * authority for kubelets, and credentials are not passed on. Requests that do not switch protocols are sent as
 * HTTP/1.0, so that the end of the connection ends the answer.
 */
final class Backend implements Closeable {
    /** The most bytes of an answer that refuses to switch protocols. */
    private static final int MOST_OF_REFUSAL = 64 * 1024;
    private static final int CHUNK = 16 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** How long neither side may send anything (upstream: {@code streamingConnectionIdleTimeout} of kubelets). */
    static final Duration IDLE = Duration.ofHours(4);
    /** The protocol of WebSockets that carries the sender's token. */
    private static final String TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io.";
    /** The headers that are about the connection to this server, or that show who the sender is. */
    private static final Set<String> OWN = Set.of("host", "connection", "keep-alive", "te", "trailer", "upgrade",
            "transfer-encoding", "content-length", "expect", "authorization", "cookie", "proxy-authorization",
            "accept-encoding");
    private static final Set<String> OWN_OF_ANSWER = Set.of("connection", "keep-alive", "transfer-encoding");

    private final Socket socket;
    private final InputStream in;
    private final int code;
    private final HttpHead head;
    private final ApiResponse.@Nullable Content failure;

    private Backend(Socket socket, InputStream in, int code, HttpHead head,
            ApiResponse.@Nullable Content failure) {
        this.socket = socket;
        this.in = in;
        this.code = code;
        this.head = head;
        this.failure = failure;
    }

    /**
     * Sends the request and reads the head of the answer. The caller closes what it gets, unless that is a failure.
     *
     * @param timeout for the head; that of logs which are followed may come with their first line, so that it is waited
     *        for until nobody reads the answer any more
     * @param identity this server's certificate for kubelets
     */
    static Backend ask(ApiResponse.Live.Forward to, HttpServletRequest request, Duration timeout,
            BooleanSupplier gone, SSLContext identity) {
        Socket socket = new Socket();
        try {
            String protocol = request.getHeader("Upgrade");
            socket.connect(new InetSocketAddress(to.host(), to.port()), (int) CONNECT.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            Socket tls = identity.getSocketFactory().createSocket(socket, to.host(), to.port(), true);
            OutputStream out = tls.getOutputStream();
            out.write(head(to, request, protocol).getBytes(StandardCharsets.ISO_8859_1));
            out.write(to.body());
            out.flush();
            InputStream in = new BufferedInputStream(tls.getInputStream(), CHUNK);
            HttpHead head = HttpHead.read(in, () -> to.path().contains("follow=true") && !gone.getAsBoolean());
            return new Backend(tls, in, Integer.parseInt(head.word(1)), head, null);
        } catch (IOException | IllegalArgumentException e) {
            close(socket);
            return new Backend(socket, InputStream.nullInputStream(), to.failureCode(), new HttpHead(List.of()),
                    failure(to, e));
        }
    }

    private static ApiResponse.Content failure(ApiResponse.Live.Forward to, Exception e) {
        String address = to.authority();
        String why = switch (e) {
            case ConnectException refused -> "dial tcp " + address + ": connect: connection refused";
            case SocketTimeoutException late -> "dial tcp " + address + ": i/o timeout";
            case UnknownHostException unknown -> "dial tcp: lookup " + to.host() + ": no such host";
            default -> String.valueOf(e.getMessage());
        };
        return Refusals.unexplained(to.failureCode(), to.failure() + why);
    }

    private static String head(ApiResponse.Live.Forward to, HttpServletRequest request, @Nullable String protocol) {
        String query = request.getQueryString();
        StringBuilder head = new StringBuilder(request.getMethod()).append(' ').append(to.path())
                .append(to.keepsQuery() && query != null ? "?" + query : "")
                .append(protocol == null ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
                .append("Host: ").append(to.authority()).append("\r\n");
        for (String name : Collections.list(request.getHeaderNames())) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (OWN.contains(lower) || lower.startsWith("impersonate-")) {
                continue;
            }
            for (String value : Collections.list(request.getHeaders(name))) {
                head.append(name).append(": ")
                        .append(lower.equals("sec-websocket-protocol") ? withoutToken(value) : value).append("\r\n");
            }
        }
        if (protocol != null) {
            head.append("Connection: Upgrade\r\nUpgrade: ").append(protocol).append("\r\n");
        }
        if (to.body().length > 0 || !request.getMethod().equals("GET")) {
            head.append("Content-Length: ").append(to.body().length).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static String withoutToken(String protocols) {
        return Stream.of(protocols.split(",")).map(String::strip).filter(name -> !name.startsWith(TOKEN_PROTOCOL))
                .collect(Collectors.joining(", "));
    }

    /** The answer to send if the server cannot be reached; else null. */
    ApiResponse.@Nullable Content failure() {
        return failure;
    }

    /** Whether the server switches protocols. */
    boolean isUpgraded() {
        return code == HttpServletResponse.SC_SWITCHING_PROTOCOLS;
    }

    /**
     * The refusal in place of logs, as kube-apiserver makes it of a kubelet's (upstream:
     * {@code registry/generic/rest/response_checker.go}); null if the answer is no refusal. It closes this connection.
     */
    ApiResponse.@Nullable Content refusedLogs() throws IOException {
        if (code < HttpServletResponse.SC_MULTIPLE_CHOICES) {
            return null;
        }
        try (this) {
            String text = new String(in.readNBytes((int) Math.min(MOST_OF_REFUSAL, length(MOST_OF_REFUSAL))),
                    StandardCharsets.UTF_8);
            return Refusals.status(code, code == HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                    ? "Internal error occurred: " + text
                    : text);
        }
    }

    InputStream in() {
        return in;
    }

    OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    /** Limits the time of a read, after which the reader looks whether to go on. */
    void setReadTimeout(Duration timeout) throws IOException {
        socket.setSoTimeout((int) timeout.toMillis());
    }

    /** Copies the status and the headers of the answer. */
    void copyHead(HttpServletResponse response) {
        response.setStatus(code);
        head.headers().filter(
                line -> isUpgraded() || !OWN_OF_ANSWER.contains(HttpHead.name(line).toLowerCase(Locale.ROOT)))
                .forEach(line -> response.addHeader(HttpHead.name(line), HttpHead.value(line)));
    }

    /** Copies the answer as it comes, and closes this connection. @param gone whether nobody reads it any more */
    void copyTo(HttpServletResponse response, Duration check, BooleanSupplier gone) throws IOException {
        try (this) {
            copyHead(response);
            response.flushBuffer();
            setReadTimeout(check);
            OutputStream out = response.getOutputStream();
            byte[] buffer = new byte[CHUNK];
            boolean ends = head.header("Upgrade").isEmpty() && head.header("Transfer-Encoding").isEmpty();
            long left = ends ? length(Long.MAX_VALUE) : Math.min(MOST_OF_REFUSAL, length(0));
            int quiet = 0;
            while (left > 0) {
                int read;
                try {
                    read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                } catch (SocketTimeoutException e) {
                    quiet++;
                    if (gone.getAsBoolean() || check.multipliedBy(quiet).compareTo(IDLE) > 0) {
                        return;
                    }
                    continue;
                }
                if (read < 0) {
                    return;
                }
                quiet = 0;
                left -= read;
                out.write(buffer, 0, read);
                out.flush();
                Thread.yield();
            }
        }
    }

    private long length(long unknown) {
        String text = head.header("Content-Length");
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : unknown;
    }

    @Override
    public void close() {
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is broken already.
        }
    }
}
