package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.informer.SharedInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.spring.extended.controller.KubernetesReconcilerProcessor;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;

import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.spring.client.AnnotatedReconcilers;
import dev.wheelhouse.spring.client.BuiltController;
import dev.wheelhouse.spring.client.OfficialController;
import dev.wheelhouse.spring.client.ReconcilerController;
import dev.wheelhouse.spring.client.RunnableController;
import dev.wheelhouse.spring.client.WriteFence;

import static dev.wheelhouse.spring.OfficialInformersConfiguration.INTEGRATION;

/**
 * Runs beans that are written against the official client's Spring integration, {@code @KubernetesInformers} and
 * {@code @KubernetesReconciler}, on this project's informers and workers. The integration makes the informer and lister
 * beans; this class starts and stops them, and hands the reconcilers to the manager.
 */
@AutoConfiguration(after = OfficialInformersConfiguration.class, beforeName = INTEGRATION)
@ConditionalOnClass(KubernetesReconcilerProcessor.class)
@ConditionalOnBean(ServiceLifecycle.class)
class OfficialClientConfiguration {
    /** Replaces the integration's processor, whose controllers have queues and workers of another kind. */
    @Bean
    @ConditionalOnProperty(name = "kubernetes.reconciler.enabled", matchIfMissing = true)
    static KubernetesReconcilerProcessor officialReconcilers() {
        return new ReconcilerProcessor();
    }

    /** Replaces the controllers that the official builder built, so that the manager runs them, too. */
    @Bean
    static BeanPostProcessor officialControllers() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof ApiClient api) {
                    WriteFence.guard(api);
                }
                return bean instanceof DefaultController built && !(bean instanceof BuiltController)
                        ? BuiltController.of(built, name)
                        : bean;
            }
        };
    }

    /** The controllers of the official client, for the manager. */
    @Bean
    UserControllers officialUserControllers(ListableBeanFactory beans) {
        return () -> {
            List<ControllerDescriptor> descriptors = new ArrayList<>();
            beans.getBeansOfType(Controller.class).forEach((name, controller) -> descriptors.add(
                    controller instanceof OfficialController ours
                            ? ours.descriptor()
                            : RunnableController.descriptor(name, controller)));
            return descriptors;
        };
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
            return new AnnotatedReconcilers(
                    beans.getBean(KubernetesReconcilerProcessor.DEFAULT_SHARED_INFORMER_FACTORY_BEAN_NAME,
                            SharedInformerFactory.class))
                    .controller(annotation, beans.getBean(name, Reconciler.class));
        }
    }
}
