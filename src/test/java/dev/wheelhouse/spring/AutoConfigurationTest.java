package dev.wheelhouse.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerState;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.spring.client.WheelhouseInformerFactory;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Wheelhouse in an application of somebody else's. */
@Isolated
class AutoConfigurationTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    /** The libraries that an application may lack. */
    private static final FilteredClassLoader WITHOUT = new FilteredClassLoader("org.springframework.boot.actuate",
            "org.springframework.boot.health", "io.micrometer.prometheusmetrics", "io.kubernetes.client.spring",
            "io.kubernetes.client.extended", "org.apache.catalina", "jakarta.servlet", "dev.cel", "org.h2");

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Every service account gets a ConfigMap. */
    static final class WelcomeOperator implements DecidingOperator<V1ServiceAccount> {
        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.owns(V1ConfigMap.class);
        }

        @Override
        public Decision decide(V1ServiceAccount account, Related related, Instant now) {
            return Decision.apply(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().name(account.getMetadata().getName() + "-welcome"))
                    .data(Map.of("text", "Welcome")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {
        @Bean
        WelcomeOperator operator() {
            return new WelcomeOperator();
        }

        @Bean
        java.time.Clock clock() {
            return java.time.Clock.systemUTC();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnClient {
        @Bean
        ApiClient kubernetes() {
            return server.apiClient();
        }
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner().withUserConfiguration(OwnBeans.class)
                .withConfiguration(AutoConfigurations.of(ImportCandidates
                        .load(org.springframework.boot.autoconfigure.AutoConfiguration.class,
                                AutoConfigurationTest.class.getClassLoader())
                        .getCandidates().stream().filter(name -> name.startsWith("dev.wheelhouse."))
                        .map(AutoConfigurationTest::load).toArray(Class[]::new)));
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name + " is listed and not there", e);
        }
    }

    private static ApplicationContextRunner connected() {
        return application().withPropertyValues("wheelhouse.kubeconfig=" + server.kubeconfig());
    }

    private static void welcomes(String account) throws Exception {
        CoreV1Api core = new CoreV1Api(server.apiClient());
        core.createNamespacedServiceAccount("default",
                new V1ServiceAccount().metadata(new V1ObjectMeta().name(account))).execute();
        eventually(account + " is welcomed", SOON, () -> core.listNamespacedConfigMap("default").execute().getItems()
                .stream().anyMatch(map -> (account + "-welcome").equals(map.getMetadata().getName())));
    }

    private static List<String> controllers(ControllerManager manager) {
        return manager.states().stream().map(ControllerState::name).toList();
    }

    @Test
    void anOperatorRunsWithoutActuatorMetricsTheIntegrationAndTheEmbeddedServersLibraries() {
        connected().withClassLoader(WITHOUT).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(ControllerManager.class)
                    .doesNotHaveBean("cachesHealthIndicator").doesNotHaveBean(InformersEndpoint.class);
            assertThat(context.getBean(ControllerMetrics.class).registry()).isSameAs(Meters.NONE);
            assertThat(context.getBean("sharedInformerFactory", SharedInformerFactory.class))
                    .isInstanceOf(WheelhouseInformerFactory.class);
            welcomes("ada");
        });
    }

    @Test
    void theProcessGoesOnWithoutAWebServerUntilTheContextEndsIfAnythingRunsInIt() {
        Set<Thread> before = keepingAlive();
        connected().run(context -> {
            Set<Thread> during = keepingAlive();
            during.removeAll(before);
            assertThat(during).singleElement().matches(thread -> !thread.isDaemon(), "not a daemon");
            context.close();
            eventually("the process may end", SOON, () -> during.stream().noneMatch(Thread::isAlive));

            connected().withClassLoader(WITHOUT).withBean("operator", String.class, () -> "none")
                    .withAllowBeanDefinitionOverriding(true)
                    .run(without -> {
                        assertThat(controllers(without.getBean(ControllerManager.class))).isEmpty();
                        assertThat(keepingAlive()).isSubsetOf(before);
                    });
        });
    }

    private static Set<Thread> keepingAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(ServiceLifecycle.KEEP_ALIVE)).collect(Collectors.toSet());
    }

    @Test
    void theBuiltInControllersRunOnlyWhereTheyAreNamed() {
        connected().run(context -> assertThat(controllers(context.getBean(ControllerManager.class)))
                .containsExactly("welcome-operator"));
        connected().withPropertyValues("wheelhouse.controllers=*,deployment").run(
                context -> assertThat(controllers(context.getBean(ControllerManager.class)))
                        .containsExactlyInAnyOrder("deployment-controller", "welcome-operator"));
    }

    @Test
    void aControllerThatDoesNotExistIsRefusedWithTheNamesThatThereAre() {
        connected().withPropertyValues("wheelhouse.controllers=*,-welcom").run(
                context -> assertThat(context.getStartupFailure()).rootCause()
                        .hasMessageContaining("there is no controller \"welcom\"")
                        .hasMessageContaining("welcome-operator"));
    }

    @Test
    void theApplicationsOwnClientIsUsed() {
        application().withUserConfiguration(OwnClient.class).run(context -> {
            assertThat(context).hasSingleBean(ApiClient.class);
            assertThat(context.getBean(KubeClient.class).server()).startsWith(server.url());
            welcomes("bob");
        });
    }

    /** An application that worked goes on to work when it gets the dependency. */
    @Test
    void beansOfTheApplicationWithTheSameNamesOrInLargerNumberPreventNoStart() {
        HealthIndicator own = () -> Health.up().build();
        ApplicationContextRunner application = connected().withAllowBeanDefinitionOverriding(false);
        for (String name : List.of("storage", "caches", "controllers", "loops")) {
            application = application.withBean(name + "HealthIndicator", HealthIndicator.class, () -> own);
        }
        for (String name : List.of("planEndpoint", "journalEndpoint", "informersEndpoint", "podSourcesEndpoint")) {
            application = application.withBean(name, String.class, () -> name);
        }
        application.withBean("one", SharedInformerFactory.class, () -> new SharedInformerFactory(server.apiClient()))
                .withBean("two", SharedInformerFactory.class, () -> new SharedInformerFactory(server.apiClient()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeansOfType(HealthIndicator.class).values()).hasSize(4)
                            .allMatch(own::equals);
                });
    }

    /** An application that exports its metrics to two systems, without Spring Boot's registry of both. */
    @Test
    void ofSeveralMeterRegistriesEachGetsTheMetrics() {
        MeterRegistry one = new SimpleMeterRegistry();
        MeterRegistry two = new SimpleMeterRegistry();
        connected().withBean("one", MeterRegistry.class, () -> one).withBean("two", MeterRegistry.class, () -> two)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    welcomes("cleo");
                    assertThat(List.of(one, two)).allMatch(
                            registry -> registry.get("workqueue.adds").counters().size() == 1);
                });
    }

    @Test
    void underLazyInitializationTheOperatorRunsAndItsWebhooksAreServed() {
        connected().withBean(LazyInitializationBeanFactoryPostProcessor.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeanFactory().getBeanNamesForType(ServedWebhooks.class, true, false))
                    .allMatch(context.getBeanFactory()::containsSingleton);
            welcomes("dora");
        });
    }

    /** Spring's tests pause a context while another one is in use, and a context may stop and start its beans. */
    @Test
    void aContextThatPausesGoesOnAndOneThatWasStoppedSaysThatItCannotStartAgain() {
        connected().run(context -> {
            ConfigurableApplicationContext pausing = context.getSourceApplicationContext();
            pausing.pause();
            pausing.restart();
            welcomes("emil");

            pausing.stop();
            assertThatThrownBy(pausing::start).hasRootCauseMessage("Wheelhouse was stopped, and does not start again in"
                    + " the same context: close the context, and make another one");
        });
    }

    @Test
    void theApplicationsOwnClockTakesThePlaceOfTheSystems() {
        Clock own = Clock.system();
        connected().withBean("mine", Clock.class, () -> own)
                .run(context -> assertThat(context.getBean(Clock.class)).isSameAs(own));
    }

    @Test
    void anApplicationMayTurnItOff() {
        application().withPropertyValues("wheelhouse.enabled=false").run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(ControllerManager.class).doesNotHaveBean(SharedInformerFactory.class)
                .doesNotHaveBean(ApiClient.class));
    }

    @Test
    void noApiServerStartsUnlessTheApplicationAsksForIt() {
        connected().withPropertyValues("wheelhouse.kubeconfig=/nowhere/config").run(
                context -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("/nowhere/config"));
        application().withPropertyValues("wheelhouse.mode=embedded", "wheelhouse.apiserver.port=0",
                "wheelhouse.apiserver.kubeconfig=target/auto-configuration.kubeconfig").run(
                        context -> assertThat(context.getBean(ApiServerConnection.class).embedded()).isNotNull());
    }

    @Test
    void theTimeOfRunsAtAStopIsAnOption() {
        connected().run(context -> assertThat(context.getBean(Engine.class).grace()).hasSeconds(2));
        connected().withPropertyValues("wheelhouse.stop-grace=20s")
                .run(context -> assertThat(context.getBean(Engine.class).grace()).hasSeconds(20));
        connected().withPropertyValues("wheelhouse.stop-grace=0s").run(context -> assertThat(
                context.getStartupFailure()).rootCause().hasMessageContaining("wheelhouse.stop-grace"));
    }

    @Test
    void aSpringBootTestConnectsToNoClusterUnlessItNamesOne() {
        String test = "org.springframework.boot.test.context.SpringBootTestContextBootstrapper=true";
        application().withPropertyValues(test).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(ServiceLifecycle.class).isRunning()).isFalse();
            assertThatThrownBy(() -> context.getBean(KubeClient.class).serverVersion())
                    .hasMessageContaining("this is a Spring Boot test, which connects to no cluster by itself: set "
                            + "wheelhouse.kubeconfig, or wheelhouse.mode=embedded");
        });
        connected().withPropertyValues(test).run(context -> welcomes("fritz"));
    }

    @Test
    void anApplicationWithoutAnOperatorNeedsNoClusterAndSendsNothing() {
        ApplicationContextRunner nothing = application().withBean("operator", String.class, () -> "none")
                .withAllowBeanDefinitionOverriding(true);
        nothing.run(context -> assertThat(context).hasNotFailed());
        Faults.Rule any = server.faults().on("*", "*").delay(Duration.ZERO);
        nothing.withPropertyValues("wheelhouse.kubeconfig=" + server.kubeconfig())
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(any.hits()).isZero();
        server.faults().clear();
    }

    @Test
    void theGuardOfTheActuatorAndTheAnnouncementAreTheServicesOwn() {
        connected().run(context -> assertThat(context).doesNotHaveBean(ReadyAnnouncer.class)
                .doesNotHaveBean("managementGuard").doesNotHaveBean(ServiceConfiguration.class));
    }

    @Test
    void anApplicationThatLosesTheLeadEnds() {
        connected().run(context -> {
            context.publishEvent(new LeadLostEvent(this));

            eventually("the application has ended", SOON,
                    () -> !context.getSourceApplicationContext().isActive());
        });
    }

    @Test
    void onlyFailuresOfWheelhouseAreToldInItsWords() {
        StartupFailures failures = new StartupFailures(new StandardEnvironment());

        assertThat(failures.analyze(new PortInUseException(8080))).isNull();
        assertThat(failures.analyze(new IllegalStateException("context", new BadOption("x is 1: it must be 2"))))
                .extracting(FailureAnalysis::getDescription).isEqualTo("x is 1: it must be 2");
        connected().withPropertyValues("wheelhouse.workerz=3").run(
                context -> assertThat(failures.analyze(context.getStartupFailure()))
                        .extracting(FailureAnalysis::getDescription)
                        .isEqualTo("there is no option wheelhouse.workerz: remove it, or correct its name"));
    }
}
