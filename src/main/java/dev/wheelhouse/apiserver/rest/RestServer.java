package dev.wheelhouse.apiserver.rest;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.admission.AdmissionChain;
import dev.wheelhouse.apiserver.admission.Quotas;
import dev.wheelhouse.apiserver.aggregation.Aggregator;
import dev.wheelhouse.apiserver.aggregation.Availability;
import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.FlowSchemas;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.discovery.Discovery;
import dev.wheelhouse.apiserver.discovery.OpenApi;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.apiserver.kinds.ServiceAddresses;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.metrics.MetricsApis;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Route;
import dev.wheelhouse.apiserver.protocol.Router;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OutOfBudgetException;
import dev.wheelhouse.apiserver.work.OverdueException;
import dev.wheelhouse.facts.GoDuration;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.Loop;

/**
 * The Kubernetes API over an {@link ObjectStore}, without a transport. Thread safe. A request runs on its caller's
 * thread; it may wait for the store to commit, and a write in a namespace with quotas waits for other such writes.
 * Failures are returned as answers, not thrown.
 */
public final class RestServer {
    private static final Logger log = LoggerFactory.getLogger(RestServer.class);

    private final ResourceRegistry registry;
    private final Router router;
    private final Reads reads;
    private final Writes writes;
    private final Updates updates;
    private final Deletes deletes;
    private final Scales scales;
    private final Kubelets kubelets;
    private final Proxies proxies;
    private final PodSubresources pods;
    private final Evictions evictions;
    private final AccessReviews reviews;
    private final TokenRequests tokenRequests;
    private final Gate gate;
    private final FlowSchemas flows;
    private final NonResources nonResources;
    private final Renderer renderer;
    private final LogBudget failures;
    private final OwnEndpoints endpoints;
    private final ClientAuthorities authorities;
    private final MetricsApis metrics;
    private final Aggregator aggregator;
    private final Loop availability;

    /** A server without authentication and transport. */
    public RestServer(ObjectStore store, Clock clock, RandomGenerator random) {
        this(store, clock, random, Security.none(), ServerInfo.none());
    }

    /**
     * Creates a server, and in its store the objects that every cluster has.
     *
     * @param random source of UIDs and generated names
     * @param security how users are authenticated and authorized
     * @param info about the process that serves the API
     */
    public RestServer(ObjectStore store, Clock clock, RandomGenerator random, Security security, ServerInfo info) {
        Security.Access access = security.accessTo(store, clock);
        this.gate = new Gate(access.authenticator(), access.authorizer(), security.others().anonymous());
        this.flows = new FlowSchemas(store);
        this.registry = ResourceRegistry.builtIn(info.apis());
        Ids ids = new Ids(random);
        WebhookClient webhooks = new WebhookClient(store);
        ClusterState state = new ClusterState(store, ids, clock, new ServiceAddresses(store),
                new CustomResources(store, registry, clock, webhooks));
        AdmissionChain admission = new AdmissionChain(store, registry, access.authorizer(), access.policies(), webhooks,
                clock, security);
        this.writes = new Writes(state, admission, new Quotas(store, clock));
        this.renderer = new Renderer(clock);
        this.failures = new LogBudget(clock);
        this.router = new Router(registry);
        this.reads = new Reads(store, renderer, ids, clock);
        this.updates = new Updates(writes, renderer, clock);
        this.deletes = new Deletes(state, reads, writes, admission, renderer);
        this.scales = new Scales(reads, writes, updates, renderer);
        this.kubelets = new Kubelets(store, info.caller());
        this.proxies = new Proxies(store, kubelets);
        this.pods = new PodSubresources(reads, writes, renderer, kubelets, clock);
        this.evictions = new Evictions(reads, deletes, writes, renderer, clock);
        this.reviews = new AccessReviews(writes, access.authenticator(), access.authorizer(), renderer, clock);
        this.tokenRequests = new TokenRequests(reads, writes, access.serviceAccounts(), renderer, clock);
        this.metrics = new MetricsApis(store, registry, info.apis(), kubelets.kept(clock), clock);
        this.aggregator = new Aggregator(store, clock);
        this.availability = new Availability(aggregator, store, info.caller(), clock);
        this.nonResources = new NonResources(registry,
                new Discovery(registry, metrics.resources(), aggregator::elsewhere),
                new OpenApi(registry, aggregator::elsewhere), aggregator, renderer, info, new Health(store),
                access.serviceAccounts());
        this.endpoints = new OwnEndpoints(state);
        this.authorities = new ClientAuthorities(state);
        new Bootstrap(state).create();
    }

    /** Publishes the address of the server as the endpoint of the Service {@code kubernetes}. */
    public void announce(InetAddress address, int port) {
        endpoints.announce(address, port);
    }

    /**
     * Publishes authorities of certificates, by which servers beside this one know its clients.
     *
     * @param pem those of clients; they know this server itself by further ones
     */
    public void publishAuthorities(String pem) {
        Map<String, String> data = new TreeMap<>(aggregator.published());
        data.put("client-ca-file", pem);
        authorities.publish(data);
    }

    /** A loop that looks after the APIServices that name a Service. */
    public Loop availability() {
        return availability;
    }

    /**
     * Lets the creation of objects that no controller handles answer with a {@code Warning:} header.
     *
     * @param warnings by resource, such as {@code deployments.apps}
     */
    public void warnOfUnhandled(Map<String, String> warnings) {
        writes.warnOfUnhandled(warnings);
    }

    /** The served resources, which change with the stored CustomResourceDefinitions. */
    public ResourceRegistry registry() {
        return registry;
    }

    /** Authorizes and answers a request that has its body. */
    public ApiResponse handle(ApiRequest request) {
        return switch (authorize(request)) {
            case Authorization.Refused refused -> refused.answer();
            case Authorization.Granted granted -> answer(granted, request.body());
        };
    }

    /** Whether a sender has shown who it is, and not only that it shows nothing. */
    public boolean knows(Credentials credentials) {
        return gate.knows(credentials);
    }

    /**
     * Authenticates and authorizes a request by its head, so that a transport does not read the body of a stranger.
     *
     * @param head the request; its body is ignored
     */
    public Authorization authorize(ApiRequest head) {
        FlowSchemas.Match flow = null;
        try {
            Route route = head.route();
            if (route.problem() != null) {
                throw route.problem();
            }
            Duration timeout = timeout(head);
            User user = gate.user(head.credentials(), route.about());
            flow = flows.match(user, route.about());
            gate.require(user, route.about());
            return new Authorization.Granted(head.withUser(user), timeout, flow);
        } catch (RuntimeException | StackOverflowError e) {
            return new Authorization.Refused(failure(head, e), flow);
        }
    }

    /** Answers an authorized request. The work ends early, with 504, at the {@link Deadline} of this thread. */
    public ApiResponse answer(Authorization.Granted granted, byte[] body) {
        ApiRequest request = granted.request().withBody(body);
        if (request.method().equals("PATCH")) {
            AuditEvent.patches(request.contentType(), body);
        }
        ApiResponse answer;
        try {
            answer = route(request);
        } catch (RuntimeException | StackOverflowError e) {
            answer = failure(request, e);
        }
        return answer instanceof ApiResponse.Content content
                ? content.withWarnings(request.warnings().stream().distinct().toList())
                : answer;
    }

    private ApiResponse.Content failure(ApiRequest request, Throwable e) {
        return switch (e) {
            case StatusException told -> failure(request, told.status());
            case OverdueException overdue -> failure(request, Errors.timeout().status());
            case OutOfBudgetException memory -> failure(request, (memory.isWorthRetrying()
                    ? Errors.tooManyRequests()
                    : Errors.answerTooLarge(memory.bytes())).status());
            case TooLargeException large ->
                failure(request, Errors.internal(String.valueOf(large.getMessage())).status());
            case StoreException.Full full ->
                failure(request, Errors.internal(String.valueOf(full.getMessage())).status());
            case StoreException.Closed closed -> failure(request, Errors.shuttingDown().status());
            // The store logs the cause once.
            case StoreException.Failed failed ->
                failure(request, Errors.writesRefused(String.valueOf(failed.getMessage())).status());
            default -> {
                AuditEvent.failed();
                failures.error(log, request.method() + " " + request.path() + " failed", e);
                yield failure(request, Errors.status(500, "InternalError",
                        "Internal error occurred: " + request.method() + " " + request.path() + ": " + e, null));
            }
        };
    }

    private ApiResponse.Content failure(ApiRequest request, ObjectNode status) {
        long retry = Json.number(status, 0, "details", "retryAfterSeconds");
        ApiResponse.Content content = renderer.response((int) Json.number(status, 500, "code"), status,
                Accept.lenient(request, true));
        return retry == 0
                ? content
                : content.withRetryAfter((int) retry);
    }

    /** How long the client waits; null if it does not say, says zero, or opens a watch. */
    private static @Nullable Duration timeout(ApiRequest request) {
        String text = request.query().get("timeout");
        if (text.isEmpty() || request.about().verb().equals("watch")) {
            return null;
        }
        try {
            Duration timeout = GoDuration.parse(text);
            return timeout.isPositive() ? timeout : null;
        } catch (IllegalArgumentException e) {
            throw Errors.badRequest("invalid timeout specified in the request URL - " + e.getMessage());
        }
    }

    private ApiResponse route(ApiRequest request) {
        Route route = request.route();
        ApiResponse remote = aggregator.answer(request);
        if (remote != null) {
            return remote;
        }
        if (metrics.serves(route.about())) {
            return renderer.response(200, metrics.answer(request), Accept.lenient(request, false));
        }
        if (route.about().isResource()) {
            if (!registry.isKnown(route.about().group(), route.about().version(), route.about().resource())) {
                return NonResources.notFound();
            }
            Target target = router.find(route, request.method());
            String warning = deprecation(target);
            if (!warning.isEmpty()) {
                request.warnings().add(warning);
            }
            return resource(target, request);
        }
        ApiResponse answer = nonResources.handle(route.parts(), request);
        if (answer == null) {
            throw Errors.noSuchResource();
        }
        return answer;
    }

    private static String deprecation(Target target) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        return custom != null ? custom.deprecation() : Strategies.of(target.type()).deprecation(target.type());
    }

    private ApiResponse resource(Target target, ApiRequest request) {
        if (!target.subresource().isEmpty()) {
            return subresource(target, request);
        }
        boolean collection = target.name().isEmpty();
        boolean namespaceMissing = target.type().namespaced() && target.namespace().isEmpty();
        if (namespaceMissing && !target.info().verbs().contains("list")) {
            throw Errors.noSuchResource();
        }
        if (collection && target.isReview()) {
            require(target, "create", request.method().equals("POST"));
            return reviews.review(target, request);
        }
        String verb = verb(request);
        require(target, verb, switch (verb) {
            case "get", "update", "patch", "delete" -> !collection;
            case "list" -> collection;
            case "create", "deletecollection" -> collection && !namespaceMissing;
            default -> verb.equals("watch");
        });
        return switch (verb) {
            case "get" -> reads.get(target, request);
            case "list" -> reads.list(target, request);
            case "watch" -> reads.watch(target, request);
            case "create" -> target.type().plural().equals("bindings") && target.type().group().isEmpty()
                    ? pods.bind(target, request)
                    : updates.create(target, request);
            case "update" -> updates.update(target, request);
            case "patch" -> updates.patch(target, request);
            case "delete" -> deletes.delete(target, request);
            default -> deletes.deleteCollection(target, request);
        };
    }

    /** The verb that was authorized; empty for a method that resources do not support. */
    private static String verb(ApiRequest request) {
        return request.method().equals("HEAD") ? "" : request.route().about().verb();
    }

    private static void require(Target target, String verb, boolean fits) {
        if (!fits || !target.info().verbs().contains(verb)) {
            throw Errors.methodNotAllowed();
        }
    }

    private ApiResponse subresource(Target target, ApiRequest request) {
        String verb = verb(request);
        ResourceInfo.Subresource known = target.info().subresource(request.about().subresource());
        if (known == null || !known.verbs().contains(verb)
                && !(known.name().equals("proxy") && Proxies.FURTHER_METHODS.contains(request.method()))) {
            throw Errors.methodNotAllowed();
        }
        if (known.kind().endsWith("Options")) {
            writes.admitConnection(new Target(target.info(), target.namespace(), target.name(), known.name()),
                    PodSubresources.options(target, request), request);
        }
        ApiResponse own = switch (target.type().groupResource() + "/" + target.subresource()) {
            case "pods/binding" -> verb.equals("create") ? pods.bind(target, request) : null;
            case "pods/eviction" -> verb.equals("create") ? evictions.evict(target, request) : null;
            case "pods/log" -> verb.equals("get") ? pods.log(target, request) : null;
            case "serviceaccounts/token" -> verb.equals("create") ? tokenRequests.make(target, request) : null;
            case "pods/exec", "pods/attach", "pods/portforward" -> pods.connect(target, request);
            default -> viewOfObject(target, request);
        };
        if (own == null) {
            throw Errors.methodNotAllowed();
        }
        return own;
    }

    private @Nullable ApiResponse viewOfObject(Target target, ApiRequest request) {
        if (target.subresource().startsWith("proxy")) {
            return proxies.answer(target, request);
        }
        if (target.subresource().equals("scale")) {
            return scales.handle(target, request);
        }
        return switch (verb(request)) {
            case "get" -> reads.get(target, request);
            case "update" -> updates.update(target, request);
            case "patch" -> updates.patch(target, request);
            default -> null;
        };
    }
}
