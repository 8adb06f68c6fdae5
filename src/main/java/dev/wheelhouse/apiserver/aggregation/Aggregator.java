package dev.wheelhouse.apiserver.aggregation;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.discovery.Elsewhere;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.webhook.ServiceResolver;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.runtime.Clock;

/**
 * Passes requests for group versions whose APIService names a Service on to that Service (upstream:
 * {@code kube-aggregator/pkg/apiserver/handler_proxy.go}). Thread safe.
 */
public final class Aggregator {
    static final String RESOURCE = "apiservices.apiregistration.k8s.io";
    /** The user of this server's own requests. */
    private static final User AGGREGATOR = new User("system:kube-aggregator", "", List.of(User.MASTERS), Map.of());

    private final StoreView<Registered> registered;
    private final ServiceResolver services;
    private final Clock clock;
    private @Nullable FrontProxy proxy;
    private volatile Elsewhere elsewhere = Elsewhere.NOTHING;

    /** @param remotes those that name a Service, by their names */
    record Registered(List<Remote> all, Map<String, Remote> remotes) {
        static Registered of(List<Remote> all) {
            return new Registered(all, all.stream().filter(each -> !each.isLocal())
                    .collect(Collectors.toMap(Remote::name, Function.identity())));
        }
    }

    public Aggregator(ObjectStore store, Clock clock) {
        this.registered = StoreView.of(store, RESOURCE, Remote::of, Registered::of);
        this.services = new ServiceResolver(store);
        this.clock = clock;
    }

    Registered registered() {
        return registered.get();
    }

    ServiceResolver services() {
        return services;
    }

    void found(Elsewhere documents) {
        elsewhere = documents;
    }

    /** The APIs of other servers, as far as these were asked. The same instance until that changes. */
    public Elsewhere elsewhere() {
        return elsewhere;
    }

    /** The keys of the ConfigMap by which other servers know this one, its certificate and its headers. */
    public Map<String, String> published() {
        return proxy().published();
    }

    private synchronized FrontProxy proxy() {
        FrontProxy known = proxy;
        if (known == null) {
            known = new FrontProxy(clock);
            proxy = known;
        }
        return known;
    }

    /** The answer of another server; null if the path is not below a group version that one has. */
    public @Nullable ApiResponse answer(ApiRequest request) {
        Remote remote = find(request.about().path());
        return remote == null ? null : answer(remote, request);
    }

    /** The OpenAPI document of a group version that another server has; null if none has it. */
    public @Nullable ApiResponse openApi(String path, ApiRequest request) {
        return registered.get().remotes.values().stream()
                .filter(each -> path.equals("apis/" + each.group()) || each.path().equals("/" + path)).findFirst()
                .map(remote -> answer(remote, request)).orElse(null);
    }

    private @Nullable Remote find(String path) {
        Map<String, Remote> remotes = registered.get().remotes;
        if (remotes.isEmpty() || !path.startsWith("/apis/")) {
            return null;
        }
        String[] parts = path.split("/", 5);
        return parts.length < 4 ? null : remotes.get(parts[3] + "." + parts[2]);
    }

    private ApiResponse answer(Remote remote, ApiRequest request) {
        ApiResponse.Content unavailable = ApiResponse.text(503, "service unavailable\n");
        if (!remote.available()) {
            return unavailable;
        }
        try {
            return unavailable.withLive(to(remote, new URI(null, null, request.about().path(), null).toASCIIString(),
                    request.body(), request.user(), Map.of()));
        } catch (UnknownHostException e) {
            return unavailable;
        } catch (IllegalArgumentException e) {
            return ApiResponse.text(500, WebhookClient.UNREADABLE + "\n");
        } catch (URISyntaxException e) {
            throw Errors.badRequest("invalid path: " + e.getMessage());
        }
    }

    /**
     * A connection to the server of an APIService.
     *
     * @param headers besides those that name the user
     * @throws UnknownHostException if its Service leads nowhere
     * @throws IllegalArgumentException if its caBundle cannot be read
     * @throws StatusException 503 if a header cannot name the user
     */
    Live.Forward to(Remote remote, String path, byte[] body, User user, Map<String, List<String>> headers)
            throws UnknownHostException {
        ServiceResolver.Address at = services.resolve(remote.namespace(), remote.service(), remote.port());
        boolean verified = !remote.spec().path("insecureSkipTLSVerify").asBoolean(false);
        Map<String, List<String>> all = FrontProxy.headers(user);
        all.putAll(headers);
        return new Live.Forward(new Live.Server.Extension(
                proxy().tls(verified ? Json.text(remote.spec(), "caBundle") : null),
                remote.service() + "." + remote.namespace() + ".svc", verified, all), at.host(), at.port(), path, "",
                body, 503, "error trying to reach service: ");
    }

    /** A connection for a GET of this server itself. */
    Live.Forward to(Remote remote, String path, Map<String, List<String>> headers) throws UnknownHostException {
        return to(remote, path, new byte[0], AGGREGATOR, headers);
    }
}
