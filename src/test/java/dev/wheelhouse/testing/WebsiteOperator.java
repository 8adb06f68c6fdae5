package dev.wheelhouse.testing;

import java.time.Instant;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;

import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;

/** A Deployment and a Service for each website, and a ConfigMap for its page. */
public class WebsiteOperator implements DecidingOperator<Website> {
    @Override
    public void setup(Setup<Website> setup) {
        setup.owns(V1Deployment.class).owns(V1Service.class).owns(V1ConfigMap.class);
    }

    @Override
    public Decision decide(Website website, Related related, Instant now) {
        String name = website.getMetadata().getName();
        int replicas = website.getSpec().replicas();
        int ready = related.named(V1Deployment.class, name).map(WebsiteOperator::readyReplicas).orElse(0);
        Decision decision = Decision.apply(deployment(name, replicas), service(name));
        if (website.getSpec().page() != null) {
            decision.and(page(name, website.getSpec().page()));
        }
        return decision.status(new Website.Status(ready, null)).condition("Ready", ready == replicas, "Replicas",
                ready + " of " + replicas + " replicas are ready");
    }

    static int readyReplicas(V1Deployment deployment) {
        Integer ready = deployment.getStatus() == null ? null : deployment.getStatus().getReadyReplicas();
        return ready == null ? 0 : ready;
    }

    static V1Deployment deployment(String name, int replicas) {
        Map<String, String> labels = Map.of("website", name);
        return new V1Deployment().metadata(new V1ObjectMeta().name(name)).spec(new V1DeploymentSpec()
                .replicas(replicas).selector(new V1LabelSelector().matchLabels(labels))
                .template(new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels)).spec(
                        new V1PodSpec().addContainersItem(new V1Container().name("web").image("nginx:1.29")))));
    }

    static V1Service service(String name) {
        return new V1Service().metadata(new V1ObjectMeta().name(name)).spec(new V1ServiceSpec()
                .selector(Map.of("website", name)).addPortsItem(new V1ServicePort().port(80)));
    }

    static V1ConfigMap page(String name, String text) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).data(Map.of("index.html", text));
    }
}
