package com.example.website;

import java.time.Instant;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapVolumeSource;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;

import dev.wheelhouse.operator.CrdPolicy;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;

/** Serves each {@link Website} by a ConfigMap with its page, a Deployment of web servers, and a Service. */
public final class WebsiteOperator implements DecidingOperator<Website> {
    private static final int PORT = 80;

    @Override
    public void setup(Setup<Website> setup) {
        setup.owns(V1ConfigMap.class).owns(V1Deployment.class).owns(V1Service.class).crd(CrdPolicy.INSTALL);
    }

    @Override
    public Decision decide(Website website, Related related, Instant now) {
        String name = website.getMetadata().getName();
        int wanted = website.getSpec().replicas();
        int ready = related.named(V1Deployment.class, name).map(V1Deployment::getStatus)
                .map(V1DeploymentStatus::getReadyReplicas).orElse(0);
        return Decision.apply(page(name, website.getSpec().html()), servers(name, wanted), service(name))
                .status(new Website.Status(ready))
                .condition("Ready", ready >= wanted, ready >= wanted ? "Serving" : "Starting",
                        ready + " of " + wanted + " web servers are ready.");
    }

    private static V1ConfigMap page(String name, String html) {
        return new V1ConfigMap().metadata(named(name)).data(Map.of("index.html", html));
    }

    private static V1Deployment servers(String name, int replicas) {
        V1Container nginx = new V1Container().name("nginx").image("nginx:1.29")
                .addPortsItem(new V1ContainerPort().containerPort(PORT))
                .addVolumeMountsItem(new V1VolumeMount().name("page").mountPath("/usr/share/nginx/html"));
        V1Volume page = new V1Volume().name("page").configMap(new V1ConfigMapVolumeSource().name(name));
        V1PodTemplateSpec template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels(name)))
                .spec(new V1PodSpec().addContainersItem(nginx).addVolumesItem(page));
        return new V1Deployment().metadata(named(name)).spec(new V1DeploymentSpec().replicas(replicas)
                .selector(new V1LabelSelector().matchLabels(labels(name))).template(template));
    }

    private static V1Service service(String name) {
        return new V1Service().metadata(named(name)).spec(new V1ServiceSpec().selector(labels(name))
                .addPortsItem(new V1ServicePort().port(PORT)));
    }

    private static V1ObjectMeta named(String name) {
        return new V1ObjectMeta().name(name).labels(labels(name));
    }

    private static Map<String, String> labels(String name) {
        return Map.of("website", name);
    }
}
