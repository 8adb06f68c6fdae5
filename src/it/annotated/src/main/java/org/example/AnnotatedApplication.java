package org.example;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretList;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import io.kubernetes.client.util.generic.GenericKubernetesApi;

/** Names nothing of Wheelhouse: an annotated reconciler, and a controller that the official builder builds. */
@SpringBootApplication
public class AnnotatedApplication {

    public static void main(String[] args) {
        SpringApplication.run(AnnotatedApplication.class, args);
    }

    @Component
    @KubernetesInformers(@KubernetesInformer(apiTypeClass = V1ConfigMap.class, apiListTypeClass = V1ConfigMapList.class,
            groupVersionResource = @GroupVersionResource(resourcePlural = "configmaps")))
    static class Informers {}

    @Component
    @KubernetesReconciler(value = "annotated", watches = @KubernetesReconcilerWatches(
            @KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)))
    static class ConfigMaps implements Reconciler {
        final Set<String> seen = ConcurrentHashMap.newKeySet();

        @Override
        public Result reconcile(Request request) {
            seen.add(request.getName());
            return new Result(false);
        }
    }

    @Component
    static class Secrets implements Reconciler {
        final Set<String> seen = ConcurrentHashMap.newKeySet();

        @Override
        public Result reconcile(Request request) {
            seen.add(request.getName());
            return new Result(false);
        }
    }

    @Bean
    SharedIndexInformer<V1Secret> secretInformer(ApiClient client, SharedInformerFactory informers) {
        return informers.sharedIndexInformerFor(
                new GenericKubernetesApi<>(V1Secret.class, V1SecretList.class, "", "v1", "secrets", client),
                V1Secret.class, 0);
    }

    @Bean
    Controller built(SharedIndexInformer<V1Secret> secrets, SharedInformerFactory informers, Secrets reconciler) {
        return ControllerBuilder.defaultBuilder(informers)
                .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1Secret.class, queue).build())
                .withReadyFunc(secrets::hasSynced).withReconciler(reconciler).withName("built").build();
    }

    /** Starts what runs already: Wheelhouse starts informers and controllers. */
    @Bean
    CommandLineRunner starter(SharedInformerFactory informers) {
        return args -> informers.startAllRegisteredInformers();
    }
}
