package dev.wheelhouse.election;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;

import dev.wheelhouse.Relay;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.WheelhouseApplication;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.operator.Context;
import dev.wheelhouse.operator.ReconcilingOperator;
import dev.wheelhouse.operator.Setup;
import dev.wheelhouse.spring.LeadLostEvent;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two replicas of an application with an annotated reconciler and an operator, both always at work. The leader loses
 * its lead again and again: its network is cut, another takes its Lease away, or it is stopped.
 */
@Timeout(3600)
@Tag("processes")
@Tag("full")
class NeverTwoActTest {
    private static final int LOSSES = Sizes.of("wheelhouse.losses", 4, 4, 20);
    private static final ObjectKey LEASE = ObjectKey.of("default", "wheelhouse");
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final Duration WORK = Duration.ofMillis(3);

    /** One call of a reconciler, in nanoseconds of this machine. */
    record Act(String replica, String reconciler, long began, long ended) {}

    private static final ConcurrentLinkedQueue<Act> ACTS = new ConcurrentLinkedQueue<>();

    private static void act(String replica, String reconciler, Runnable work) {
        long began = System.nanoTime();
        try {
            work.run();
            LockSupport.parkNanos(WORK.toNanos());
        } finally {
            ACTS.add(new Act(replica, reconciler, began, System.nanoTime()));
        }
    }

    @KubernetesInformers({@KubernetesInformer(apiTypeClass = V1ConfigMap.class, //
            apiListTypeClass = V1ConfigMapList.class, //
            groupVersionResource = @GroupVersionResource(resourcePlural = "configmaps"))})
    static class Informers {}

    @KubernetesReconciler(value = "annotated", workerCount = 2, watches = @KubernetesReconcilerWatches({
            @KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)}))
    static class Annotated implements Reconciler {
        private final String replica;
        private final CoreV1Api core;

        Annotated(Environment environment, ApiClient api) {
            this.replica = environment.getRequiredProperty("replica");
            this.core = new CoreV1Api(api);
        }

        @Override
        public Result reconcile(Request request) {
            act(replica, "annotated", () -> {
                try {
                    core.createNamespacedEvent("default", new io.kubernetes.client.openapi.models.CoreV1Event()
                            .metadata(new V1ObjectMeta().generateName("act-").namespace("default"))
                            .reason("Acted").reportingComponent(replica)
                            .involvedObject(new io.kubernetes.client.openapi.models.V1ObjectReference()
                                    .namespace("default").kind("ConfigMap").name(request.getName())))
                            .execute();
                } catch (ApiException e) {
                    // The network is cut, or the write was refused.
                }
            });
            return new Result(true, Duration.ofMillis(5));
        }
    }

    static class Native implements ReconcilingOperator<V1ConfigMap> {
        private final String replica;

        Native(Environment environment) {
            this.replica = environment.getRequiredProperty("replica");
        }

        @Override
        public void setup(Setup<V1ConfigMap> setup) {
            setup.name("native");
        }

        @Override
        public dev.wheelhouse.controller.Result reconcile(dev.wheelhouse.operator.Request<V1ConfigMap> request,
                Context<V1ConfigMap> context) {
            act(replica, "native", () -> {
                // The call itself counts.
            });
            return dev.wheelhouse.controller.Result.requeueAfter(Duration.ofMillis(5));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UserBeans {
        @Bean
        Annotated annotated(Environment environment, ApiClient api) {
            return new Annotated(environment, api);
        }

        @Bean
        Native nativeOperator(Environment environment) {
            return new Native(environment);
        }

        @Bean
        Informers configMapInformers() {
            return new Informers();
        }
    }

    /** A replica with a network of its own. */
    private record Replica(String name, Relay network, ConfigurableApplicationContext context, AtomicBoolean lost) {
        static Replica start(TestServer server, Path directory, int number) throws Exception {
            int port = URI.create(server.url()).getPort();
            Relay network = new Relay(port);
            Path kubeconfig = directory.resolve("kubeconfig-" + number);
            Files.writeString(kubeconfig,
                    Files.readString(server.kubeconfig()).replace(":" + port, ":" + network.port()));
            AtomicBoolean lost = new AtomicBoolean();
            ApplicationListener<LeadLostEvent> listener = event -> lost.set(true);
            SpringApplicationBuilder application = new SpringApplicationBuilder(WheelhouseApplication.class,
                    UserBeans.class).listeners(listener);
            return new Replica("r" + number, network, RunningService.run(application, "--server.port=0",
                    "--wheelhouse.kubeconfig=" + kubeconfig, "--replica=r" + number,
                    "--wheelhouse.controllers=annotated,native", "--wheelhouse.leader-election.enabled=true",
                    "--wheelhouse.leader-election.lease-duration=2s",
                    "--wheelhouse.leader-election.renew-deadline=1500ms",
                    "--wheelhouse.leader-election.retry-period=100ms"), lost);
        }

        boolean hasActed() {
            return ACTS.stream().filter(act -> act.replica.equals(name)).map(Act::reconciler).distinct().count() == 2;
        }

        void end() {
            context.close();
            network.close();
        }
    }

    /** Two replicas. One that loses the lead is replaced, as a process that ends is started again. */
    private static final class Deployment implements AutoCloseable {
        private final List<Replica> replicas = new ArrayList<>();
        private final TestServer server;
        private final Path directory;
        private int started;

        Deployment(TestServer server, Path directory) {
            this.server = server;
            this.directory = directory;
        }

        /** Waits until a replica has acted by both reconcilers. Only a leader does. */
        Replica awaitLeader() {
            Replica[] leader = new Replica[1];
            eventually("a replica acts", SOON, () -> {
                for (Replica replica : List.copyOf(replicas)) {
                    if (replica.lost.get()) {
                        end(replica);
                    }
                }
                while (replicas.size() < 2) {
                    replicas.add(Replica.start(server, directory, started++));
                }
                leader[0] = replicas.stream().filter(Replica::hasActed).findFirst().orElse(null);
                return leader[0] != null;
            });
            return leader[0];
        }

        void awaitAnother(Replica than) {
            eventually("another replica acts", SOON, () -> replicas.stream()
                    .anyMatch(replica -> replica != than && (replica.hasActed() || replica.lost.get())));
        }

        void end(Replica replica) {
            replicas.remove(replica);
            replica.end();
        }

        @Override
        public void close() {
            List.copyOf(replicas).forEach(this::end);
        }
    }

    @Test
    void ofTwoReplicasNeverTwoActAlthoughTheLeaderIsLostTwentyTimes(@TempDir Path directory) throws Exception {
        ACTS.clear();
        try (TestServer server = TestServer.start(); Deployment application = new Deployment(server, directory)) {
            new CoreV1Api(server.apiClient()).createNamespacedConfigMap("default",
                    new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("a"))).execute();
            for (int loss = 0; loss < LOSSES; loss++) {
                Replica leader = application.awaitLeader();
                switch (loss % 3) {
                    case 0 -> leader.network.cut();
                    case 1 -> server.client().resource(ResourceType.LEASES, V1Lease.class).patch(LEASE, "",
                            PatchType.MERGE,
                            "{\"spec\":{\"holderIdentity\":\"nobody\",\"leaseDurationSeconds\":1}}");
                    default -> leader.context.close();
                }
                application.awaitAnother(leader);
                application.end(leader);
            }
            // On a busy machine the other one may have lost the lead before both reconcilers acted.
            application.awaitLeader();
        }

        List<Act> acts = ACTS.stream().sorted(Comparator.comparingLong(Act::began)).toList();
        List<String> terms = new ArrayList<>();
        long ends = Long.MIN_VALUE;
        for (Act act : acts) {
            if (terms.isEmpty() || !terms.getLast().equals(act.replica)) {
                assertThat(act.began).as("%s begins to act, while the last act of %s has not ended", act, terms)
                        .isGreaterThan(ends);
                terms.add(act.replica);
            }
            ends = Math.max(ends, act.ended);
        }
        assertThat(terms).as("each replica leads once").doesNotHaveDuplicates()
                .hasSizeGreaterThan(LOSSES);
    }
}
