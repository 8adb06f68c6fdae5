package dev.wheelhouse.apiserver;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ProxiedLinks;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.runtime.HttpHead;
import dev.wheelhouse.runtime.OneLine;

/**
 * The connection to a server that answers a request in this server's place: the kubelet of a node, or a program in a
 * pod (upstream: {@code apimachinery/pkg/util/proxy/upgradeaware.go}, {@code transport.go}). Certificates are not
 * verified, as upstream does not without an authority for kubelets, and credentials are not passed on. Each connection
 * has one request.
 */
final class Backend implements Closeable {
    /** The most bytes of an answer that refuses to switch protocols. */
    private static final int MOST_OF_REFUSAL = 64 * 1024;
    private static final int CHUNK = 16 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** How long neither side may send anything (upstream: {@code streamingConnectionIdleTimeout} of kubelets). */
    static final Duration IDLE = Duration.ofHours(4);
    /** The protocol of WebSockets that carries the sender's token. */
    static final String TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io.";
    /** The headers that are about one connection only (RFC 9110, section 7.6.1). */
    private static final Set<String> OF_CONNECTION = Set.of("connection", "proxy-connection", "keep-alive", "te",
            "trailer", "transfer-encoding", "upgrade", "proxy-authenticate", "proxy-authorization");
    /** Further headers that this server sets anew, or that show who the sender is. */
    private static final Set<String> OWN = Set.of("host", "content-length", "expect", "authorization",
            "accept-encoding");
    private static final String FORWARDED_FOR = "X-Forwarded-For";

    private final ApiResponse.Live.Forward to;
    private final boolean head;
    private final boolean asksToSwitch;
    private final String host;
    private final Socket socket;
    private final InputStream in;
    private final int code;
    private final Map<String, List<String>> headers;
    private final ApiResponse.@Nullable Content own;

    private Backend(ApiResponse.Live.Forward to, HttpServletRequest request, Socket socket, InputStream in, int code,
            Map<String, List<String>> headers, ApiResponse.@Nullable Content own) {
        this.to = to;
        // Tomcat's request is no longer there when the messages of a log are sent.
        this.head = request.getMethod().equals("HEAD");
        this.asksToSwitch = asksToSwitch(to, request);
        this.host = host(to, request);
        this.socket = socket;
        this.in = in;
        this.code = code;
        this.headers = headers;
        this.own = own;
    }

    /**
     * Sends the request and reads the head of the answer. The caller closes what it gets, unless that is a failure.
     *
     * @param timeout for the head; that of a proxied request, and that of logs which are followed and may come with
     *        their first line, are waited for until nobody reads the answer any more
     * @param identity this server's certificate for kubelets
     */
    static Backend ask(ApiResponse.Live.Forward to, HttpServletRequest request, Duration timeout,
            BooleanSupplier gone, Supplier<SSLContext> identity) {
        if (to.isProxied() && to.path().isEmpty() && !asksToSwitch(to, request)
                && (request.getMethod().equals("GET") || request.getMethod().equals("HEAD"))) {
            String query = request.getQueryString();
            return instead(new ApiResponse.Content(301, "", new byte[0], List.of(), null,
                    Map.of("Location", to.proxy() + "/" + (query == null ? "" : "?" + query))), to, request);
        }
        Socket socket = new Socket();
        String protocol = asksToSwitch(to, request) ? request.getHeader("Upgrade") : null;
        ApiResponse.Content failure;
        try {
            socket.connect(new InetSocketAddress(to.host(), to.port()), (int) CONNECT.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            Socket talk = switch (to.server()) {
                case PLAIN -> socket;
                case TLS -> tls(socket, to, AnyPeer.context());
                case KUBELET -> tls(socket, to, identity.get());
            };
            OutputStream out = talk.getOutputStream();
            out.write(head(to, request, protocol).getBytes(StandardCharsets.ISO_8859_1));
            out.write(to.body());
            out.flush();
            InputStream in = new BufferedInputStream(talk.getInputStream(), CHUNK);
            long waits = to.isProxied() || to.path().contains("follow=true") ? IDLE.dividedBy(timeout) : 0;
            AtomicLong left = new AtomicLong(waits);
            HttpHead head;
            int code;
            do {
                head = HttpHead.read(in, () -> left.getAndDecrement() > 0 && !gone.getAsBoolean());
                if (!head.word(0).startsWith("HTTP/1.")) {
                    throw new IOException("net/http: HTTP/1.x transport connection broken: malformed HTTP response \""
                            + OneLine.of(head.lines().getFirst(), 100) + "\"");
                }
                code = Integer.parseInt(head.word(1));
            } while (code < 200 && code != HttpServletResponse.SC_SWITCHING_PROTOCOLS);
            Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            head.headers().forEach(line -> headers.computeIfAbsent(HttpHead.name(line), name -> new ArrayList<>())
                    .add(HttpHead.value(line)));
            Backend backend = new Backend(to, request, talk, in, code, headers, null);
            if (protocol == null || backend.isUpgraded() || code >= HttpServletResponse.SC_BAD_REQUEST) {
                return backend;
            }
            failure = Refusals.unexplained(500, "invalid upgrade response: status code " + code);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            failure = protocol != null
                    ? Refusals.unexplained(500, "error dialing backend: " + why(to, e))
                    : Refusals.unexplained(to.failureCode(), to.failure() + why(to, e));
        }
        close(socket);
        return instead(failure, to, request);
    }

    private static Backend instead(ApiResponse.Content own, ApiResponse.Live.Forward to, HttpServletRequest request) {
        return new Backend(to, request, new Socket(), InputStream.nullInputStream(), own.code(), Map.of(), own);
    }

    private static boolean asksToSwitch(ApiResponse.Live.Forward to, HttpServletRequest request) {
        return request.getHeader("Upgrade") != null && !to.isLog() && connection(request).contains("upgrade");
    }

    private static String connection(HttpServletRequest request) {
        return String.join(",", Collections.list(request.getHeaders("Connection"))).toLowerCase(Locale.ROOT);
    }

    private static Socket tls(Socket socket, ApiResponse.Live.Forward to, SSLContext context) throws IOException {
        return context.getSocketFactory().createSocket(socket, to.host(), to.port(), true);
    }

    private static String why(ApiResponse.Live.Forward to, Exception e) {
        String address = to.authority();
        return switch (e) {
            case ConnectException refused -> "dial tcp " + address + ": connect: connection refused";
            case SocketTimeoutException late -> "dial tcp " + address + ": i/o timeout";
            case UnknownHostException unknown -> "dial tcp: lookup " + to.host() + ": no such host";
            case SSLException other when String.valueOf(e.getMessage()).contains("SSL message") ->
                "tls: first record does not look like a TLS handshake";
            default -> String.valueOf(e.getMessage());
        };
    }

    private static String head(ApiResponse.Live.Forward to, HttpServletRequest request, @Nullable String protocol) {
        String query = request.getQueryString();
        StringBuilder head = new StringBuilder(request.getMethod()).append(' ')
                .append(to.path().isEmpty() ? "/" : to.path())
                .append(to.isProxied() && query != null ? "?" + query : "").append(" HTTP/1.1\r\n");
        Set<String> ofConnection = Stream.of(connection(request).split(",")).map(String::strip)
                .collect(Collectors.toSet());
        List<String> forwarded = new ArrayList<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (OF_CONNECTION.contains(lower) || OWN.contains(lower) || ofConnection.contains(lower)
                    || lower.startsWith("impersonate-") || lower.equals("cookie") && !to.isProxied()) {
                continue;
            }
            for (String value : Collections.list(request.getHeaders(name))) {
                if (to.isProxied() && name.equalsIgnoreCase(FORWARDED_FOR)) {
                    forwarded.add(value);
                } else {
                    add(head, name, lower.equals("sec-websocket-protocol") ? withoutToken(value) : value);
                }
            }
        }
        add(head, "Host", to.isProxied() ? host(to, request) : to.authority());
        if (to.isProxied()) {
            forwarded.add(request.getRemoteAddr());
            add(head, FORWARDED_FOR, String.join(", ", forwarded));
            add(head, "X-Forwarded-Uri", to.proxy() + (to.path().isEmpty() ? "/" : to.path()));
        }
        add(head, "Connection", protocol == null ? "close" : "Upgrade");
        if (protocol != null) {
            add(head, "Upgrade", protocol);
        }
        if (to.body().length > 0 || !request.getMethod().equals("GET")) {
            add(head, "Content-Length", String.valueOf(to.body().length));
        }
        return head.append("\r\n").toString();
    }

    private static String host(ApiResponse.Live.Forward to, HttpServletRequest request) {
        return Objects.requireNonNullElse(request.getHeader("Host"), to.authority());
    }

    private static void add(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static String withoutToken(String protocols) {
        return Stream.of(protocols.split(",")).map(String::strip).filter(name -> !name.startsWith(TOKEN_PROTOCOL))
                .collect(Collectors.joining(", "));
    }

    /**
     * The answer of this server in place of the other one's: that it cannot be reached, or refuses logs, as
     * kube-apiserver says it (upstream: {@code registry/generic/rest/response_checker.go}). Null if there is none.
     */
    ApiResponse.@Nullable Content own() throws IOException {
        if (own != null || !to.isLog() || code < HttpServletResponse.SC_MULTIPLE_CHOICES) {
            return own;
        }
        try (this) {
            InputStream body = isChunked() ? new ChunkedInput(in) : in;
            String text = new String(body.readNBytes((int) Math.min(MOST_OF_REFUSAL, length())),
                    StandardCharsets.UTF_8);
            return Refusals.status(code, code == HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                    ? "Internal error occurred: " + text
                    : text);
        }
    }

    /** Whether the server switches protocols. */
    boolean isUpgraded() {
        return code == HttpServletResponse.SC_SWITCHING_PROTOCOLS;
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
        headers.forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (isUpgraded() || !OF_CONNECTION.contains(lower)
                    && !(to.isProxied() && lower.startsWith("access-control-allow-"))
                    && !(lower.equals("content-length") && isPage())) {
                values.forEach(value -> response.addHeader(name,
                        lower.equals("location") && to.isProxied() ? links().led(value) : value));
            }
        });
    }

    /** Whether the body is a page whose links have to lead here. */
    private boolean isPage() {
        return to.isProxied() && !headers.containsKey("Content-Encoding")
                && header("Content-Type").split(";", 2)[0].strip().equalsIgnoreCase("text/html");
    }

    private ProxiedLinks links() {
        return new ProxiedLinks(to.proxy(), to.authority(), host);
    }

    /** Copies the answer as it comes, and closes this connection. @param gone whether nobody reads it any more */
    void copyTo(HttpServletResponse response, Duration check, BooleanSupplier gone) throws IOException {
        try (this) {
            copyHead(response);
            OutputStream out = response.getOutputStream();
            if (isPage()) {
                out = links().inPages(out);
            }
            response.flushBuffer();
            copyTo(out, check, gone);
            out.close();
        }
    }

    /** Copies the body as it comes. */
    void copyTo(OutputStream out, Duration check, BooleanSupplier gone) throws IOException {
        setReadTimeout(check);
        boolean chunked = isChunked();
        InputStream body = chunked ? new ChunkedInput(in) : in;
        boolean none = head || code == HttpServletResponse.SC_NOT_MODIFIED;
        boolean known = !chunked && headers.containsKey("Content-Length");
        // A server that refuses to switch protocols may keep the connection.
        long left = none || asksToSwitch && !chunked && !known ? 0 : chunked ? Long.MAX_VALUE : length();
        byte[] buffer = new byte[CHUNK];
        int quiet = 0;
        while (left > 0) {
            int read;
            try {
                read = body.read(buffer, 0, (int) Math.min(buffer.length, left));
            } catch (SocketTimeoutException e) {
                quiet++;
                if (gone.getAsBoolean() || check.multipliedBy(quiet).compareTo(IDLE) > 0) {
                    return;
                }
                continue;
            }
            if (read < 0) {
                if (known) {
                    throw new EOFException("the server behind this one has ended its answer early");
                }
                return;
            }
            quiet = 0;
            left -= read;
            out.write(buffer, 0, read);
            out.flush();
            Thread.yield();
        }
    }

    private boolean isChunked() {
        return header("Transfer-Encoding").toLowerCase(Locale.ROOT).endsWith("chunked");
    }

    private String header(String name) {
        return headers.getOrDefault(name, List.of("")).getFirst();
    }

    private long length() {
        String text = header("Content-Length");
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : Long.MAX_VALUE;
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
