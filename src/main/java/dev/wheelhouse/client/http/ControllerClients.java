package dev.wheelhouse.client.http;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.decode.DecoderMemory;
import dev.wheelhouse.runtime.Clock;

/**
 * A client for each controller, with its own limit of requests, and with the token of a service account in
 * {@code kube-system} if the controller has one (upstream:
 * {@code k8s.io/controller-manager/pkg/clientbuilder/client_builder_dynamic.go}). All share their connections. Tokens
 * last for an hour, and are fetched again after four fifths of their time. Thread safe.
 */
public final class ControllerClients implements AutoCloseable {
    private static final String NAMESPACE = "kube-system";
    private static final Duration LIFE = Duration.ofHours(1);
    private static final Duration LEAST_LIFE = Duration.ofMinutes(10);

    private final KubeClient process;
    private final ApiClient api;
    private final @Nullable Supplier<ApiClient> anonymous;
    private final double perSecond;
    private final int burst;
    private final Clock clock;
    private final Map<String, KubeClient> clients = new HashMap<>();
    private final Map<String, TokenRefresher> tokens = new HashMap<>();
    private final Negotiation negotiation;
    private final DecoderMemory memory = new DecoderMemory();
    private @Nullable HttpTransport limited;
    private @Nullable HttpTransport bare;

    /**
     * @param process the client of all controllers without a limit and without an account
     * @param api the official client with this process's own account, which fetches the tokens
     * @param anonymous makes the official client of the same server without credentials; null if all controllers use
     *     this process's own account
     * @param perSecond the requests a second of each controller; no limit if it is not positive
     * @param burst the requests of a controller at once before the limit counts
     */
    public ControllerClients(KubeClient process, ApiClient api, @Nullable Supplier<ApiClient> anonymous,
            ContentType contentType, double perSecond, int burst, Clock clock) {
        this.process = process;
        this.api = api;
        this.anonymous = anonymous;
        this.negotiation = new Negotiation(contentType);
        this.perSecond = perSecond;
        this.burst = burst;
        this.clock = clock;
    }

    /**
     * The client of a controller, always the same.
     *
     * @param account the name of the controller's service account; empty if it uses this process's own account
     */
    public synchronized KubeClient of(String controller, String account) {
        return clients.computeIfAbsent(controller, name -> make(account));
    }

    private KubeClient make(String account) {
        RequestLimit limit = new RequestLimit(perSecond, burst, clock);
        if (anonymous != null && !account.isEmpty()) {
            bare = bare != null ? bare : transport(anonymous.get());
            return client(bare.with(
                    tokens.computeIfAbsent(account, each -> new TokenRefresher(() -> fetch(each), clock)), limit));
        }
        if (perSecond > 0) {
            limited = limited != null ? limited : transport(api);
            return client(limited.with(null, limit));
        }
        return process;
    }

    private HttpTransport transport(ApiClient to) {
        return new HttpTransport(to, HttpDeadlines.defaults(), HttpKubeClient.NAME, clock);
    }

    private KubeClient client(HttpTransport transport) {
        return new HttpKubeClient(transport, negotiation, memory, false);
    }

    private TokenRefresher.Token fetch(String account) {
        CoreV1Api core = new CoreV1Api(api);
        try {
            requireAccount(core, account);
            var status = core.createNamespacedServiceAccountToken(account, NAMESPACE, new AuthenticationV1TokenRequest()
                    .spec(new V1TokenRequestSpec().audiences(List.of()).expirationSeconds(LIFE.toSeconds()))).execute()
                    .getStatus();
            if (status == null) {
                throw new KubeConfigException("the API server gave no token of the service account " + NAMESPACE + "/"
                        + account);
            }
            OffsetDateTime end = status.getExpirationTimestamp();
            Duration life = Duration.between(clock.now(), end.toInstant());
            return new TokenRefresher.Token(status.getToken(),
                    (life.compareTo(LEAST_LIFE) < 0 ? LEAST_LIFE : life).multipliedBy(4).dividedBy(5));
        } catch (ApiException e) {
            throw new KubeConfigException("cannot get a token of the service account " + NAMESPACE + "/" + account
                    + ": the API server answered " + e.getCode() + " " + e.getMessage()
                    + "; grant get and create on serviceaccounts, and create on serviceaccounts/token", e);
        }
    }

    private static void requireAccount(CoreV1Api core, String account) throws ApiException {
        try {
            core.readNamespacedServiceAccount(account, NAMESPACE).execute();
        } catch (ApiException e) {
            if (e.getCode() != 404) {
                throw e;
            }
            core.createNamespacedServiceAccount(NAMESPACE,
                    new V1ServiceAccount().metadata(new V1ObjectMeta().name(account))).execute();
        }
    }

    @Override
    public synchronized void close() {
        Stream.of(limited, bare).filter(Objects::nonNull).forEach(HttpTransport::close);
    }
}
