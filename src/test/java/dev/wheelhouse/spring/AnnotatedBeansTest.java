package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerReadyFunc;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.WheelhouseApplication;
import dev.wheelhouse.spring.client.ReconcilerController;
import dev.wheelhouse.spring.client.WheelhouseInformerFactory;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that are written against the official client's Spring integration alone, in the service. The reconciler is a
 * proxy of its class, as Spring makes of classes with asynchronous or transactional methods.
 */
class AnnotatedBeansTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @KubernetesInformers({
            @KubernetesInformer(apiTypeClass = V1ConfigMap.class, //
                    apiListTypeClass = V1ConfigMapList.class, //
                    groupVersionResource = @GroupVersionResource(resourcePlural = "configmaps"))})
    static class Informers {}

    @KubernetesReconciler(value = "config-map-reader", workerCount = 2, watches = @KubernetesReconcilerWatches({
            @KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)}))
    static class Reading implements Reconciler {
        private final List<String> seen = new CopyOnWriteArrayList<>();
        private final Lister<V1ConfigMap> lister;

        Reading(Lister<V1ConfigMap> lister) {
            this.lister = lister;
        }

        @Async
        public void later() {}

        public List<String> seen() {
            return seen;
        }

        @AddWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        public boolean onlyOurs(V1ConfigMap added) {
            return added.getMetadata().getName().startsWith("ours");
        }

        @KubernetesReconcilerReadyFunc
        public boolean isReady() {
            return true;
        }

        @Override
        public Result reconcile(Request request) {
            V1ConfigMap found = lister.namespace(request.getNamespace()).get(request.getName());
            seen.add(request.getName() + "=" + (found == null ? "gone" : found.getData().get("k")));
            if (seen.size() == 1) {
                throw new IllegalStateException("the first try fails");
            }
            return new Result(false);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class UserBeans {
        @Bean
        Reading reading(Lister<V1ConfigMap> lister) {
            return new Reading(lister);
        }

        @Bean
        Informers informers2() {
            return new Informers();
        }
    }

    @Test
    void anAnnotatedReconcilerRunsUnmodifiedOnThisEngine() throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(WheelhouseApplication.class,
                UserBeans.class).run("--server.port=0", "--wheelhouse.apiserver.port=0",
                        "--wheelhouse.apiserver.kubeconfig=" + directory.resolve("kubeconfig"),
                        "--kubernetes.reconciler.enabled=true")) {
            assertThat(context.getBean("sharedInformerFactory", SharedInformerFactory.class))
                    .isInstanceOf(WheelhouseInformerFactory.class);
            assertThat(context.getBean(Controller.class)).isInstanceOf(ReconcilerController.class);
            Reading reading = context.getBean(Reading.class);
            assertThat(reading.getClass()).isNotEqualTo(Reading.class);
            CoreV1Api core = new CoreV1Api(context.getBean(ApiClient.class));
            for (String name : List.of("theirs", "ours")) {
                core.createNamespacedConfigMap("default", new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("default").name(name)).putDataItem("k", "1")).execute();
            }
            Eventually.eventually("it was reconciled again after its failure", SOON, () -> reading.seen().size() >= 2);
            assertThat(reading.seen()).containsOnly("ours=1");
            core.deleteNamespacedConfigMap("ours", "default").execute();
            Eventually.eventually("the deletion was seen", SOON, () -> reading.seen().contains("ours=gone"));
            assertThat(context.getBean(MeterRegistry.class).get("workqueue.adds").tag("name", "config-map-reader")
                    .counter().count()).isPositive();

            // The metrics, the endpoint and the health contain the bean's caches too.
            assertThat(context.getBean(MeterRegistry.class).get("informer.objects").tag("resource", "configmaps")
                    .tag("content", "objects").gauge().value()).isPositive();
            // An informer without objects has no series of its own yet, so its list and its watch may count elsewhere.
            Eventually.eventually("its events count", SOON, () -> context.getBean(MeterRegistry.class)
                    .get("reflector.events").tag("resource", "configmaps").tag("content", "objects").counter()
                    .count() > 0);
            assertThat(context.getBean(InformersEndpoint.class).informersOf(SecurityContext.NONE, "configmaps")
                    .get("informers"))
                    .anySatisfy(informer -> assertThat(informer.handlers()).isNotEmpty());
            assertThat(context.getBean(CachesHealthIndicator.class).health().getDetails().toString())
                    .contains("configmaps");
        }
    }
}
