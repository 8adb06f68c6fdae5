package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedInformerFactory;
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

import dev.wheelhouse.WheelhouseApplication;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerState;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reconcilers and controllers of the official client pass the same gate as all others. */
@Timeout(900)
@ExtendWith(OutputCaptureExtension.class)
@Isolated
class OfficialControllersTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @KubernetesInformers({@KubernetesInformer(apiTypeClass = V1ConfigMap.class, //
            apiListTypeClass = V1ConfigMapList.class, //
            groupVersionResource = @GroupVersionResource(resourcePlural = "configmaps"))})
    static class Informers {}

    @KubernetesReconciler(value = "annotated", workerCount = 2, watches = @KubernetesReconcilerWatches({
            @KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)}))
    static class Annotated implements Reconciler {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();

        @Override
        public Result reconcile(Request request) {
            seen.add(request.getName());
            threads.add(Thread.currentThread());
            if (request.getName().equals("broken")) {
                throw new IllegalStateException("no theme");
            }
            return new Result(request.getName().startsWith("again"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnnotatedBeans {
        @Bean
        Annotated annotated() {
            return new Annotated();
        }

        @Bean
        Informers configMapInformers() {
            return new Informers();
        }
    }

    /** The shape of the official project's example: it builds a controller, and runs it by itself. */
    @Configuration(proxyBeanMethods = false)
    static class BuiltBeans {
        final CountDownLatch lostLead = new CountDownLatch(1);
        final List<String> seen = new CopyOnWriteArrayList<>();
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger ran = new AtomicInteger();

        @Bean
        Controller builtController(SharedInformerFactory informers, ApiClient api) {
            informers.sharedIndexInformerFor(
                    new io.kubernetes.client.util.generic.GenericKubernetesApi<>(V1ConfigMap.class,
                            V1ConfigMapList.class, "", "v1", "configmaps", api),
                    V1ConfigMap.class, 0);
            CoreV1Api core = new CoreV1Api(api);
            Reconciler reconciler = request -> {
                seen.add(request.getName());
                if (request.getName().equals("slow")) {
                    act(core);
                }
                return new Result(false);
            };
            return ControllerBuilder.defaultBuilder(informers)
                    .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue).build())
                    .withReadyFunc(() -> true).withWorkerCount(3).withReconciler(reconciler).withName("built").build();
        }

        private void act(CoreV1Api core) {
            try {
                assertThat(lostLead.await(2, TimeUnit.MINUTES)).isTrue();
                core.readNamespacedConfigMap("slow", "default").execute();
                core.createNamespacedConfigMap("default", configMap("late")).execute();
            } catch (ApiException e) {
                assertThat(e.getCode()).isEqualTo(503);
                assertThat(e.getResponseBody()).contains("this process no longer leads, so it writes nothing");
                refused.incrementAndGet();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Bean
        ApplicationRunner runner(SharedInformerFactory informers, Controller controller) {
            return args -> {
                informers.startAllRegisteredInformers();
                Thread.ofVirtual().start(() -> {
                    controller.run();
                    ran.incrementAndGet();
                });
            };
        }
    }

    private ConfigurableApplicationContext run(Class<?> beans, String... options) {
        List<String> args = new java.util.ArrayList<>(List.of("--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.nodes.count=0", "--wheelhouse.apiserver.kubeconfig=" + directory.resolve("kubeconfig")));
        args.addAll(List.of(options));
        return new SpringApplicationBuilder(WheelhouseApplication.class, beans).run(args.toArray(String[]::new));
    }

    private static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name));
    }

    private static void create(ConfigurableApplicationContext context, String name) throws ApiException {
        new CoreV1Api(context.getBean(ApiClient.class)).createNamespacedConfigMap("default", configMap(name)).execute();
    }

    private static ControllerState state(ConfigurableApplicationContext context, String name) {
        return context.getBean(ControllerManager.class).states().stream().filter(state -> state.name().equals(name))
                .findFirst().orElseThrow();
    }

    @Test
    void anAnnotatedReconcilerRunsByDefaultOnPlatformThreadsWithTheOptionsOfItsNameAndItsErrorsAreShown(
            CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext context = run(AnnotatedBeans.class,
                "--wheelhouse.controllers=annotated,namespace", "--wheelhouse.workers-of.annotated=1")) {
            Annotated annotated = context.getBean(Annotated.class);
            create(context, "again");
            create(context, "broken");
            eventually("a wanted requeue comes", SOON,
                    () -> annotated.seen.stream().filter("again"::equals).count() > 3);
            eventually("the failure is shown", SOON, () -> state(context, "annotated").failingKeys() == 1);

            assertThat(annotated.threads).hasSize(1).noneMatch(Thread::isVirtual);
            assertThat(state(context, "annotated").failing()).singleElement().extracting(FailingKey::error)
                    .isEqualTo("java.lang.IllegalStateException: no theme");
            assertThat(context.getBean(ControllersHealthIndicator.class).health().getDetails().get("annotated")
                    .toString()).contains("broken", "no theme");
            eventually("it is ready", SOON, () -> output.getOut().contains("Wheelhouse is ready"));
            assertThat(output.getOut()).contains("the controllers namespace-controller, annotated")
                    .doesNotContain("default/again");
        }
    }

    @Test
    void whatObservesDoesNotStartAnAnnotatedReconcilerAndSaysSo(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext context = run(AnnotatedBeans.class, "--wheelhouse.manage=observe",
                "--wheelhouse.controllers=annotated,namespace")) {
            create(context, "a");
            eventually("the others run", SOON, () -> context.getBean(ControllerManager.class).isRunning());
            assertThat(output.getOut()).contains("annotated does not run while this process observes");
            assertThat(context.getBean(Annotated.class).seen).isEmpty();
        }
    }

    @Test
    void namesOfControllersThatDoNotExistAreRefusedAndTheApplicationsOwnAreNamed() {
        assertThatThrownBy(() -> run(AnnotatedBeans.class, "--wheelhouse.controllers=anotated").close())
                .rootCause().hasMessageContaining("there is no controller \"anotated\"").hasMessageContaining(
                        "annotated");
        assertThatThrownBy(() -> run(AnnotatedBeans.class, "--wheelhouse.workers-of.anotated=3").close())
                .rootCause().hasMessageContaining("wheelhouse.workers-of.anotated: there is no controller");
    }

    @Test
    void aControllerOfTheOfficialBuilderLeadsOrDoesNotActAndItsLateWriteIsRefused() throws Exception {
        try (ConfigurableApplicationContext context = run(BuiltBeans.class, "--wheelhouse.controllers=built",
                "--wheelhouse.leader-election.enabled=true", "--wheelhouse.leader-election.lease-duration=120s",
                "--wheelhouse.leader-election.renew-deadline=100s",
                "--wheelhouse.leader-election.retry-period=200ms")) {
            BuiltBeans beans = context.getBean(BuiltBeans.class);
            create(context, "first");
            create(context, "slow");
            eventually("it acts", SOON, () -> beans.seen.containsAll(List.of("first", "slow")));
            eventually("it runs", SOON, () -> state(context, "built").doing().equals("running"));

            context.getBean(KubeClient.class).resource(ResourceType.LEASES, V1Lease.class).patch(
                    ObjectKey.of("default", "wheelhouse"), "", PatchType.MERGE,
                    "{\"spec\": {\"holderIdentity\": \"another\"}}");
            eventually("the lead is lost", SOON,
                    () -> context.getBean(ControllerManager.class).controllers().isEmpty());
            beans.lostLead.countDown();
            create(context, "later");
            eventually("the late write is refused", SOON, () -> beans.refused.get() == 1);
            eventually("it has ended", SOON, () -> !state(context, "built").doing().startsWith("built ends"));
            assertThat(beans.seen).doesNotContain("later", "late");
            assertThat(beans.ran).as("a runner of one's own only waits").hasValue(0);
        }
    }
}
