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
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
import dev.wheelhouse.apiserver.webhook.GoWords;

/**
 * The connection to a server that answers a request in this server's place: the kubelet of a node, or a server that
 * extends this one (upstream: {@code apimachinery/pkg/util/proxy/upgradeaware.go}). The certificates of kubelets are
 * not verified, as upstream does not without an authority for them, and credentials are not passed on. Requests that do
 * not switch protocols are sent as HTTP/1.0, so that the end of the connection ends the answer.
 */
final class Backend implements Closeable {
    /** The most bytes of the head of an answer. */
    private static final int MOST_OF_HEAD = 32 * 1024;
    /** The most bytes of an answer that refuses to switch protocols. */
    private static final int MOST_OF_REFUSAL = 64 * 1024;
    /** The most bytes of an answer that is read as a whole. */
    private static final int MOST_OF_WHOLE = 8 << 20;
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
    /** The beginnings of headers that show who the sender is. */
    private static final Pattern OF_SENDER = Pattern.compile("(?i)(impersonate|x-remote)-.*");
    private static final Set<String> OWN_OF_ANSWER = Set.of("connection", "keep-alive", "transfer-encoding");

    private final Socket socket;
    private final InputStream in;
    private final int code;
    private final Map<String, String> headers;
    private final ApiResponse.@Nullable Content failure;

    private Backend(Socket socket, InputStream in, int code, Map<String, String> headers,
            ApiResponse.@Nullable Content failure) {
        this.socket = socket;
        this.in = in;
        this.code = code;
        this.headers = headers;
        this.failure = failure;
    }

    /** A request as it is passed on. @param protocol the one to switch to; null if none is asked for */
    record Asked(String method, @Nullable String query, Map<String, List<String>> headers, @Nullable String protocol) {
        static Asked of(HttpServletRequest request) {
            Map<String, List<String>> headers = new LinkedHashMap<>();
            Collections.list(request.getHeaderNames())
                    .forEach(name -> headers.put(name, Collections.list(request.getHeaders(name))));
            return new Asked(request.getMethod(), request.getQueryString(), headers, request.getHeader("Upgrade"));
        }
    }

    /**
     * Sends the request and reads the head of the answer. The caller closes what it gets.
     *
     * @param timeout for the head; that of logs which are followed may come with their first line, so that it is waited
     *        for until nobody reads the answer any more
     * @param identity this server's certificate for kubelets
     */
    static Backend ask(ApiResponse.Live.Forward to, Asked request, Duration timeout, BooleanSupplier gone,
            Supplier<SSLContext> identity) {
        return ask(new Socket(), to, request, timeout, gone, identity);
    }

    private static Backend ask(Socket socket, ApiResponse.Live.Forward to, Asked request, Duration timeout,
            BooleanSupplier gone, Supplier<SSLContext> identity) {
        try {
            Socket tls = connect(socket, to, timeout, identity);
            OutputStream out = tls.getOutputStream();
            out.write(head(to, request).getBytes(StandardCharsets.ISO_8859_1));
            out.write(to.body());
            out.flush();
            InputStream in = new BufferedInputStream(tls.getInputStream(), CHUNK);
            String[] lines = readHead(in, to.path().contains("follow=true")
                    ? () -> !gone.getAsBoolean()
                    : () -> false).split("\r?\n");
            Map<String, String> headers = new LinkedHashMap<>();
            for (int i = 1; i < lines.length; i++) {
                int colon = lines[i].indexOf(':');
                if (colon > 0) {
                    headers.put(lines[i].substring(0, colon).strip(), lines[i].substring(colon + 1).strip());
                }
            }
            int code = Integer.parseInt(lines[0].split(" ", 3)[1]);
            boolean redirects = to.identity() != null && code >= 300 && code < 400
                    && headers.keySet().stream().anyMatch("Location"::equalsIgnoreCase);
            return new Backend(tls, in, code, headers, redirects
                    ? ApiResponse.text(502, "the backend attempted to redirect this request, which is not permitted")
                    : null);
        } catch (IOException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            close(socket);
            return new Backend(socket, InputStream.nullInputStream(), to.failureCode(), Map.of(), failure(to, e));
        }
    }

    private static Socket connect(Socket socket, ApiResponse.Live.Forward to, Duration timeout,
            Supplier<SSLContext> kubelets) throws IOException {
        InetSocketAddress address = new InetSocketAddress(to.host(), to.port());
        try {
            socket.connect(address, (int) CONNECT.toMillis());
        } catch (ConnectException e) {
            throw new ConnectException(GoWords.of(e, address.getAddress().getHostAddress(), to.port()));
        }
        socket.setSoTimeout((int) timeout.toMillis());
        ApiResponse.Live.Identity identity = to.identity();
        if (identity == null) {
            return kubelets.get().getSocketFactory().createSocket(socket, to.host(), to.port(), true);
        }
        SSLSocket tls = (SSLSocket) identity.tls().getSocketFactory().createSocket(socket, identity.serverName(),
                to.port(), true);
        tls.startHandshake();
        if (identity.verified()) {
            List<String> names = ServingCertificate
                    .names((X509Certificate) tls.getSession().getPeerCertificates()[0]);
            if (names.stream().noneMatch(name -> ServingCertificate.matches(name, identity.serverName()))) {
                throw new SSLPeerUnverifiedException(names.toString());
            }
        }
        return tls;
    }

    private static ApiResponse.Content failure(ApiResponse.Live.Forward to, Exception e) {
        ApiResponse.Live.Identity identity = to.identity();
        String why = switch (e) {
            case ConnectException told -> String.valueOf(told.getMessage());
            case SocketTimeoutException late when identity == null -> "dial tcp " + to.authority() + ": i/o timeout";
            case IOException io ->
                GoWords.of(io, io instanceof SSLException && identity != null ? identity.serverName() : to.host(),
                        to.port());
            default -> String.valueOf(e.getMessage());
        };
        return identity == null
                ? Refusals.unexplained(to.failureCode(), to.failure() + why)
                : ApiResponse.text(to.failureCode(), to.failure() + why + "\n");
    }

    /**
     * The whole answer to a request of this process, which has no headers but those of its identity.
     *
     * @param within the time for all of it
     * @throws IOException if there is no answer in that time, with the reason
     */
    static ApiResponse.Content whole(ApiResponse.Live.Forward to, Duration within, ScheduledExecutorService timer,
            Supplier<SSLContext> identity) throws IOException {
        Socket socket = new Socket();
        AtomicBoolean late = new AtomicBoolean();
        Future<?> end = timer.schedule(() -> {
            late.set(true);
            close(socket);
        }, within.toMillis(), TimeUnit.MILLISECONDS);
        try (Backend backend = ask(socket, to, new Asked("GET", null, Map.of(), null), within, () -> true, identity)) {
            ApiResponse.Content failure = backend.failure;
            if (failure != null) {
                throw new IOException(new String(failure.body(), StandardCharsets.UTF_8).strip());
            }
            byte[] body = backend.in.readNBytes((int) Math.min(backend.length(Integer.MAX_VALUE), MOST_OF_WHOLE + 1L));
            if (body.length > MOST_OF_WHOLE) {
                throw new IOException("the answer has more than " + MOST_OF_WHOLE + " bytes");
            }
            return new ApiResponse.Content(backend.code, backend.headers.getOrDefault("Content-Type", ""), body,
                    List.of(), null, backend.headers);
        } catch (IOException e) {
            throw late.get() ? new SocketTimeoutException("context deadline exceeded") : e;
        } finally {
            end.cancel(false);
        }
    }

    private static String head(ApiResponse.Live.Forward to, Asked request) {
        String protocol = request.protocol;
        ApiResponse.Live.Identity identity = to.identity();
        StringBuilder head = new StringBuilder(request.method).append(' ').append(to.path())
                .append(to.keepsQuery() && request.query != null ? "?" + request.query : "")
                .append(protocol == null ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
                .append("Host: ").append(to.authority()).append("\r\n");
        request.headers.forEach((name, values) -> {
            if (!OWN.contains(name.toLowerCase(Locale.ROOT)) && !OF_SENDER.matcher(name).matches()) {
                values.forEach(value -> head.append(name).append(": ")
                        .append(name.equalsIgnoreCase("Sec-WebSocket-Protocol") ? withoutToken(value) : value)
                        .append("\r\n"));
            }
        });
        if (identity != null) {
            identity.headers().forEach((name, values) -> values
                    .forEach(value -> head.append(name).append(": ").append(value).append("\r\n")));
        }
        if (protocol != null) {
            head.append("Connection: Upgrade\r\nUpgrade: ").append(protocol).append("\r\n");
        }
        if (to.body().length > 0 || !request.method.equals("GET")) {
            head.append("Content-Length: ").append(to.body().length).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static String withoutToken(String protocols) {
        return Stream.of(protocols.split(",")).map(String::strip).filter(name -> !name.startsWith(TOKEN_PROTOCOL))
                .collect(Collectors.joining(", "));
    }

    /** @param patient whether to go on when nothing has come in time */
    private static String readHead(InputStream in, BooleanSupplier patient) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            int next;
            try {
                next = in.read();
            } catch (SocketTimeoutException e) {
                if (head.isEmpty() && patient.getAsBoolean()) {
                    continue;
                }
                throw e;
            }
            if (next < 0 || head.length() >= MOST_OF_HEAD) {
                throw new EOFException(next < 0 ? "EOF" : "the head of the answer is too long");
            }
            head.append((char) next);
        }
        return head.toString();
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
        headers.forEach((name, value) -> {
            if (isUpgraded() || !OWN_OF_ANSWER.contains(name.toLowerCase(Locale.ROOT))) {
                response.addHeader(name, value);
            }
        });
    }

    /** Copies the answer as it comes, and closes this connection. @param gone whether nobody reads it any more */
    void copyTo(HttpServletResponse response, Duration check, BooleanSupplier gone) throws IOException {
        try (this) {
            copyHead(response);
            response.flushBuffer();
            setReadTimeout(check);
            OutputStream out = response.getOutputStream();
            byte[] buffer = new byte[CHUNK];
            boolean ends = !headers.containsKey("Upgrade") && !headers.containsKey("Transfer-Encoding");
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
        String text = headers.getOrDefault("Content-Length", "");
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
