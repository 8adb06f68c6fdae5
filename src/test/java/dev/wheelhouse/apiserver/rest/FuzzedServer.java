package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;

/** A server for fuzzed requests. An internal error fails the test. */
final class FuzzedServer {
    static final String READER = "reader-token";

    private final Map<String, String> objects;
    private final Security security;
    private final Failures failures = new Failures();
    private ObjectStore store;
    private RestServer rest;
    private long version;

    /** The failures that the server logs. */
    private static final class Failures extends AppenderBase<ILoggingEvent> {
        private @Nullable Throwable last;

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getThrowableProxy() instanceof ThrowableProxy proxy) {
                last = proxy.getThrowable();
            }
        }
    }

    /** @param objects the initial objects by the paths to which they are posted, each path with a number before it */
    FuzzedServer(boolean withRoles, Map<String, String> objects) {
        this.objects = objects;
        this.security = withRoles
                ? Security.of(AuthorizationMode.RBAC,
                        Map.of(READER, new User("reader", "", List.of("system:authenticated"), Map.of())),
                        ServerKeys.inMemory())
                : Security.none();
        Logger log = (Logger) LoggerFactory.getLogger("dev.wheelhouse.apiserver");
        log.setLevel(Level.ERROR);
        log.setAdditive(false);
        log.detachAndStopAllAppenders();
        failures.start();
        log.addAppender(failures);
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        reset();
    }

    /** Restores the initial state. */
    void reset() {
        if (store != null) {
            store.close();
        }
        ManualClock clock = new ManualClock();
        store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        rest = new RestServer(store, clock, new SplittableRandom(1), security,
                new ServerInfo(() -> "", () -> "", RuntimeConfig.parse("api/all=true")));
        objects.forEach((path, body) -> {
            ApiResponse.Content made = content(ApiRequest.of("POST", path.replaceFirst("^[0-9]+", ""),
                    body.getBytes(StandardCharsets.UTF_8)));
            if (made.code() != 201) {
                throw new IllegalStateException(path + ": " + new String(made.body(), StandardCharsets.UTF_8));
            }
        });
        version = store.version();
    }

    /** Whether the store changed since the initial state. */
    boolean isChanged() {
        return store.version() != version;
    }

    ApiResponse.Content content(ApiRequest request) {
        ApiResponse answer = rest.handle(request);
        if (answer instanceof ApiResponse.Stream stream) {
            try (WatchFeed feed = stream.feed()) {
                StringBuilder events = new StringBuilder();
                for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                    events.append(new String(event.object(), StandardCharsets.UTF_8));
                }
                return new ApiResponse.Content(200, stream.contentType(),
                        events.toString().getBytes(StandardCharsets.UTF_8), List.of(), null);
            }
        }
        return (ApiResponse.Content) answer;
    }

    /**
     * Answers a request. A query that cannot be read is refused earlier. A deliberate 500 is not a failure, because
     * upstream answers some invalid input with it.
     *
     * @throws AssertionError if the server failed; it has the reason
     */
    ApiResponse.Content ask(ApiRequest request) {
        failures.last = null;
        ApiResponse.Content answer = content(request);
        if (failures.last != null) {
            throw new AssertionError(request.method() + " " + request.path() + " failed", failures.last);
        }
        return answer;
    }
}
