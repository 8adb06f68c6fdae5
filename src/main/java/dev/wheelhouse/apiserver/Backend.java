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
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live.Forward;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live.Server;
import dev.wheelhouse.apiserver.protocol.ProxiedLinks;
import dev.wheelhouse.apiserver.webhook.GoWords;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.runtime.HttpHead;
import dev.wheelhouse.runtime.OneLine;

/**
 * The connection to a server that answers a request in this server's place: the kubelet of a node, a program in a pod,
 * or a server that extends this one (upstream: {@code apimachinery/pkg/util/proxy/upgradeaware.go},
 * {@code transport.go}). Certificates are verified of servers of the last kind alone, as upstream does without an
 * authority for kubelets, and credentials are not passed on. Each connection has one request.
 */
final class Backend implements Closeable {
    /** The most bytes of an answer that refuses to switch protocols. */
    private static final int MOST_OF_REFUSAL = 64 * 1024;
    /** The most bytes of an answer that is read as a whole. */
    private static final int MOST_OF_WHOLE = 8 << 20;
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
    /** The beginnings of headers that say for whom a request is. */
    private static final Pattern OF_SENDER = Pattern.compile("(impersonate|x-remote)-.*");
    private static final String FORWARDED_FOR = "X-Forwarded-For";

    private final Forward to;
    private final Asked asked;
    private final Socket socket;
    private final InputStream in;
    private final int code;
    private final Map<String, List<String>> headers;
    private final ApiResponse.@Nullable Content own;

    private Backend(Forward to, Asked asked, Socket socket, InputStream in, int code,
            Map<String, List<String>> headers, ApiResponse.@Nullable Content own) {
        this.to = to;
        this.asked = asked;
        this.socket = socket;
        this.in = in;
        this.code = code;
        this.headers = headers;
        this.own = own;
    }

    /**
     * A request as it came. Tomcat's own is no longer there when the messages of a log are sent.
     *
     * @param headers by their names in any case
     * @param sender the address that it came from; empty if it is this process
     */
    record Asked(String method, @Nullable String query, Map<String, List<String>> headers, String sender) {
        static Asked of(HttpServletRequest request) {
            Map<String, List<String>> headers = byName();
            Collections.list(request.getHeaderNames())
                    .forEach(name -> headers.put(name, Collections.list(request.getHeaders(name))));
            return new Asked(request.getMethod(), request.getQueryString(), headers, request.getRemoteAddr());
        }

        boolean reads() {
            return method.equals("GET") || method.equals("HEAD");
        }

        /** The protocol to switch to; null if none is asked for. */
        @Nullable
        String protocol(Forward to) {
            return !to.isLog() && connection().contains("upgrade") ? first(headers, "Upgrade", null) : null;
        }

        /** The words of the header {@code Connection}, in lower case. */
        String connection() {
            return String.join(",", headers.getOrDefault("Connection", List.of())).toLowerCase(Locale.ROOT);
        }

        /** The host by which the sender calls this server. */
        String host(Forward to) {
            return String.valueOf(first(headers, "Host", to.authority()));
        }
    }

    private static Map<String, List<String>> byName() {
        return new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    }

    private static @Nullable String first(Map<String, List<String>> headers, String name, @Nullable String absent) {
        List<String> values = headers.get(name);
        return values == null ? absent : values.getFirst();
    }

    /**
     * Sends the request and reads the head of the answer. The caller closes what it gets, unless that is a failure.
     *
     * @param timeout for the head; that of a proxied request, and that of logs which are followed and may come with
     *        their first line, are waited for until nobody reads the answer any more
     * @param kubelets this server's certificate for kubelets
     */
    static Backend ask(Forward to, Asked request, Duration timeout, BooleanSupplier gone,
            Supplier<SSLContext> kubelets) {
        String protocol = request.protocol(to);
        if (to.isProxied() && to.path().isEmpty() && protocol == null && request.reads()) {
            return instead(new ApiResponse.Content(301, "", new byte[0], List.of(), null, Map.of("Location",
                    to.proxy() + "/" + (request.query == null ? "" : "?" + request.query))), to, request);
        }
        Socket socket = new Socket();
        ApiResponse.Content failure;
        try {
            Backend backend = open(socket, to, request, timeout, gone, kubelets);
            boolean redirects = to.server() instanceof Server.Extension && backend.code / 100 == 3
                    && backend.headers.containsKey("Location");
            if (!redirects && (protocol == null || backend.isUpgraded()
                    || backend.code >= HttpServletResponse.SC_BAD_REQUEST)) {
                return backend;
            }
            failure = redirects
                    ? ApiResponse.text(502, "the backend attempted to redirect this request, which is not permitted")
                    : failure(to, 500, "invalid upgrade response: status code " + backend.code);
        } catch (IOException e) {
            failure = protocol == null
                    ? failure(to, to.failureCode(), to.failure() + e.getMessage())
                    : failure(to, 500, "error dialing backend: " + e.getMessage());
        }
        close(socket);
        return instead(failure, to, request);
    }

    private static Backend instead(ApiResponse.Content own, Forward to, Asked request) {
        return new Backend(to, request, new Socket(), InputStream.nullInputStream(), own.code(), Map.of(), own);
    }

    /** The answer that there is no connection. Servers that extend this one answer in plain text, as upstream. */
    private static ApiResponse.Content failure(Forward to, int code, String message) {
        return to.server() instanceof Server.Extension
                ? ApiResponse.text(to.failureCode(), message + "\n")
                : Refusals.unexplained(code, message);
    }

    /**
     * The whole answer to a GET of this process.
     *
     * @param within the time for all of it
     * @throws IOException if there is no answer in that time, with the reason in the words of Go
     */
    static ApiResponse.Content whole(Forward to, Duration within, ScheduledExecutorService timer,
            Supplier<SSLContext> kubelets) throws IOException {
        Socket socket = new Socket();
        AtomicBoolean late = new AtomicBoolean();
        Future<?> end = timer.schedule(() -> {
            late.set(true);
            close(socket);
        }, within.toMillis(), TimeUnit.MILLISECONDS);
        Asked asked = new Asked("GET", null, Map.of(), "");
        try (socket; Backend backend = open(socket, to, asked, within, () -> true, kubelets)) {
            byte[] body = backend.hasNoBody()
                    ? new byte[0]
                    : backend.body().readNBytes((int) Math.min(backend.length(), MOST_OF_WHOLE + 1L));
            if (body.length > MOST_OF_WHOLE) {
                throw new IOException("the answer has more than " + MOST_OF_WHOLE + " bytes");
            }
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            backend.headers.forEach((name, values) -> headers.put(name, values.getFirst()));
            return new ApiResponse.Content(backend.code, backend.header("Content-Type"), body, List.of(), null,
                    headers);
        } catch (IOException e) {
            throw late.get() ? new SocketTimeoutException("context deadline exceeded") : e;
        } finally {
            end.cancel(false);
        }
    }

    /** @throws IOException if no answer begins, with the reason in the words of Go */
    private static Backend open(Socket socket, Forward to, Asked request, Duration timeout, BooleanSupplier gone,
            Supplier<SSLContext> kubelets) throws IOException {
        InetSocketAddress address = new InetSocketAddress(to.host(), to.port());
        try {
            socket.connect(address, (int) CONNECT.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            Socket talk = switch (to.server()) {
                case Server.Kubelet kubelet -> tls(socket, kubelets.get(), to.host(), to.port());
                case Server.Program program ->
                    program.tls() ? tls(socket, AnyPeer.context(), to.host(), to.port()) : socket;
                case Server.Extension extension -> extension(socket, extension, to.port());
            };
            OutputStream out = talk.getOutputStream();
            out.write(head(to, request).getBytes(StandardCharsets.ISO_8859_1));
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
            Map<String, List<String>> headers = byName();
            head.headers().forEach(line -> headers.computeIfAbsent(HttpHead.name(line), name -> new ArrayList<>())
                    .add(HttpHead.value(line)));
            return new Backend(to, request, talk, in, code, headers, null);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new IOException(why(to, address, e), e);
        }
    }

    private static Socket tls(Socket socket, SSLContext context, String name, int port) throws IOException {
        return context.getSocketFactory().createSocket(socket, name, port, true);
    }

    private static Socket extension(Socket socket, Server.Extension server, int port) throws IOException {
        SSLSocket tls = (SSLSocket) tls(socket, server.tls(), server.name(), port);
        tls.startHandshake();
        if (server.verified()) {
            List<String> names = ServingCertificate.names((X509Certificate) tls.getSession().getPeerCertificates()[0]);
            if (names.stream().noneMatch(name -> ServingCertificate.matches(name, server.name()))) {
                throw new SSLPeerUnverifiedException(names.toString());
            }
        }
        return tls;
    }

    private static String why(Forward to, InetSocketAddress address, Exception e) {
        return switch (e) {
            case ConnectException refused ->
                GoWords.of(refused, address.getAddress().getHostAddress(), to.port());
            case SocketTimeoutException late when !(to.server() instanceof Server.Extension) ->
                "dial tcp " + to.authority() + ": i/o timeout";
            case SSLException tls when to.server() instanceof Server.Extension extension ->
                GoWords.of(tls, extension.name(), to.port());
            case IOException other -> GoWords.of(other, to.host(), to.port());
            default -> String.valueOf(e.getMessage());
        };
    }

    private static String head(Forward to, Asked request) {
        String protocol = request.protocol(to);
        boolean whole = to.isProxied() || to.server() instanceof Server.Extension;
        StringBuilder head = new StringBuilder(request.method).append(' ')
                .append(to.path().isEmpty() ? "/" : to.path())
                .append(whole && request.query != null ? "?" + request.query : "").append(" HTTP/1.1\r\n");
        Set<String> ofConnection = Stream.of(request.connection().split(",")).map(String::strip)
                .collect(Collectors.toSet());
        request.headers.forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (OF_CONNECTION.contains(lower) || OWN.contains(lower) || ofConnection.contains(lower)
                    || OF_SENDER.matcher(lower).matches() || lower.equals("cookie") && !to.isProxied()
                    || whole && lower.equals("x-forwarded-for")) {
                return;
            }
            values.forEach(value -> add(head, name,
                    lower.equals("sec-websocket-protocol") ? withoutToken(value) : value));
        });
        if (to.server() instanceof Server.Extension extension) {
            extension.headers().forEach((name, values) -> values.forEach(value -> add(head, name, value)));
        }
        add(head, "Host", to.isProxied() ? request.host(to) : to.authority());
        if (whole && !request.sender.isEmpty()) {
            List<String> forwarded = new ArrayList<>(request.headers.getOrDefault(FORWARDED_FOR, List.of()));
            forwarded.add(request.sender);
            add(head, FORWARDED_FOR, String.join(", ", forwarded));
        }
        if (to.isProxied()) {
            add(head, "X-Forwarded-Uri", to.proxy() + (to.path().isEmpty() ? "/" : to.path()));
        }
        add(head, "Connection", protocol == null ? "close" : "Upgrade");
        if (protocol != null) {
            add(head, "Upgrade", protocol);
        }
        if (to.body().length > 0 || !request.method.equals("GET")) {
            add(head, "Content-Length", String.valueOf(to.body().length));
        }
        return head.append("\r\n").toString();
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
            String text = new String(body().readNBytes((int) Math.min(MOST_OF_REFUSAL, length())),
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
        return new ProxiedLinks(to.proxy(), to.authority(), asked.host(to));
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
        InputStream body = body();
        boolean known = !chunked && headers.containsKey("Content-Length");
        // A server that refuses to switch protocols may keep the connection, unless it says that it ends it.
        boolean keeps = asked.protocol(to) != null && !header("Connection").equalsIgnoreCase("close");
        boolean none = hasNoBody() || keeps && !chunked && !known;
        long left = none ? 0 : chunked ? Long.MAX_VALUE : length();
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

    private boolean hasNoBody() {
        return asked.method.equals("HEAD") || code == HttpServletResponse.SC_NOT_MODIFIED;
    }

    private InputStream body() {
        return isChunked() ? new ChunkedInput(in) : in;
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
