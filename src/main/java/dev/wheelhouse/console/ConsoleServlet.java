package dev.wheelhouse.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.OneLine;

/**
 * Serves the console: its page at {@code /} and {@code /console/page/}, a view at {@code /console/NAME}, and changes as
 * {@code POST}. With {@code Accept: text/event-stream} a view is a stream: one event when it changes, at most two a
 * second, and fewer if the view takes long to make. A stream ends after a minute, so that the rights of its reader are
 * asked again. A filter has authorized each request but those for the page, and its principal is a {@link Viewer}.
 */
public final class ConsoleServlet extends HttpServlet {
    /** The path of all requests except the one for the page itself. */
    public static final String PATH = "/console";

    private static final Logger log = LoggerFactory.getLogger(ConsoleServlet.class);
    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_LINE = 500;
    private static final Duration BETWEEN_EVENTS = Duration.ofMillis(500);
    private static final Duration STREAM = Duration.ofMinutes(1);
    /**
     * A stream pauses this many times as long as its view took to make, so that it uses a small part of a processor.
     */
    private static final int SHARE = 20;
    /** The page takes a stream that is silent for three seconds for dead. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final byte[] ALIVE = ": the view is unchanged\n\n".getBytes(StandardCharsets.UTF_8);
    private static final int MOST_STREAMS = 64;
    private static final int MOST_BODY = 16 << 10;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Pattern FILE = Pattern.compile("[a-z]+\\.(html|js|css|svg)");
    private static final Map<String, String> TYPES = Map.of("html", "text/html; charset=utf-8", "js",
            "text/javascript; charset=utf-8", "css", "text/css; charset=utf-8", "svg", "image/svg+xml");

    private final transient Parts parts;
    private final transient Views views;
    private final transient Changes changes;
    private final transient Semaphore streams = new Semaphore(MOST_STREAMS);
    private final transient CountDownLatch closed = new CountDownLatch(1);

    /** Makes the console of running parts. It follows rollouts from the first time that all controllers run. */
    public ConsoleServlet(Parts parts) {
        this.parts = parts;
        Rollouts rollouts = new Rollouts(parts.clock());
        this.views = new Views(parts, rollouts);
        this.changes = new Changes(parts, new CachedObjects(parts.caches()));
        parts.manager().whenRunning(() -> rollouts.follow(parts.caches()));
    }

    /** Ends all streams. */
    public void close() {
        closed.countDown();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = path(request);
        if (path.isEmpty() || path.startsWith("page/")) {
            servePage(path.isEmpty() ? "index.html" : path.substring("page/".length()), response);
            return;
        }
        Viewer viewer = viewer(request);
        ViewRequest query = new ViewRequest(request, viewer);
        String accept = Objects.requireNonNullElse(request.getHeader("Accept"), "");
        if (accept.contains("text/event-stream")) {
            answer(response, () -> stream(path, query, response));
        } else {
            answer(response, () -> write(response, 200, JsonMapper.shared().writeValueAsBytes(views.of(path, query))));
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Viewer viewer = viewer(request);
        answer(response, () -> {
            if (!parts.writable()) {
                problem(response, 403, "the console changes nothing: start the service with "
                        + "--wheelhouse.console.writable=true");
                return;
            }
            byte[] body = request.getInputStream().readNBytes(MOST_BODY);
            JsonNode wanted = JsonMapper.shared().readTree(body);
            String done = switch (path(request)) {
                case "controllers" -> changes.controller(wanted);
                case "demo" -> changes.demo(wanted, viewer);
                case "object" -> changes.object(wanted, viewer);
                default -> throw new Views.NotShown(404, "nothing can be changed here");
            };
            log.info("by the console, user {} made a change: {}", OneLine.of(viewer.getName(), LONGEST_NAME),
                    OneLine.of(done, LONGEST_LINE));
            write(response, 200, JsonMapper.shared().writeValueAsBytes(Map.of("done", done)));
        });
    }

    private static String path(HttpServletRequest request) {
        String rest = request.getRequestURI().substring(request.getContextPath().length());
        rest = rest.startsWith(PATH) ? rest.substring(PATH.length()) : rest;
        return rest.startsWith("/") ? rest.substring(1) : rest;
    }

    private static Viewer viewer(HttpServletRequest request) {
        if (request.getUserPrincipal() instanceof Viewer viewer) {
            return viewer;
        }
        throw new IllegalStateException("no filter has authorized the request for " + request.getRequestURI());
    }

    /** The part of an answer that may fail. */
    @FunctionalInterface
    private interface Answer {
        void write() throws IOException;
    }

    private static void answer(HttpServletResponse response, Answer answer) throws IOException {
        try {
            answer.write();
        } catch (Views.NotShown e) {
            problem(response, e.code(), String.valueOf(e.getMessage()));
        } catch (SecurityException e) {
            problem(response, 403, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | JacksonException e) {
            problem(response, 400, String.valueOf(e.getMessage()));
        } catch (KubeApiException e) {
            problem(response, e.code() == 0 ? 502 : e.code(), String.valueOf(e.getMessage()));
        }
    }

    private static void problem(HttpServletResponse response, int code, String sentence) throws IOException {
        write(response, code, JsonMapper.shared().writeValueAsBytes(Map.of("problem", sentence)));
    }

    private static void write(HttpServletResponse response, int code, byte[] json) throws IOException {
        response.setStatus(code);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.getOutputStream().write(json);
    }

    private void stream(String view, ViewRequest query, HttpServletResponse response) throws IOException {
        Clock clock = parts.clock();
        long began = clock.nanoTime();
        byte[] json = JsonMapper.shared().writeValueAsBytes(views.of(view, query));
        if (!streams.tryAcquire()) {
            problem(response, 503, "too many pages are open: " + MOST_STREAMS + " streams are the most");
            return;
        }
        try {
            response.setContentType("text/event-stream");
            response.setHeader("Cache-Control", "no-store");
            OutputStream out = response.getOutputStream();
            long end = clock.deadline(STREAM);
            byte[] shown = new byte[0];
            long told = clock.nanoTime();
            while (clock.nanoTime() - end < 0) {
                if (!Arrays.equals(json, shown)) {
                    event(out, clock, json);
                    shown = json;
                    told = clock.nanoTime();
                }
                long pauseEnd = clock.nanoTime()
                        + Math.max(BETWEEN_EVENTS.toNanos(), (clock.nanoTime() - began) * SHARE);
                for (long now = clock.nanoTime(); now - pauseEnd < 0; now = clock.nanoTime()) {
                    if (closed.await(Math.min(pauseEnd - now, HEARTBEAT.toNanos()), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    if (clock.nanoTime() - told >= HEARTBEAT.toNanos()) {
                        out.write(ALIVE);
                        out.flush();
                        told = clock.nanoTime();
                    }
                }
                began = clock.nanoTime();
                json = JsonMapper.shared().writeValueAsBytes(views.of(view, query));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            String problem = JsonMapper.shared().writeValueAsString(Map.of("problem", String.valueOf(e.getMessage())));
            response.getOutputStream().write(("event: problem\ndata: " + problem + "\n\n")
                    .getBytes(StandardCharsets.UTF_8));
        } finally {
            streams.release();
        }
    }

    /** The JSON has no line breaks, so it is one line of data. */
    private static void event(OutputStream out, Clock clock, byte[] json) throws IOException {
        out.write(("id: " + clock.now().toEpochMilli() + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        out.write(json);
        out.write("\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static void servePage(String file, HttpServletResponse response) throws IOException {
        Matcher name = FILE.matcher(file);
        InputStream resource = name.matches() ? ConsoleServlet.class.getResourceAsStream("page/" + file) : null;
        if (resource == null) {
            problem(response, 404, "the console has no file \"" + file + "\"");
            return;
        }
        try (resource) {
            response.setContentType(TYPES.get(name.group(1)));
            response.setHeader("Content-Security-Policy", POLICY);
            response.setHeader("X-Content-Type-Options", "nosniff");
            response.setHeader("Referrer-Policy", "no-referrer");
            response.setHeader("Cache-Control", "no-cache");
            resource.transferTo(response.getOutputStream());
        }
    }
}
