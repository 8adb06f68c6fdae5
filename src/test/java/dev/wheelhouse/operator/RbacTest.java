package dev.wheelhouse.operator;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.LeaderElector;
import dev.wheelhouse.manager.Election;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.HttpUrl;
import okhttp3.Response;

/** Operators on an API server that grants them the generated rights and nothing else. */
@Timeout(900)
class RbacTest {
    private static final String TOKEN = "operator-token";
    private static final ObjectKey BLOG = ObjectKey.of("red", "blog");
    /** The manager tries it once. Without it, it looks at discovery every ten seconds. */
    private static final String TRIED = "list customresourcedefinitions";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Writes a ConfigMap for each site of every namespace, and a status, and says so. */
    static final class Sites implements DecidingOperator<Site> {
        @Override
        public void setup(Setup<Site> setup) {
            setup.owns(V1ConfigMap.class).crd(CrdPolicy.INSTALL).finalizer("example.com/site", (request, context) -> {
                context.live(Site.class).get(request.key());
                return Result.done();
            });
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            String image = site.getSpec().image();
            Decision decision = image.isEmpty()
                    ? Decision.apply()
                    : Decision.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name("blog"))
                            .data(Map.of("image", image)));
            return decision.condition("Ready", true, "Written", "it is written")
                    .event(EventType.NORMAL, "Written", "it is written");
        }
    }

    /** Writes a Secret for each ConfigMap of one namespace that names nginx. */
    static final class Copies implements DecidingOperator<V1ConfigMap> {
        @Override
        public void setup(Setup<V1ConfigMap> setup) {
            setup.primary(maps -> maps.namespaces("red")).owns(V1Secret.class, secrets -> secrets.namespaces("red"));
        }

        @Override
        public Decision decide(V1ConfigMap primary, Related related, Instant now) {
            return "nginx".equals(primary.getData().get("image"))
                    ? Decision.apply(new V1Secret().metadata(new V1ObjectMeta().name("blog")))
                    : Decision.deleteAll();
        }
    }

    private final Clock clock = Clock.system();
    private TestServer server;
    private KubeClient admin;

    @BeforeEach
    void start() {
        User account = new User("system:serviceaccount:operators:sites", "",
                List.of("system:serviceaccounts", "system:serviceaccounts:operators", "system:authenticated"),
                Map.of());
        server = TestServer.start(ApiServerOptions.defaults().withSecurity(
                Security.of(AuthorizationMode.RBAC, Map.of(TOKEN, account), ServerKeys.inMemory())), false, 0);
        admin = server.client();
        for (String namespace : List.of("red", "operators")) {
            admin.resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .create(new V1Namespace().metadata(new V1ObjectMeta().name(namespace)));
        }
        for (KubernetesObject object : Manifests.of(new Sites(), new Copies()).namespace("operators").objects()) {
            if (!(object instanceof V1CustomResourceDefinition)) {
                create(object);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private <T extends KubernetesObject> void create(T object) {
        admin.resource(ResourceTypes.of(object.getClass()), (Class<T>) object.getClass()).create(object);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A process that runs both operators as the service account, and the rights that its requests needed. */
    private final class RunningOperators implements AutoCloseable {
        final Set<String> used = new ConcurrentSkipListSet<>();
        final Set<String> refused = new ConcurrentSkipListSet<>();
        private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
        private final LoopRunner runner = new LoopRunner("operators", clock);
        private final Engine engine;
        private final KubeClient client;

        RunningOperators() throws IOException, InterruptedException {
            ApiClient api = new ClientBuilder().setBasePath(server.url()).setVerifyingSsl(false).build();
            api.setApiKeyPrefix("Bearer");
            api.setHttpClient(api.getHttpClient().newBuilder().addInterceptor(chain -> {
                Response answer = chain.proceed(
                        chain.request().newBuilder().header("Authorization", "Bearer " + TOKEN).build());
                String right = right(answer.request().method(), answer.request().url());
                (answer.code() != 403 ? used : right.equals(TRIED) ? new TreeSet<String>() : refused).add(right);
                if (answer.code() == 201) {
                    used.add(right.replace("patch", "create"));
                }
                requests.add(right);
                return answer;
            }).build());
            client = new HttpKubeClient(api, clock);
            ElectionOptions options = new ElectionOptions(ObjectKey.of("operators", "sites"), "me",
                    Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofMillis(200));
            LeaderElector elector = new LeaderElector(options, client, clock, new SplittableRandom(),
                    Meters.NONE);
            engine = new Engine.Builder(client, clock, runner)
                    .election(new Election(elector, elector, options, null), Standby.WARM)
                    .build(List.of(Operators.descriptor(new Sites()), Operators.descriptor(new Copies())));
            // A process that leads at once has no time to watch.
            assertThat(elector.watch().step()).isEqualTo(Loop.BUSY);
            engine.start();
        }

        /** Looks again after each request of the process. */
        void await(String what, BooleanSupplier condition) throws InterruptedException {
            long deadline = clock.deadline(PATIENCE);
            while (!condition.getAsBoolean()) {
                requests.poll(1, TimeUnit.SECONDS);
                assertThat(deadline - clock.nanoTime())
                        .as("%s; used %s, refused %s, waiting for %s", what, used, refused,
                                engine.manager().waitingFor())
                        .isPositive();
            }
        }

        @Override
        public void close() {
            engine.stop(() -> {});
            client.close();
        }
    }

    /** The right for a request, such as {@code patch sites/status}. */
    private static String right(String method, HttpUrl url) {
        List<String> path = new ArrayList<>(url.pathSegments());
        path.subList(0, Math.min(path.size(), path.getFirst().equals("api") ? 2 : 3)).clear();
        if (path.size() > 2 && path.getFirst().equals("namespaces")) {
            path.subList(0, 2).clear();
        }
        String resource = path.isEmpty() ? "" : path.getFirst() + (path.size() > 2 ? "/" + path.get(2) : "");
        return switch (method) {
            case "GET" -> path.size() > 1
                    ? "get"
                    : "true".equals(url.queryParameter("watch")) ? "watch" : "list";
            case "POST" -> "create";
            case "PUT" -> "update";
            default -> method.toLowerCase(Locale.ROOT);
        } + " " + resource;
    }

    private Set<String> granted() {
        Set<String> granted = new TreeSet<>();
        List<V1PolicyRule> rules = new ArrayList<>(
                admin.resource(ResourceTypes.of(V1ClusterRole.class), V1ClusterRole.class)
                        .get(ObjectKey.cluster("sites")).getRules());
        for (String namespace : List.of("red", "operators")) {
            rules.addAll(admin.resource(ResourceTypes.of(V1Role.class), V1Role.class)
                    .get(ObjectKey.of(namespace, "sites")).getRules());
        }
        rules.forEach(rule -> rule.getResources()
                .forEach(resource -> rule.getVerbs().forEach(verb -> granted.add(verb + " " + resource))));
        return granted;
    }

    private <T extends KubernetesObject> @Nullable T read(Class<T> type) {
        try {
            return admin.resource(ResourceTypes.of(type), type).get(BLOG);
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return null;
            }
            throw e;
        }
    }

    private void createSite(String image) {
        Site site = new Site();
        site.setApiVersion("example.com/v1");
        site.setKind("Site");
        site.getMetadata().namespace("red").name("blog");
        site.setSpec(new Site.Spec(image, 1, null));
        create(site);
    }

    private void changeSite(String image) {
        admin.resource(OperatorWorld.SITES, Site.class).patch(BLOG, "", PatchType.MERGE,
                "{\"spec\": {\"image\": \"%s\"}}".formatted(image));
    }

    @Test
    void theyWorkWithTheGeneratedRightsAndUseEach() throws Exception {
        Set<String> used = new TreeSet<>();
        try (RunningOperators process = new RunningOperators()) {
            process.await("the definition is installed", () -> process.engine.manager().isRunning());
            createSite("nginx");
            // The server has the copy before this process has the answer.
            process.await("the ConfigMap and its copy exist",
                    () -> read(V1Secret.class) != null && process.used.contains("create secrets"));
            process.await("the site has a status", () -> read(Site.class).getStatus() != null);
            process.await("a repeated Event was written", () -> process.used.contains("patch events"));
            assertThat(process.refused).isEmpty();
            used.addAll(process.used);
        }
        changeSite("apache");
        admin.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).patch(BLOG, "", PatchType.MERGE,
                "{\"data\": {\"image\": \"apache\"}}");
        try (RunningOperators next = new RunningOperators()) {
            next.await("the copy is pruned",
                    () -> read(V1Secret.class) == null && next.used.contains("delete secrets"));
            assertThat(next.refused).isEmpty();
            used.addAll(next.used);
        }
        changeSite("");
        try (RunningOperators last = new RunningOperators()) {
            last.await("the ConfigMap is pruned",
                    () -> read(V1ConfigMap.class) == null && last.used.contains("delete configmaps"));
            admin.resource(OperatorWorld.SITES, Site.class).delete(BLOG, Deletion.unconditional());
            last.await("the site is gone", () -> read(Site.class) == null);
            assertThat(last.refused).isEmpty();
            used.addAll(last.used);
        }
        Set<String> unused = granted();
        unused.removeAll(used);
        assertThat(unused).as("rights that only an admission plugin of some clusters asks for")
                .containsExactlyInAnyOrder("update configmaps/finalizers", "update sites/finalizers");
    }

    @ParameterizedTest
    @CsvSource({"create, configmaps", "patch, sites/status", "watch, sites"})
    void withOneRightLessTheServerRefusesARequest(String verb, String resource) throws Exception {
        admin.resource(Crds.TYPE, V1CustomResourceDefinition.class).create(Crds.of(Site.class));
        createSite("nginx");
        var roles = admin.resource(ResourceTypes.of(V1ClusterRole.class), V1ClusterRole.class);
        V1ClusterRole role = roles.get(ObjectKey.cluster("sites"));
        List<V1PolicyRule> rules = new ArrayList<>();
        for (V1PolicyRule rule : role.getRules()) {
            rule.getResources().forEach(each -> rules.add(new V1PolicyRule().apiGroups(rule.getApiGroups())
                    .addResourcesItem(each).verbs(rule.getVerbs().stream()
                            .filter(v -> !each.equals(resource) || !v.equals(verb)).toList())));
        }
        rules.removeIf(rule -> rule.getVerbs().isEmpty());
        roles.update(role.rules(rules));
        try (RunningOperators process = new RunningOperators()) {
            process.await("a request is refused", () -> !process.refused.isEmpty());
            assertThat(process.refused).as("a server-side apply creates")
                    .containsExactly((verb.equals("create") ? "patch" : verb) + " " + resource);
        }
    }
}
