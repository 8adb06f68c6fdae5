package dev.wheelhouse.apiserver;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

import javax.net.ssl.SSLContext;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.audit.AuditLog;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.FlowSchemas;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.rest.Authorization;
import dev.wheelhouse.runtime.Clock;

/**
 * Serves the REST logic over HTTP. Each connection has a virtual thread, which does all waiting: for the body, for a
 * seat, for the client to read. Platform threads do the computing. The head of a request decides whether its body is
 * read at all.
 */
final class HttpFront extends HttpServlet {
    /** The size of answers in bytes from which they are compressed, as upstream. */
    private static final int GZIP_FROM = 128 * 1024;
    private static final int CHUNK = 64 * 1024;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final int MOST_PARSED_HEADER = 2048;
    /** The most characters of a query that is parsed, with its selectors, before its sender is known. */
    private static final int MOST_OF_STRANGERS = 4096;
    /** The most characters of an id that a client gives its request; a longer one is replaced, as upstream. */
    private static final int MOST_OF_AUDIT_ID = 64;
    /** The pause between two looks at the source of an answer that is followed. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);
    /** How long the rest of a refused body is read, so that its client gets to read the refusal. */
    private static final Duration DRAIN = Duration.ofSeconds(5);
    /** The pause after each two milliseconds of reading a refused body. Nobody needs its bytes. */
    private static final Duration WHILE_DISCARDING = Duration.ofMillis(10);
    /** The pause before each further request of a client that sends many without waiting for the answers. */
    private static final Duration PIPELINED = Duration.ofMillis(1);
    /** If more bytes of a refused body remain, the connection is closed after the answer. The limit is Go's. */
    private static final int MAX_DISCARDED_BODY = 256 * 1024;

    private final transient RequestPipeline requests;
    private final transient Clock clock;
    private final transient Traffic traffic;
    private final transient BodyReader bodies;
    private final transient Duration io;
    private final transient Duration bodyDeadline;
    private final transient Duration watchCheck;
    private final transient RequestMetrics metrics;
    private final transient WebPages pages;
    private final transient Supplier<SSLContext> kubelets;
    private final transient @Nullable AuditLog log;

    /** @param kubelets this server's certificate for kubelets */
    HttpFront(RequestPipeline requests, ApiServerOptions options, Traffic traffic, WebPages pages,
            Supplier<SSLContext> kubelets) {
        ApiServerLimits limits = options.limits();
        this.log = options.audit();
        this.kubelets = kubelets;
        this.requests = requests;
        this.pages = pages;
        this.clock = options.clock();
        this.traffic = traffic;
        this.metrics = traffic.metrics();
        this.bodies = new BodyReader(clock, limits.body());
        this.io = limits.io();
        this.bodyDeadline = limits.io().multipliedBy(2);
        Duration half = limits.io().dividedBy(2);
        this.watchCheck = half.compareTo(LONGEST_WAIT) < 0 ? half : LONGEST_WAIT;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String audit = header(request, "Audit-Id");
        String id = audit.isEmpty() || audit.length() > MOST_OF_AUDIT_ID ? newId() : audit;
        response.setHeader("Audit-Id", id);
        if (log != null) {
            String query = request.getQueryString();
            AuditEvent.enter(log, id, request.getRequestURI() + (query == null ? "" : "?" + query), sources(request),
                    header(request, "User-Agent"));
        }
        try {
            serve(request, response);
        } catch (SocketTimeoutException e) {
            traffic.tally().add("connections were ended because their clients neither sent nor read in time");
            endConnection();
        } catch (IOException e) {
            // The client is gone.
            endConnection();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            endConnection();
        } finally {
            AuditEvent.leave(response.getStatus());
        }
    }

    /** The addresses from which a request came, as proxies and the connection say (upstream: {@code util/net}). */
    private static List<String> sources(HttpServletRequest request) {
        String all = header(request, "X-Forwarded-For") + "," + header(request, "X-Real-Ip") + ","
                + request.getRemoteAddr();
        return Stream.of(all.split(",")).map(String::strip).filter(ADDRESS.asMatchPredicate()).distinct().toList();
    }

    /** A random UUID, which need not be a secret. */
    private static String newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong() & ~0xF000L | 0x4000L, random.nextLong() >>> 2 | 1L << 63).toString();
    }

    private static void endConnection() {
        ApiProtocol.Connection client = ApiProtocol.current();
        if (client != null) {
            client.endInput();
        }
    }

    private void serve(HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        Connections.Peer peer = peer();
        if (peer != null && peer.isPipelining()) {
            // A virtual thread is not preempted, and would keep its carrier as long as its client sends. A yield does
            // not suffice: a carrier takes its own threads first.
            LockSupport.parkNanos(this, PIPELINED.toNanos());
        }
        long began = clock.nanoTime();
        // The parsed head is not kept for a stranger, who may be slow to send the rest of a body or to read.
        Authorization decision = decide(request);
        if (decision.flow() instanceof FlowSchemas.Match flow) {
            response.setHeader("X-Kubernetes-PF-FlowSchema-UID", flow.schema());
            response.setHeader("X-Kubernetes-PF-PriorityLevel-UID", flow.level());
        }
        switch (decision) {
            case Authorization.Refused refused -> {
                metrics.refused(request.getMethod(), refused.answer().code(), clock.nanoTime() - began);
                refuse(request, response, refused.answer());
            }
            case Authorization.Granted granted -> serve(request, response, granted, began);
        }
    }

    private Authorization decide(HttpServletRequest request) {
        WebPages.Refusal refusal = pages.refusal(request);
        if (refusal != null) {
            return new Authorization.Refused(Refusals.status(refusal.code(), refusal.message()), null);
        }
        Credentials shown = credentials(request);
        String query = request.getQueryString();
        if (query != null && query.length() > MOST_OF_STRANGERS && !requests.knows(shown)) {
            return new Authorization.Refused(Refusals.status(401,
                    "a query of more than " + MOST_OF_STRANGERS + " characters is read with valid credentials alone"),
                    null);
        }
        try {
            return requests.authorize(ApiRequest.ofHead(request.getMethod(), request.getRequestURI(),
                    QueryParameters.parse(query), shortHeader(request, "Accept"), shortHeader(request, "Content-Type"),
                    header(request, "User-Agent"), shown));
        } catch (StatusException e) {
            return new Authorization.Refused(Refusals.of(e), null);
        }
    }

    private void serve(HttpServletRequest request, HttpServletResponse response, Authorization.Granted granted,
            long began) throws IOException, InterruptedException {
        ApiRequest head = granted.request();
        Flow flow = requests.flow(head);
        if (requests.isOpen() || !head.user().equals(User.ANONYMOUS)) {
            peer(Connections.Peer::clientAuthenticated);
        }
        ByteBudget.Part held = traffic.heads().part(flow.sender());
        boolean handedOver = false;
        try {
            long bytes = head.heldBytes();
            if (bytes > Traffic.UNCHARGED_HEAD && !held.take(bytes, Duration.ZERO)) {
                ApiResponse.Content refusal = requests.tooManyRequests();
                requests.count(head, refusal.code(), began);
                refuse(request, response, refusal);
                return;
            }
            handedOver = switch (execute(request, response, granted, flow, began)) {
                case null -> false;
                case ApiResponse.Stream stream -> watch(request, response, flow.sender(), stream, held);
                case ApiResponse.Content content -> goOn(request, response, flow.sender(), content, held);
            };
        } finally {
            if (!handedOver) {
                held.close();
            }
        }
    }

    /** Reads the body and answers. An answer that lasts, such as a watch, is returned, and the body forgotten. */
    private @Nullable ApiResponse execute(HttpServletRequest request, HttpServletResponse response,
            Authorization.Granted granted, Flow flow, long began) throws IOException, InterruptedException {
        try (ByteBudget.Part bodyMemory = traffic.bodies().part(flow.sender());
                ByteBudget.Part memory = traffic.work().part(flow.sender())) {
            BodyReader.Outcome read = bodies.read(request.getInputStream(), bodyLength(request), bodyMemory,
                    clock.deadline(bodyDeadline));
            if (read.refusal() != null) {
                if (read.refusal().code() == 408) {
                    traffic.tally().add("requests were given up because their bodies did not come within "
                            + bodyDeadline);
                }
                requests.count(granted.request(), read.refusal().code(), began);
                refuse(request, response, read.refusal());
                return null;
            }
            peer(Connections.Peer::requestReceived);
            if (!requests.begin(flow)) {
                sendAndAwaitReader(request, response, requests.tooManyRequests());
                return null;
            }
            try {
                return answer(request, response, granted, flow, read.body(), memory, began);
            } finally {
                requests.end(flow);
            }
        }
    }

    private static Connections.@Nullable Peer peer() {
        ApiProtocol.Connection client = ApiProtocol.current();
        return client == null ? null : client.peer();
    }

    private static void peer(Consumer<Connections.Peer> event) {
        Connections.Peer peer = peer();
        if (peer != null) {
            event.accept(peer);
        }
    }

    /** The length of the body in bytes; -1 if unknown. */
    private static long bodyLength(HttpServletRequest request) {
        long told = request.getContentLengthLong();
        return told >= 0 ? told : request.getHeader("Transfer-Encoding") == null ? 0 : -1;
    }

    /** Answers a request, unless the answer lasts: it is returned. */
    private @Nullable ApiResponse answer(HttpServletRequest request, HttpServletResponse response,
            Authorization.Granted granted, Flow flow, byte[] body, ByteBudget.Part memory, long began)
            throws IOException, InterruptedException {
        ApiResponse answer = requests.answer(granted, flow, body, memory, began);
        if (answer instanceof ApiResponse.Content content && content.live() == null
                && !(content.code() == 200 && granted.request().about().subresource().equals("log")
                        && OneWaySocket.isAskedForBy(request))) {
            if (requests.losesAnswer(granted.request())) {
                breakOff(response);
            }
            // Waiting for memory would hold the answer meanwhile. Pieces were charged when they were made, if at all.
            // The answer to a write was charged before the write, which a refusal would deny.
            boolean held = content.pieces() != null || content.body().length <= BodyReader.UNCHARGED
                    || !granted.request().method().equals("GET")
                    || memory.take(content.body().length, Duration.ZERO);
            sendAndAwaitReader(request, response, held ? content : requests.tooManyRequests());
            return null;
        }
        return answer;
    }

    /** Announces a body and does not send it, because Tomcat would send an empty answer instead of none. */
    private static void breakOff(HttpServletResponse response) throws IOException {
        response.setContentLength(1);
        response.flushBuffer();
        throw new IOException("injected fault: the connection breaks");
    }

    /** Refuses a request whose body was not, or not completely, read. */
    private void refuse(HttpServletRequest request, HttpServletResponse response, ApiResponse.Content answer)
            throws IOException {
        long length = bodyLength(request);
        if (length == 0) {
            sendAndAwaitReader(request, response, answer);
            return;
        }
        if (length < 0 || length > MAX_DISCARDED_BODY || answer.code() == 408) {
            response.setHeader("Connection", "close");
        }
        if (request.getHeader("Expect") == null) {
            if (length < 0) {
                sendAndDiscardChunks(request, response, answer);
                return;
            }
            // Tomcat reads and discards the rest: a client that is still sending would not see the answer.
            peer(peer -> traffic.timer().schedule(peer.awaitRefusedBody(), DRAIN.toMillis(), TimeUnit.MILLISECONDS));
        }
        send(request, response, answer);
    }

    /**
     * Sends an answer, and reads the rest of a body in chunks before the answer's last byte. Tomcat would read the rest
     * after it, without a pause however small the chunks are.
     */
    private void sendAndDiscardChunks(HttpServletRequest request, HttpServletResponse response,
            ApiResponse.Content answer) throws IOException {
        peer(Connections.Peer::awaitRefusedBody);
        byte[] text = answer.body();
        setHead(response, answer);
        response.setContentLength(text.length);
        OutputStream out = response.getOutputStream();
        out.write(text, 0, text.length - 1);
        response.flushBuffer();
        ApiProtocol.Connection client = ApiProtocol.current();
        Future<?> patience = client == null
                ? null
                : traffic.timer().schedule(client::endInput, DRAIN.toMillis(), TimeUnit.MILLISECONDS);
        try {
            discard(request.getInputStream());
        } catch (IOException e) {
            // The rest did not come in time, or is broken.
            endConnection();
        } finally {
            if (patience != null) {
                patience.cancel(false);
            }
        }
        out.write(text, text.length - 1, 1);
    }

    private void discard(InputStream body) throws IOException {
        byte[] buffer = new byte[2048];
        ReadingTurn turn = new ReadingTurn(clock, WHILE_DISCARDING);
        for (int left = Connectors.REFUSED_BODY_READ; left > 0;) {
            int read = body.read(buffer);
            if (read < 0) {
                return;
            }
            left -= read;
            turn.goOn();
        }
        throw new IOException("the body does not end");
    }

    private static Credentials credentials(HttpServletRequest request) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name, Collections.list(request.getHeaders(name)));
        }
        X509Certificate certificate = request
                .getAttribute("jakarta.servlet.request.X509Certificate") instanceof X509Certificate[] chain
                && chain.length > 0 ? chain[0] : null;
        return Credentials.of(headers, certificate);
    }

    /** @throws StatusException 400 if the header, which is parsed, is long */
    private static String shortHeader(HttpServletRequest request, String name) {
        String value = header(request, name);
        if (value.length() > MOST_PARSED_HEADER) {
            throw Errors.badRequest("the header " + name + " has more than " + MOST_PARSED_HEADER
                    + " characters: name fewer media types");
        }
        return value;
    }

    private static String header(HttpServletRequest request, String name) {
        String value = request.getHeader(name);
        return value == null ? "" : value;
    }

    /** Sends the answer to a request that was received as a whole. */
    private void sendAndAwaitReader(HttpServletRequest request, HttpServletResponse response,
            ApiResponse.Content content) throws IOException {
        peer(Connections.Peer::answerBegins);
        send(request, response, content);
    }

    private void send(HttpServletRequest request, HttpServletResponse response, ApiResponse.Content content)
            throws IOException {
        setHead(response, content);
        String tag = content.headers().get("ETag");
        if (tag != null && tag.equals(header(request, "If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        if (content.length() >= GZIP_FROM && header(request, "Accept-Encoding").contains("gzip")) {
            response.setHeader("Content-Encoding", "gzip");
            response.setHeader("Vary", "Accept-Encoding");
            try (OutputStream out = new FastGzip(response.getOutputStream())) {
                writeLong(content, out);
            }
            return;
        }
        response.setContentLengthLong(content.length());
        if (content.length() <= CHUNK) {
            content.writeTo(response.getOutputStream());
        } else {
            writeLong(content, response.getOutputStream());
        }
    }

    private static void setHead(HttpServletResponse response, ApiResponse.Content content) {
        content.audit();
        response.setStatus(content.code());
        if (!content.contentType().isEmpty()) {
            response.setHeader("Content-Type", content.contentType());
        }
        response.setHeader("Cache-Control", "no-cache, private");
        content.headers().forEach(response::setHeader);
        for (String warning : content.warnings()) {
            response.addHeader("Warning", "299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"")
                    .replaceAll("\\p{Cntrl}", " ") + "\"");
        }
        if (content.retryAfter() != null) {
            response.setHeader("Retry-After", String.valueOf(content.retryAfter()));
        }
    }

    private void writeLong(ApiResponse.Content content, OutputStream to) throws IOException {
        OutputStream out = new BufferedOutputStream(new YieldingOutput(to, clock.deadline(requests.deadline())), CHUNK);
        content.writeTo(out);
        out.flush();
    }

    /** Lets other connections have their turn on this thread's carrier, and gives up a client that reads too slowly. */
    private final class YieldingOutput extends FilterOutputStream {
        private final long deadline;

        YieldingOutput(OutputStream out, long deadline) {
            super(out);
            this.deadline = deadline;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int at = 0; at < length; at += CHUNK) {
                out.write(bytes, offset + at, Math.min(CHUNK, length - at));
                if (clock.nanoTime() - deadline > 0) {
                    throw new SocketTimeoutException("the answer was not read within " + requests.deadline());
                }
                Thread.yield();
            }
        }
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 16 * 1024);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    /**
     * @param held closed at the end of a watch that is handed over
     * @return whether the watch is handed over to a WebSocket, so that it goes on after the return
     */
    private boolean watch(HttpServletRequest request, HttpServletResponse response, String sender,
            ApiResponse.Stream stream, ByteBudget.Part held) throws IOException, InterruptedException {
        if (requests.beginWatch(sender, stream) instanceof ApiResponse.Content refusal) {
            send(request, response, refusal);
            return false;
        }
        Connections.Peer peer = peer();
        if (peer != null && OneWaySocket.isAskedForBy(request)) {
            // If the client is gone already, Tomcat does not hand the watch over.
            Runnable audit = AuditEvent.goesOn(101);
            peer.whenClosed(() -> {
                stream.feed().close();
                audit.run();
                requests.endWatch(sender);
                held.close();
            });
            OneWaySocket.accept(request, response, "", new WatchMessages(stream, watchCheck.toNanos()), io);
            return true;
        }
        try {
            stream(response, stream);
            return false;
        } finally {
            requests.endWatch(sender);
        }
    }

    /** Goes on with an answer that lasts. @return whether it goes on after the return, and closes what is held */
    private boolean goOn(HttpServletRequest request, HttpServletResponse response, String sender,
            ApiResponse.Content content, ByteBudget.Part held) throws IOException {
        ApiResponse.Content refusal = requests.beginLong(sender);
        if (refusal != null) {
            send(request, response, refusal);
            return false;
        }
        Backend backend = content.live() instanceof ApiResponse.Live.Forward to
                ? Backend.ask(to, Backend.Asked.of(request), io, HttpFront::isGone, kubelets)
                : null;
        Connections.Peer peer = peer();
        boolean messages = OneWaySocket.isAskedForBy(request)
                && !(content.live() instanceof ApiResponse.Live.Forward other && !other.isLog());
        LogMessages.Log log = backend == null
                ? (out, gone) -> follow(out, content, gone)
                : (out, gone) -> backend.copyTo(out, watchCheck, gone);
        boolean handedOver = false;
        try {
            ApiResponse.Content own = backend == null ? null : backend.own();
            if (own != null) {
                send(request, response, own);
            } else if (peer != null && (messages || backend != null && backend.isUpgraded())) {
                Runnable audit = AuditEvent.goesOn(101);
                peer.whenClosed(() -> {
                    audit.run();
                    if (backend != null) {
                        backend.close();
                    }
                    requests.endWatch(sender);
                    held.close();
                });
                handedOver = true;
                if (messages) {
                    LogMessages.accept(request, response, log, io);
                } else {
                    Tunnel.accept(request, response, Objects.requireNonNull(backend), io, clock);
                }
            } else if (backend != null) {
                if (requests.isOpen()) {
                    // The page of a pod is not to use this server, which asks its browser for no credentials.
                    response.setHeader("Content-Security-Policy", "sandbox allow-forms allow-popups allow-scripts");
                }
                response.setHeader("Cache-Control", "no-cache, private");
                backend.copyTo(response, watchCheck, HttpFront::isGone);
            } else {
                setHead(response, content);
                log.writeTo(response.getOutputStream(), HttpFront::isGone);
            }
        } finally {
            if (!handedOver) {
                requests.endWatch(sender);
            }
        }
        return handedOver;
    }

    private static boolean isGone() {
        ApiProtocol.Connection client = ApiProtocol.current();
        return client != null && client.isGone();
    }

    private static void follow(OutputStream out, ApiResponse.Content content, BooleanSupplier gone)
            throws IOException {
        content.writeTo(out);
        out.flush();
        while (content.live() instanceof ApiResponse.Live.Follow source && !gone.getAsBoolean()) {
            byte[] next = source.next().get();
            if (next == null) {
                return;
            }
            if (next.length > 0) {
                out.write(next);
                out.flush();
            }
            LockSupport.parkNanos(out, BETWEEN_LOOKS.toNanos());
        }
    }

    private void stream(HttpServletResponse response, ApiResponse.Stream stream)
            throws IOException, InterruptedException {
        ApiResponse.text(200, "").audit();
        response.setStatus(200);
        response.setHeader("Content-Type", stream.contentType());
        response.setHeader("Cache-Control", "no-cache, private");
        try (WatchFeed feed = stream.feed()) {
            OutputStream out = response.getOutputStream();
            response.flushBuffer();
            ApiProtocol.Connection client = ApiProtocol.current();
            if (client != null) {
                client.keepAlive();
            }
            while (true) {
                boolean ended = feed.isEnded();
                boolean wrote = false;
                for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                    out.write(stream.frame(event));
                    wrote = true;
                }
                if (wrote) {
                    out.flush();
                }
                if (ended) {
                    return;
                }
                feed.await(watchCheck.toNanos());
                // Without events nothing is written, so no write can fail and show that the client is gone.
                if (!wrote && client != null && client.isGone()) {
                    return;
                }
            }
        }
    }
}
