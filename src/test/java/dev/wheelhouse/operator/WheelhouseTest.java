package dev.wheelhouse.operator;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.util.ClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.controller.Result;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators in a process without Spring. */
@Isolated
class WheelhouseTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    private TestServer server;

    /** Every service account gets a ConfigMap. */
    private static final class WelcomeOperator implements DecidingOperator<V1ServiceAccount> {
        final Set<String> seen = ConcurrentHashMap.newKeySet();

        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.owns(V1ConfigMap.class);
        }

        @Override
        public Decision decide(V1ServiceAccount account, Related related, Instant now) {
            seen.add(account.getMetadata().getName());
            return Decision.apply(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().name(account.getMetadata().getName() + "-welcome"))
                    .data(Map.of("text", "Welcome")));
        }
    }

    @BeforeEach
    void start() {
        server = TestServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void createAccount(String name) throws ApiException {
        new CoreV1Api(server.apiClient()).createNamespacedServiceAccount("default",
                new V1ServiceAccount().metadata(new V1ObjectMeta().name(name))).execute();
    }

    private List<String> configMaps() throws ApiException {
        return new CoreV1Api(server.apiClient()).listNamespacedConfigMap("default").execute().getItems().stream()
                .map(map -> map.getMetadata().getName()).toList();
    }

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void anOperatorRunsAndIsCounted() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .metrics(registry).start()) {
            createAccount("ada");

            eventually("the account is welcomed", SOON, () -> configMaps().contains("ada-welcome"));
            eventually("it is ready", SOON, wheelhouse::isReady);
            assertThat(wheelhouse.waitingFor()).isEmpty();
            assertThat(registry.get("workqueue.adds").tag("name", "welcome-operator").counter().count()).isPositive();
        }
    }

    /** Applies a ConfigMap, and changes the answer. */
    private static final class ChangingOperator implements ReconcilingOperator<V1ServiceAccount> {
        final Queue<String> outcomes = new ConcurrentLinkedQueue<>();

        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.owns(V1ConfigMap.class);
        }

        @Override
        public Result reconcile(Request<V1ServiceAccount> request, Context<V1ServiceAccount> context) {
            V1ConfigMap answer = context.apply(new V1ConfigMap().data(Map.of("text", "Welcome"))
                    .metadata(new V1ObjectMeta().name(request.key().name() + "-welcome")));
            try {
                answer.getData().put("text", "Farewell");
                outcomes.add("changed");
            } catch (RuntimeException e) {
                outcomes.add(e.toString());
            }
            return Result.done();
        }
    }

    @Test
    void theAnswerToAWriteIsTheOperatorsOwn() throws Exception {
        ChangingOperator operator = new ChangingOperator();
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(operator).start()) {
            createAccount("ada");

            eventually("the account is welcomed", SOON, () -> configMaps().contains("ada-welcome"));
            eventually("the answer was read", SOON, () -> !operator.outcomes.isEmpty());
            assertThat(operator.outcomes).containsOnly("changed");
        }
    }

    /** Waits in its first run, and counts its runs. */
    private static final class WaitingOperator implements ReconcilingOperator<V1ServiceAccount> {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.owns(V1ConfigMap.class).workers(1);
        }

        @Override
        public Result reconcile(Request<V1ServiceAccount> request, Context<V1ServiceAccount> context)
                throws InterruptedException {
            context.meters().counter("site.welcomes").increment();
            begun.countDown();
            goOn.await();
            context.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name(request.key().name() + "-welcome")));
            return Result.done();
        }
    }

    @Test
    void aStopLetsARunEndBeginsNoOtherAndReleasesTheLeadAfterwards() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        Queue<String> observed = new ConcurrentLinkedQueue<>();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context ended) {
                observed.add(ended.getContextualName());
            }

            @Override
            public boolean supportsContext(Observation.Context any) {
                return true;
            }
        });
        WaitingOperator operator = new WaitingOperator();
        Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(operator)
                .leaderElection("welcome").metrics(registry).observations(observations)
                .stopGrace(Duration.ofMinutes(5)).start();
        createAccount("ada");
        createAccount("bob");
        assertThat(operator.begun.await(2, TimeUnit.MINUTES)).isTrue();
        Thread stop = Thread.ofPlatform().start(wheelhouse::close);
        eventually("the stop waits", SOON, () -> Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                .contains(stop.getState()));
        assertThat(holder()).isNotEmpty();
        operator.goOn.countDown();
        assertThat(stop.join(SOON)).isTrue();

        assertThat(configMaps()).filteredOn(name -> name.endsWith("-welcome")).hasSize(1);
        assertThat(holder()).isEmpty();
        assertThat(registry.get("site.welcomes").tag("controller", "waiting-operator").counter().count()).isOne();
        assertThat(observed).containsExactly("apply configmaps", "waiting-operator sync");
    }

    /** Goes on when it is interrupted. */
    private static final class StubbornOperator implements ReconcilingOperator<V1ServiceAccount> {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.workers(1);
        }

        @Override
        public Result reconcile(Request<V1ServiceAccount> request, Context<V1ServiceAccount> context) {
            begun.countDown();
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    // It does not care.
                }
            }
            return Result.done();
        }
    }

    @Test
    void theLeadIsNotReleasedWhileARunGoesOnThatDoesNotEndByItsInterrupt() throws Exception {
        StubbornOperator operator = new StubbornOperator();
        Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(operator)
                .leaderElection("welcome").stopGrace(Duration.ofMillis(10)).start();
        createAccount("ada");
        assertThat(operator.begun.await(2, TimeUnit.MINUTES)).isTrue();
        wheelhouse.close();
        assertThat(holder()).isNotEmpty();
        operator.goOn.countDown();
        eventually("its thread ends", SOON, () -> threads().isEmpty());
    }

    private String holder() throws ApiException {
        return new CoordinationV1Api(server.apiClient()).readNamespacedLease("welcome", "default").execute().getSpec()
                .getHolderIdentity();
    }

    @Test
    @Tag("full")
    void aClientThatSendsHalfARequestDelaysNoProbe() throws Exception {
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .health(0).start(); Socket slow = new Socket("127.0.0.1", wheelhouse.healthPort())) {
            slow.getOutputStream().write("GET /livez".getBytes(StandardCharsets.US_ASCII));

            assertThat(get(wheelhouse.healthPort(), "/livez").statusCode()).isEqualTo(200);

            slow.setSoTimeout((int) SOON.toMillis());
            assertThat(slow.getInputStream().read()).as("the end of the slow connection").isEqualTo(-1);
        }
    }

    @Test
    void theProbesTellWhatAnOperatorWaitsFor() throws Exception {
        server.faults().on("list", "serviceaccounts").fail(503, "for the test");
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .health(0).start()) {
            assertThat(get(wheelhouse.healthPort(), "/livez").statusCode()).isEqualTo(200);
            eventually("the probe names the cache", SOON, () -> {
                HttpResponse<String> answer = get(wheelhouse.healthPort(), "/readyz");
                return answer.statusCode() == 503 && answer.body().contains("serviceaccounts");
            });

            server.faults().clear();

            eventually("it is ready", SOON, () -> get(wheelhouse.healthPort(), "/readyz").statusCode() == 200);
        }
    }

    @Test
    void theReasonWhyAServerCannotBeReachedIsToldToo() throws Exception {
        ApiClient nowhere = new ClientBuilder().setBasePath("http://127.0.0.1:1").build();
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(nowhere).operator(new WelcomeOperator()).start()) {
            eventually("the reason is told", SOON, () -> wheelhouse.waitingFor().stream()
                    .anyMatch(reason -> reason.contains("API server serves: ") && reason.contains("127.0.0.1:1")));
        }
    }

    @Test
    void whileItObservesNothingIsWritten() throws Exception {
        WelcomeOperator operator = new WelcomeOperator();
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(operator).observeOnly()
                .leaderElection("observers").start()) {
            createAccount("ada");
            createAccount("bob");

            eventually("it has decided", SOON, () -> operator.seen.containsAll(Set.of("ada", "bob")));
        }
        assertThat(configMaps()).noneMatch(name -> name.endsWith("-welcome"));
        assertThat(new CoordinationV1Api(server.apiClient()).listNamespacedLease("default").execute().getItems())
                .noneMatch(lease -> lease.getMetadata().getName().equals("observers"));
    }

    @Test
    void allItsThreadsEndWithIt() throws Exception {
        Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .leaderElection("welcome").health(0).start();
        eventually("it is ready", SOON, wheelhouse::isReady);
        assertThat(threads()).isNotEmpty();

        wheelhouse.close();
        wheelhouse.await();

        assertThat(threads()).isEmpty();
        assertThat(holder()).isEmpty();
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("wheelhouse/")).toList();
    }

    @Test
    void aLostLeadEndsItAndTheProcessIsTold() throws Exception {
        CoordinationV1Api leases = new CoordinationV1Api(server.apiClient());
        try (Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .leaderElection("welcome").start()) {
            eventually("it leads", SOON, wheelhouse::isReady);
            eventually("another takes the lease, also if the leader renews it meanwhile", SOON, () -> {
                var lease = leases.readNamespacedLease("welcome", "default").execute();
                lease.getSpec().holderIdentity("another").renewTime(OffsetDateTime.now(ZoneOffset.UTC));
                leases.replaceNamespacedLease("welcome", "default", lease).execute();
                return true;
            });

            assertThatThrownBy(wheelhouse::await).isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("this process lost the lead and has to be started again: ");
        }
        createAccount("late");
        assertThat(configMaps()).doesNotContain("late-welcome");
    }

    @Test
    void aPortThatIsTakenIsOneSentence() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThatThrownBy(() -> Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                    .health(taken.getLocalPort()).start())
                    .hasMessage("port " + taken.getLocalPort()
                            + " for health cannot be opened: choose another, or 0 for any");
        }
    }

    @Test
    void twoOperatorsOfOneNameAreRefused() {
        assertThatThrownBy(() -> Wheelhouse.builder().client(server.apiClient()).operator(new WelcomeOperator())
                .operator(new WelcomeOperator()).start()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two controllers are called \"welcome-operator\"");
    }
}
