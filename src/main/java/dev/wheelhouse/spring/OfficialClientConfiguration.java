package dev.wheelhouse.spring;

import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.informer.SharedInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.spring.extended.controller.KubernetesReconcilerProcessor;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.Metrics;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.spring.client.AnnotatedReconcilers;
import dev.wheelhouse.spring.client.ReconcilerController;
import dev.wheelhouse.spring.client.WheelhouseInformerFactory;

/**
 * Runs beans that are written against the official client's Spring integration, {@code @KubernetesInformers} and
 * {@code @KubernetesReconciler}, on this project's informers and workers. The integration makes the informer and lister
 * beans; this class starts and stops them.
 */
@AutoConfiguration(after = WheelhouseAutoConfiguration.class, beforeName = OfficialClientConfiguration.INTEGRATION)
@ConditionalOnClass(KubernetesReconcilerProcessor.class)
@ConditionalOnBean(ServiceLifecycle.class)
class OfficialClientConfiguration {
    /** The integration's own configuration, whose client and factory give way to those of this project. */
    static final String INTEGRATION = "io.kubernetes.client.spring.extended.controller.config"
            + ".KubernetesInformerAutoConfiguration";

    /** The bean has the name that the integration looks up. Its caches are not shared, so users may set transforms. */
    @Bean(name = KubernetesReconcilerProcessor.DEFAULT_SHARED_INFORMER_FACTORY_BEAN_NAME, destroyMethod = "close")
    @ConditionalOnMissingBean(SharedInformerFactory.class)
    WheelhouseInformerFactory officialInformerFactory(WheelhouseProperties properties, ApiClient api,
            KubeClient client, Clock clock, ObjectProvider<Metrics> metrics) {
        // The official client may write these objects, and would not put a dropped annotation back.
        InformerOptions options = properties.informer().options().toBuilder().dropLastApplied(false).build();
        return new WheelhouseInformerFactory(api, client, clock, metrics.getIfAvailable(() -> Metrics.NONE).informers(),
                options);
    }

    /** The endpoint shows these caches, and readiness depends on them, like the service's own. */
    @Bean
    InformerStates officialInformerStates(ObjectProvider<WheelhouseInformerFactory> factories) {
        return () -> factories.orderedStream().flatMap(factory -> factory.states().stream()).toList();
    }

    /** Replaces the integration's processor, whose controllers have queues and workers of another kind. */
    @Bean
    @ConditionalOnProperty(name = "kubernetes.reconciler.enabled", matchIfMissing = true)
    static KubernetesReconcilerProcessor officialReconcilers() {
        return new ReconcilerProcessor();
    }

    @Bean
    OfficialControllers officialControllers(SharedInformerFactory informers, ObjectProvider<Controller> controllers) {
        return new OfficialControllers(informers, controllers.orderedStream().toList());
    }

    private static final class ReconcilerProcessor extends KubernetesReconcilerProcessor {
        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
            BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beans;
            for (String name : beans.getBeanNamesForType(Reconciler.class)) {
                KubernetesReconciler annotation = beans.findAnnotationOnBean(name, KubernetesReconciler.class);
                if (annotation != null) {
                    registry.registerBeanDefinition(name + "Controller", BeanDefinitionBuilder
                            .genericBeanDefinition(ReconcilerController.class,
                                    () -> controller(beans, name, annotation))
                            .setDestroyMethodName("shutdown").getBeanDefinition());
                }
            }
        }

        private static ReconcilerController controller(ListableBeanFactory beans, String name,
                KubernetesReconciler annotation) {
            // The controller asks the factory for informers, so make all informer beans first.
            beans.getBeansOfType(SharedInformer.class);
            Metrics metrics = beans.getBeanProvider(Metrics.class).getIfAvailable(() -> Metrics.NONE);
            return new AnnotatedReconcilers(
                    beans.getBean(KubernetesReconcilerProcessor.DEFAULT_SHARED_INFORMER_FACTORY_BEAN_NAME,
                            SharedInformerFactory.class),
                    beans.getBean(Clock.class), metrics.queues(), metrics.controllers())
                    .controller(annotation, beans.getBean(name, Reconciler.class));
        }
    }

    /** Starts the informers, then the controllers; stops the controllers first. */
    static final class OfficialControllers implements SmartLifecycle {
        private final SharedInformerFactory informers;
        private final List<Controller> controllers;
        private volatile boolean running;

        OfficialControllers(SharedInformerFactory informers, List<Controller> controllers) {
            this.informers = informers;
            this.controllers = controllers;
        }

        @Override
        public void start() {
            running = true;
            informers.startAllRegisteredInformers();
            for (Controller controller : controllers) {
                if (controller instanceof ReconcilerController ours) {
                    ours.start();
                } else {
                    Thread.ofPlatform().daemon().name("controller").start(controller);
                }
            }
        }

        @Override
        public void stop() {
            controllers.forEach(Controller::shutdown);
            informers.stopAllRegisteredInformers();
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
