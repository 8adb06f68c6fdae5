package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

/** A Deployment for each site, and a ConfigMap for a site with hosts. */
class SiteOperator implements DecidingOperator<Site> {
    @Override
    public void setup(Setup<Site> setup) {
        setup.owns(V1Deployment.class).owns(V1ConfigMap.class);
    }

    @Override
    public Decision decide(Site site, Related related, Instant now) {
        Site.Spec spec = Objects.requireNonNull(site.getSpec());
        String name = Objects.requireNonNull(site.getMetadata().getName());
        Decision decision = Decision.apply(deployment(name, spec));
        if (spec.hosts() != null) {
            decision.and(new V1ConfigMap().metadata(new V1ObjectMeta().name(name))
                    .data(Map.of("hosts", String.join(",", spec.hosts()))));
        }
        int ready = related.named(V1Deployment.class, name).map(SiteOperator::ready).orElse(0);
        return decision.status(Site.Status.ready(ready)).condition("Ready", ready == spec.replicas(),
                "Replicas", ready + " of " + spec.replicas() + " are ready");
    }

    private static int ready(V1Deployment deployment) {
        return deployment.getStatus() == null || deployment.getStatus().getReadyReplicas() == null
                ? 0
                : deployment.getStatus().getReadyReplicas();
    }

    private static V1Deployment deployment(String name, Site.Spec spec) {
        Map<String, String> labels = Map.of("app", name);
        return new V1Deployment().metadata(new V1ObjectMeta().name(name)).spec(new V1DeploymentSpec()
                .replicas(spec.replicas()).selector(new V1LabelSelector().matchLabels(labels))
                .template(new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels)).spec(new V1PodSpec()
                        .addContainersItem(new V1Container().name("web").image(spec.image())))));
    }
}
